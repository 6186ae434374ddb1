//! Whole runs with engines in virtual time: nothing sleeps, and every moment is exact.

mod batches;
mod deleting;
mod directing;
mod endings;
mod failures;
mod keeping;
mod ordering;
mod serial;
mod stages;
mod steering;
mod tables;
mod taking_back;
mod until_stable;
mod verifying;

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use deepanalyze_core::chess::Game;
use deepanalyze_core::search::Search;
use deepanalyze_engine::{FakeEngines, FakeSearch};
use deepanalyze_report::LinesTold;
use deepanalyze_store::Store;

use super::control::ControlReceiver;
use super::control::limits::RunLimits;
use super::error::RunError;
use super::grow::{Plan, RunOutcome};
use super::keeping::Keeping;
use super::made_up::{Deaf, answer, profile};
use super::pass::PassOrder;
use super::schedule::Schedule;
use super::stages::grow;

/// So many milliseconds.
const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// A search that has begun: when, and what.
type Begun = (Duration, Search);

/// The searches that have begun so far.
#[derive(Clone, Default)]
struct Log(Rc<RefCell<Vec<Begun>>>);

impl Log {
    /// So many engines whose searches all take so long, and are written down here.
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
        let plan = Plan { depth, limits, ..plan() };
        grow(&plan, &mut self.store, engines, control, &mut Deaf)
    }
}

/// The starting position to depth 2.
fn plan() -> Plan {
    let (game, limits) = (Game::from_start("startpos").unwrap(), RunLimits::default());
    let schedule = Schedule::Once(profile().limit);
    Plan {
        game,
        name: None,
        breadth: 8.into(),
        tables: None,
        depth: 2,
        schedule,
        limits,
        until_stable: None,
        directives: None,
        look_ahead: true,
        order: PassOrder::default(),
        told: LinesTold::default(),
        keeping: Keeping::default(),
    }
}

/// Whether the answer of a search is in the database.
fn is_stored(store: &mut Store, search: &Search) -> bool {
    let profile = store.profile_id(&profile()).unwrap();
    store.answer(profile, &search.position, search.excluded.len()).unwrap().is_some()
}

/// How many of the searches that have begun are not in the database.
fn lost(store: &mut Store, log: &Log) -> usize {
    log.begun().iter().filter(|(_, search)| !is_stored(store, search)).count()
}
