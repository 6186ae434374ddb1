//! Quarantined workers: their answers are invalidated, and the tree is that of a correct engine.

use std::cell::Cell;
use std::rc::Rc;

use super::batches::{batch, grow_all, grow_in};
use super::{Place, job, ms};
use crate::control::ControlReceiver;
use crate::job::Job;
use crate::job::Schedule;
use crate::outcome::RunOutcome;
use crate::queue::{JobOutcome, grow};
use crate::tests::made_up::{answer, profile};
use deepanalyze_core::search::{Answer, Search, WorkerId};
use deepanalyze_engine::{FakeEngines, FakeSearch, FakeStart};
use deepanalyze_store::Store;

fn liar() -> WorkerId {
    WorkerId::new("liar")
}

/// The second best move as the best, with another score, if there are two.
fn lie(search: &Search) -> Answer {
    let right = answer(search);
    let without = Search {
        excluded: [&search.excluded[..], &[right.best]].concat(),
        position: search.position.clone(),
    };
    if without.allowed().is_empty() { right } else { answer(&without) }
}

/// Three engines; until it is found out by search `found_at`, a liar makes every other search.
fn engines(found_at: usize, is_believed: Rc<Cell<bool>>) -> FakeEngines {
    let mut begun = 0;
    FakeEngines::new(3, profile(), move |FakeStart { search, .. }| {
        begun += 1;
        let lies = is_believed.get() && begun % 2 == 0;
        let end = Ok(if lies { lie(search) } else { answer(search) });
        let made = FakeSearch::ending(end).taking(ms(10));
        is_believed.set(is_believed.get() && begun != found_at);
        let quarantines = (begun == found_at).then(liar);
        FakeSearch { worker: lies.then(liar), quarantines, ..made }
    })
}

fn grown(place: &mut Place, engines: &mut FakeEngines) -> RunOutcome {
    let job = Job { depth: 3, ..job() };
    grow(&job, &mut place.store, engines, &ControlReceiver::never(), &mut |_| {}).unwrap()
}

/// A tree's summary.
fn said(outcome: &RunOutcome) -> (Option<u32>, u64, u64, String) {
    let RunOutcome { settled_depth, positions, admitted, lines, .. } = outcome;
    (*settled_depth, *positions, *admitted, format!("{lines:?}"))
}

/// The true one.
fn honest() -> RunOutcome {
    grown(&mut Place::new(), &mut engines(usize::MAX, Rc::new(Cell::new(false))))
}

fn is_proved(place: &Place) {
    let found = deepanalyze_view::verify(&place.store, None, &mut |_| {}).unwrap();
    assert_eq!(found.flaws, Vec::<String>::new());
    let db = rusqlite::Connection::open(place.file()).unwrap();
    let sql = "SELECT count(*) FROM search WHERE source IS NOT NULL";
    let left: u32 = db.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
}

#[test]
fn quarantined_workers_answers_are_searched_again() {
    let right = honest();
    for found_at in [2, 7, 20, 45] {
        let mut place = Place::new();
        let mut engines = engines(found_at, Rc::new(Cell::new(true)));
        let outcome = grown(&mut place, &mut engines);
        assert_eq!(said(&outcome), said(&right), "found at {found_at}");
        is_proved(&place);
        assert!(place.store.invalidations().unwrap() <= 1);
    }
}

#[test]
fn invalidation_during_a_check_is_no_flaw() {
    for moment in 1..=8 {
        let mut place = Place::new();
        grown(&mut place, &mut engines(usize::MAX, Rc::new(Cell::new(true))));
        let (reader, mut steps) = (Store::open_to_read(&place.file()).unwrap(), 0);
        let found = deepanalyze_view::verify(&reader, None, &mut |_| {
            steps += 1;
            if steps == moment {
                place.store.invalidate(&liar(), "found out").unwrap();
            }
        });
        assert_eq!(found.unwrap().flaws, Vec::<String>::new(), "before part {moment} of {steps}");
        assert!(steps >= moment && place.store.invalidations().unwrap() == 1);
    }
}

