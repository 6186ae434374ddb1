//! The cost of a directive: to keep it, to show the present tree's verdict under it, and to grow
//! the tree again from the memo.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use deepanalyze_core::chess::{Game, PositionKey};
use deepanalyze_core::directives::{Directive, Directives};
use deepanalyze_runner::{ControlReceiver, RunEvent, RunOutcome, grow};
use deepanalyze_store::{AnalysisId, Store, StoreError};
use deepanalyze_view::load;
use shakmaty::{Chess, uci::UciMove};

use crate::running::{engines, job, store};

/// Tree sizes in answers.
const SIZES: [u64; 3] = [2_000, 20_000, 200_000];

/// Excludes the best root move of trees of three sizes, and undoes that.
pub fn report(distance: u32) {
    for searches in SIZES {
        let Some(mut store) = store("directing") else { return };
        let (never, mut engines) = (ControlReceiver::never(), engines(|| {}, |_| {}));
        let grown =
            grow(&job(distance, searches), &mut store, &mut engines, &never, &mut |_| {}).ok();
        let best = grown.as_ref().and_then(|run| run.best()?.best());
        let (Some(run), Some(best)) = (grown, best) else { return };
        println!("{} positions, {searches} answers", run.positions);
        for exclude in [true, false] {
            let Some((kept, load, verdict, again, run)) =
                change(&mut store, best, exclude, distance)
            else {
                return;
            };
            println!(
                "  {}: kept in {kept:.1?}, (load {load:.0?},) verdict {verdict:.1?} later, grown again \
                {again:.2?} behind it: {} positions",
                if exclude { "exclude" } else { "take back" },
                run.positions
            );
        }
    }
}

type Times = (Duration, Duration, Duration, Duration, RunOutcome);

fn change(store: &mut Store, best: UciMove, exclude: bool, distance: u32) -> Option<Times> {
    let game = Game::from_position(Chess::default());
    let root = PositionKey::of(game.root());
    let began = Instant::now();
    let change = |set: &mut Directives| {
        if exclude {
            _ = set.add(&root, game.root(), Directive::Exclude(best));
        } else {
            set.undo_move(&root, best);
        }
        Ok::<(), StoreError>(())
    };
    store.change_directives(&game, change).ok()?;
    let kept = began.elapsed();
    let began = Instant::now();
    load(store, AnalysisId(1)).ok()?;
    let load = began.elapsed();
    let first = Rc::new(RefCell::new(None));
    let seen = Rc::clone(&first);
    let note = move || _ = seen.borrow_mut().get_or_insert_with(Instant::now);
    let (began, mut verdict) = (Instant::now(), None);
    let mut hear = |event| {
        if let RunEvent::Directed { .. } = event {
            verdict.get_or_insert_with(|| began.elapsed());
        }
    };
    let (never, mut engines) = (ControlReceiver::never(), engines(note, |_| {}));
    let run = grow(&job(distance, 1), store, &mut engines, &never, &mut hear).ok()?;
    let verdict = verdict?;
    let searched = first.borrow().as_ref().map(|at: &Instant| at.duration_since(began))?;
    Some((kept, load, verdict.saturating_sub(load), searched.saturating_sub(verdict), run))
}
