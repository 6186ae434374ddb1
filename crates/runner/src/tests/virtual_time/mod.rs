//! Whole runs with engines in virtual time: nothing sleeps, and every moment is exact.

mod asking;
mod batches;
mod closing;
mod deleting;
mod directing;
mod drawing;
mod endings;
mod failures;
mod finding;
mod invalidating;
mod keeping;
mod older;
mod playing;
mod rechecking;
mod second;
mod stages;
mod steering;
mod tables;
mod traps;
mod until_stable;
mod verifying;

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use deepanalyze_core::chess::Game;
use deepanalyze_core::search::Search;
use deepanalyze_engine::{FakeEngines, FakeSearch};
use deepanalyze_store::Store;

use crate::control::ControlReceiver;
use crate::control::limits::RunLimits;
use crate::job::{Job, Schedule};
use crate::outcome::{RunError, RunOutcome};
use crate::queue::grow;
use crate::tests::made_up::{answer, profile};

/// Milliseconds.
const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// A begun search: when, and what.
type Begun = (Duration, Search);

/// The searches begun so far.
#[derive(Clone, Default)]
struct Log(Rc<RefCell<Vec<Begun>>>);

impl Log {
    /// Engines whose searches all take this time, and are logged here.
    fn engines(&self, count: usize, takes: Duration) -> FakeEngines {
        let log = self.clone();
        FakeEngines::new(count, profile(), move |start| {
            log.0.borrow_mut().push((start.at, start.search.clone()));
            FakeSearch::ending(Ok(answer(&start.search))).taking(takes)
        })
    }

    fn begun(&self) -> Vec<Begun> {
        self.0.borrow().clone()
    }

    fn last_begun(&self) -> Duration {
        self.begun().iter().map(|begun| begun.0).max().unwrap()
    }
}

/// A database.
struct Place {
    folder: tempfile::TempDir,
    store: Store,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tree.db")).unwrap();
        Place { folder, store }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("tree.db")
    }

    /// Another connection.
    fn connect(&self) -> Store {
        Store::open(&self.file()).unwrap()
    }

    /// Grows the tree of the starting position.
    fn grow(
        &mut self,
        (depth, limits): (u32, RunLimits),
        engines: &mut FakeEngines,
        control: &ControlReceiver,
    ) -> Result<RunOutcome, RunError> {
        let job = Job { depth, limits, ..job() };
        grow(&job, &mut self.store, engines, control, &mut |_| {})
    }
}

/// The starting position to depth 2.
fn job() -> Job {
    let (game, schedule) = (Game::from_start("startpos").unwrap(), Schedule::Once(profile().limit));
    Job::new(game, 8, schedule, 2)
}

/// True if the answer of a search is in the database.
fn is_stored(store: &mut Store, search: &Search) -> bool {
    let profile = store.profile_id(&profile()).unwrap();
    store.answer(profile, &search.position, search.excluded.len()).unwrap().is_some()
}

/// Number of begun searches that are not in the database.
fn lost(store: &mut Store, log: &Log) -> usize {
    log.begun().iter().filter(|(_, search)| !is_stored(store, search)).count()
}
