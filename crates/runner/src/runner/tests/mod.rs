//! Several runs side by side in virtual time: it passes only while all of them wait.

mod at_once;
mod changing;
mod ending;
mod enqueueing;
mod failing;
mod games;
mod sharing;
mod tables;
mod until;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::control::ControlReceiver;
use crate::facts::{GamesUse, TableUse};
use crate::job::Job;
use crate::job::Schedule;
use crate::queue::grow;
use crate::tests::made_up::{answer, profile};
use deepanalyze_core::chess::{DrawValue, Game};
use deepanalyze_core::search::Answer;
use deepanalyze_engine::{EngineError, FakeEngines, FakeSearch, FakeStart, Reason};
use deepanalyze_store::{AgendaRow, Store};

const MS: Duration = Duration::from_millis(1);

/// The searches begun, with times.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<FakeStart>>>);

impl Log {
    fn begun(&self) -> Vec<FakeStart> {
        self.0.lock().unwrap().clone()
    }

    /// The times at which searches of a root with this many rooks have begun.
    fn times_of(&self, rooks: usize) -> Vec<Duration> {
        use shakmaty::Position;
        let of_it = |start: &&FakeStart| start.search.position.board().rooks().count() == rooks;
        self.begun().iter().filter(of_it).map(|start| start.at).collect()
    }
}

/// Roots without common positions: no rook is taken in so few moves.
const TWO_ROOKS: &str = "4k3/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQ - 0 1";
const ONE_ROOK: &str = "4k3/pppppppp/8/8/8/8/PPPPPPPP/R3K3 w Q - 0 1";
const NO_ROOKS: &str = "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1";

/// A database, and the engines' searches.
struct Place {
    folder: tempfile::TempDir,
    log: Log,
    tables: Option<TableUse>,
    games: Option<GamesUse>,
}

/// A timed act of the engines.
type Action = (Duration, Box<dyn FnOnce() + Send>);

impl Place {
    fn new() -> Place {
        Place {
            folder: tempfile::tempdir().unwrap(),
            log: Log::default(),
            tables: None,
            games: None,
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("tree.db")
    }

    fn store(&self) -> Store {
        Store::open(&self.file()).unwrap()
    }

    /// An agenda with this many engines, the ends of their searches, and timed acts.
    fn agenda_with(
        &self,
        count: usize,
        script: impl FnMut(&FakeStart) -> FakeSearch + Send + 'static,
        actions: Vec<Action>,
    ) -> Runner {
        let (log, mut script) = (self.log.clone(), script);
        let make = move || -> Box<dyn Engines> {
            let mut engines = FakeEngines::new(count, profile(), move |start| {
                log.0.lock().unwrap().push(start.clone());
                script(start)
            });
            actions.into_iter().for_each(|(time, action)| engines.at(time, action));
            Box::new(engines)
        };
        let (tables, games) = (self.tables.clone(), self.games.clone());
        let settings = RunnerSettings { depth: 2, look_ahead: true, tables, games };
        Runner::start_with(&self.file(), make, settings).unwrap()
    }

    /// An agenda with equal search times.
    fn agenda(&self, count: usize, takes: Duration) -> Runner {
        self.agenda_with(count, taking(takes), Vec::new())
    }

    /// Puts growing roots with their weights on the agenda for the next opening.
    fn plan(&self, roots: &[(&str, u32, u32)]) -> Vec<AnalysisId> {
        let agenda = self.agenda(1, MS);
        let roots = roots.iter();
        let ids: Vec<AnalysisId> = roots
            .map(|(fen, weight, depth)| {
                agenda.add(&root(fen), &amended(Some(*weight), Some(*depth))).unwrap().id
            })
            .collect();
        agenda.end();
        let mut store = self.store();
        for row in store.agenda().unwrap() {
            store.put_on_agenda(&AgendaRow { growing: true, ..row }).unwrap();
        }
        ids
    }
}

fn taking(takes: Duration) -> impl FnMut(&FakeStart) -> FakeSearch + Send + 'static {
    move |start| said(start).taking(takes)
}

/// The engine's answer to a search, at any depth.
fn said(start: &FakeStart) -> FakeSearch {
    FakeSearch::ending(Ok(Answer { ..answer(&start.search) }))
}

fn gave_up(start: &FakeStart) -> FakeSearch {
    let fen = deepanalyze_core::chess::fen_of(&start.search.position);
    let error = |reason| EngineError { engine: "Made up".to_owned(), command: None, reason };
    let last = Box::new(error(Reason::Stopped));
    FakeSearch::ending(Err(error(Reason::GaveUp { fen, attempts: 3, last })))
}

fn game(fen: &str) -> Game {
    Game::from_start(fen).unwrap()
}

/// A depth that no root reaches.
const FAR: u32 = 40;

fn state(entries: &[RootEntry]) -> &EntryState {
    &entries[0].state
}

/// One analysis of a root to depth 2.
fn root(fen: &str) -> Job {
    lone_job(fen, 2)
}

/// Adds a root with no other settings.
fn added(agenda: &Runner, job: &Job) -> Result<Added, RunnerError> {
    agenda.add(job, &Amendment::default())
}

/// Settings of a root's weight and depth, whether new or not.
fn amended(weight: Option<u32>, depth: Option<u32>) -> Amendment {
    Amendment { weight, depth, ..Amendment::default() }
}

/// Waits for this state of the agenda.
fn wait_until(agenda: &Runner, is_so: impl Fn(&[RootEntry]) -> bool) {
    let changes = agenda.subscribe();
    while !is_so(&agenda.entries()) {
        assert!(changes.recv_timeout(Duration::from_secs(300)).is_ok(), "{:?}", states(agenda));
    }
}

fn states(agenda: &Runner) -> Vec<EntryState> {
    agenda.entries().into_iter().map(|entry| entry.state).collect()
}

fn all_done(entries: &[RootEntry]) -> bool {
    entries.iter().all(|entry| matches!(entry.state, EntryState::Done(_)))
}

/// The kept tree of a root: its positions with their values, and its verdicts.
fn tree(place: &Place, fen: &str) -> (Vec<String>, Vec<String>) {
    let db = rusqlite::Connection::open(place.file()).unwrap();
    let read = |sql: &str| -> Vec<String> {
        let mut query = db.prepare(sql).unwrap();
        let rows = query.query_map([fen], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let nodes = "SELECT epd || ' ' || ply || ' ' || admitted || ' ' || idea FROM node
        JOIN position ON position.id = node.position JOIN analysis ON analysis.id = node.analysis
        WHERE root = ?1 ORDER BY epd";
    let settled = "SELECT depth || ' ' || passes || ' ' || settled.searches || ' ' || value
        FROM settled JOIN analysis ON analysis.id = settled.analysis WHERE root = ?1 ORDER BY depth";
    (read(nodes), read(settled))
}

/// The tree of a run that has the engines alone.
fn lone_tree(fen: &str, depth: u32) -> (Vec<String>, Vec<String>) {
    let place = Place::new();
    let job = lone_job(fen, depth);
    let mut engines = crate::tests::made_up::engines(3, |_| 10 * MS);
    let never = ControlReceiver::never();
    grow(&job, &mut place.store(), &mut engines, &never, &mut |_| {}).unwrap();
    tree(&place, fen)
}

fn lone_job(fen: &str, depth: u32) -> Job {
    Job::new(game(fen), 8, Schedule::Once(profile().limit), depth)
}
