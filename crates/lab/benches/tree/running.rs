//! A run's cost beside its engines: growing into a database on the disk, with an engine that
//! answers at once.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use deepanalyze_core::chess::{Game, Score};
use deepanalyze_core::search::{Answer, Limit, Profile, Search};
use deepanalyze_engine::{FakeEngines, FakeSearch};
use deepanalyze_runner::{ControlReceiver, Job, RunLimits, Schedule, grow};
use deepanalyze_store::Store;
use shakmaty::Chess;

use crate::growing::Engine;

/// Searches after which the cost is taken, over the last `WINDOW` of them.
const MARKS: [u64; 3] = [10_000, 100_000, 1_000_000];
const WINDOW: u64 = 5000;

/// When searches began, and the engine's own share of the time.
struct Watch {
    searches: u64,
    engine: Duration,
    window: Option<(Instant, Duration)>,
}

impl Watch {
    fn search(&mut self) {
        self.searches += 1;
        if MARKS.contains(&(self.searches + WINDOW)) {
            self.window = Some((Instant::now(), self.engine));
        }
        if MARKS.contains(&self.searches)
            && let Some((began, engine)) = self.window.take()
        {
            let own = began.elapsed().saturating_sub(self.engine - engine);
            let micros = own.as_secs_f64() * 1e6 / WINDOW as f64;
            println!("{} searches: {micros:.0} us a search", self.searches);
        }
    }
}

fn answer(engine: &mut Engine, search: &Search) -> Answer {
    let list = engine.list(&search.position);
    let (best, value) = list[search.excluded.len()];
    Answer {
        best,
        score: Score::from(value),
        wdl: None,
        depth: 1,
        seldepth: 1,
        nodes: 30,
        time: Duration::ZERO,
        pv: vec![best],
    }
}

/// A new database, which stays in `target/tmp/`: an empty one, or a copy of the one named by
/// `FROM`.
pub fn store(name: &str) -> Option<Store> {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).ok()?;
    let file = folder.join("tree.db");
    if let Some(from) = std::env::var_os("FROM") {
        std::fs::copy(from, &file).ok()?;
    }
    Store::open(&file).ok()
}

/// An engine that answers at once; `before` runs before each search, and `after` after it with the
/// engine's own time.
pub fn engines(
    mut before: impl FnMut() + 'static,
    mut after: impl FnMut(Duration) + 'static,
) -> FakeEngines {
    let profile = Profile {
        engine: "answers at once".to_owned(),
        options: BTreeMap::new(),
        limit: Limit::Depth(1),
        kept_hash: None,
    };
    let mut engine = Engine::default();
    FakeEngines::new(1, profile, move |search| {
        before();
        let began = Instant::now();
        let answer = answer(&mut engine, &search.search);
        after(began.elapsed());
        FakeSearch::ending(Ok(answer))
    })
}

/// The tree of the starting position, up to `searches` searches.
pub fn job(distance: u32, searches: u64) -> Job {
    let game = Game::from_position(Chess::default());
    let limits = RunLimits { searches: Some(searches), ..RunLimits::default() };
    let schedule = Schedule::Once(Limit::Depth(1));
    Job { limits, look_ahead: false, ..Job::new(game, distance, schedule, 1000) }
}

/// Prints a search's cost for the program itself after 10 thousand, 100 thousand and a million of
/// them. The database stays in `target/tmp/running/`, to be verified and shown, and to go on from a
/// copy of it (`FROM=FILE`) when the machine is quiet.
pub fn report(distance: u32) {
    let Some(mut store) = store("running") else { return };
    let watch = Rc::new(RefCell::new(Watch { searches: 0, engine: Duration::ZERO, window: None }));
    let other = Rc::clone(&watch);
    let mut engines =
        engines(move || watch.borrow_mut().search(), move |took| other.borrow_mut().engine += took);
    let searches = std::env::var("ANSWERS").ok().and_then(|count| count.parse().ok());
    let searches = searches.or(MARKS.last().copied()).unwrap_or_default();
    let never = ControlReceiver::never();
    let outcome = grow(&job(distance, searches), &mut store, &mut engines, &never, &mut |_| {});
    if let Err(error) = outcome {
        println!("{error}");
    }
}