#[test]
fn invalidation_by_others_reaches_the_engines() {
    let right = honest();
    for moment in [25, 60, 110, 155] {
        let mut place = Place::new();
        let is_believed = Rc::new(Cell::new(true));
        let mut engines = engines(usize::MAX, Rc::clone(&is_believed));
        let mut other = place.connect();
        engines.at(ms(moment), move || {
            // The liar's running search is refused when it comes.
            is_believed.set(false);
            other.invalidate(&liar(), "another run has found it out").unwrap();
        });
        let outcome = grown(&mut place, &mut engines);
        assert_eq!(said(&outcome), said(&right), "after {moment} ms");
        is_proved(&place);
        assert!(engines.quarantined().contains(&liar()), "after {moment} ms");
    }
}

#[test]
fn batch_returns_to_roots_with_invalidated_answers() {
    let (batch, mut place) = (batch(&["e4", "d4", "c4"]), Place::new());
    // The first root takes some dozens of searches.
    let mut engines = engines(100, Rc::new(Cell::new(true)));
    grow_in(&mut place, &batch, &mut engines).unwrap();
    is_proved(&place);
    assert_eq!(place.store.invalidations().unwrap(), 1);
    for root in &batch.jobs {
        let rows = place.store.analyses_of(&root.game).unwrap();
        assert!(rows.iter().all(|row| row.settled_depth == Some(2)), "{}", root.label);
    }
}

#[test]
fn earlier_stage_with_invalidated_answers_regrows() {
    let staged = |engines: &mut FakeEngines| {
        let mut place = Place::new();
        let job = Job { schedule: Schedule::REFINED, ..job() };
        let run = grow(&job, &mut place.store, engines, &ControlReceiver::never(), &mut |_| {});
        (place, run.unwrap())
    };
    let settled = |place: &Place| -> Vec<Option<u32>> {
        let rows = place.store.analyses_of(&job().game).unwrap();
        rows.iter().map(|row| row.settled_depth).collect()
    };
    // The answers of all stages are alike, so there are two: the engine goes no deeper.
    let (place, right) = staged(&mut engines(usize::MAX, Rc::new(Cell::new(false))));
    assert_eq!(settled(&place), [Some(2), Some(2)]);
    let in_the_second = usize::try_from(right.searches * 3 / 4).unwrap();
    let (place, outcome) = staged(&mut engines(in_the_second, Rc::new(Cell::new(true))));
    assert_eq!(place.store.invalidations().unwrap(), 1);
    assert_eq!(settled(&place), [Some(2), Some(2)]);
    assert_eq!((said(&outcome), outcome.exhausted), (said(&right), right.exhausted));
    is_proved(&place);
}

#[test]
fn earlier_batch_stages_with_invalid_answers_regrow() {
    let staged = |engines: &mut FakeEngines| {
        let (mut place, never) = (Place::new(), ControlReceiver::never());
        let mut queue = batch(&["e4", "d4"]);
        queue.jobs.iter_mut().for_each(|job| job.schedule = Schedule::REFINED);
        let end = grow_all(&queue, &mut place, engines, &never).unwrap();
        let stages = |job: &Job| place.store.analyses_of(&job.game).unwrap();
        let settled = queue.jobs.iter().flat_map(stages).map(|row| row.settled_depth).collect();
        let settled: Vec<Option<u32>> = settled;
        let said = end.outcomes.into_iter().map(|outcome| match outcome {
            JobOutcome::Grown(grown) => said(&grown),
            other => panic!("{other:?}"),
        });
        let said: Vec<_> = said.collect();
        (place, settled, said, end.searches)
    };
    let (_, settled, right, searches) = staged(&mut engines(usize::MAX, Rc::new(Cell::new(false))));
    assert_eq!(settled, [Some(2); 4]);
    let in_the_second = usize::try_from(searches * 3 / 4).unwrap();
    let (place, settled, found, _) = staged(&mut engines(in_the_second, Rc::new(Cell::new(true))));
    assert_eq!(place.store.invalidations().unwrap(), 1);
    assert_eq!((settled, found), (vec![Some(2); 4], right));
    is_proved(&place);
}
