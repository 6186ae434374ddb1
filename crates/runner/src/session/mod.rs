//! Interactive analysis of a position: for a GUI, a web page, another program.
//!
//! A [`Session`] has engines and a database. A question ([`SessionQuestion`]) gives a
//! [`SessionSearch`], an iterator that waits for the next event: reports, notes, and at last the
//! move. Known results are reported at once, and not forgotten while a run comes to them again; the
//! run keeps its answers as any other does.
//!
//! When to report, and when a search must answer, is decided in `goal.rs`, which has neither a
//! clock nor a thread.
#![deny(clippy::indexing_slicing)]

mod extended;
mod goal;
mod memory;
mod quick;
mod runs;
mod search;
#[cfg(test)]
mod tests;
mod verdict;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use shakmaty::uci::UciMove;

pub use goal::{SearchGoal, Time};
pub use runs::Readiness;
pub use search::SessionSearch;

use quick::QuickSearcher;
pub(crate) use quick::quick_line;
use runs::{EngineRoom, SessionRuns};

use crate::closing::ClosingPlan;
use crate::control::Wakers;
use crate::job::{Job, Keeping, Schedule, TreePlan};
use deepanalyze_core::chess::Game;
use deepanalyze_core::search::Profile;
use deepanalyze_core::tree::Breadth;
use deepanalyze_engine::{Offer, Settings};
use deepanalyze_store::RootOrigin;
use deepanalyze_view::Line;

/// Time for runs to keep their last answers.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Engines and a database, ready to analyse. All copies are one session.
#[derive(Debug, Clone)]
pub struct Session {
    shared: Arc<SessionShared>,
}

/// The shared state.
#[derive(Debug)]
struct SessionShared {
    current: Mutex<SessionCurrent>,
    quick: QuickSearcher,
    runs: SessionRuns,
}

/// Settings for the next question.
#[derive(Debug, Clone)]
struct SessionCurrent {
    settings: Arc<SessionSettings>,
    engines: Arc<EngineRoom>,
}

impl SessionCurrent {
    fn new(settings: SessionSettings) -> SessionCurrent {
        let engines = Arc::new(EngineRoom::new(&settings));
        SessionCurrent { settings: Arc::new(settings), engines }
    }
}

impl Session {
    /// A session that has started nothing yet.
    ///
    /// # Errors
    ///
    /// If the system gives no thread.
    pub fn new(settings: SessionSettings) -> std::io::Result<Session> {
        let current = Mutex::new(SessionCurrent::new(settings));
        let (quick, runs) = (QuickSearcher::start()?, SessionRuns::default());
        Ok(Session { shared: Arc::new(SessionShared { current, quick, runs }) })
    }

    /// Applies other settings from the next question on. Other engines are started when needed;
    /// earlier ones go when their searches are done.
    pub fn configure(&self, settings: SessionSettings) {
        let mut current = self.lock();
        if current.settings.has_same_engines(&settings) {
            current.settings = Arc::new(settings);
        } else {
            *current = SessionCurrent::new(settings);
        }
    }

    /// Starts the engines unless started, without waiting.
    pub fn prepare(&self) {
        self.current().engines.begin();
    }

    /// Starts the engines unless started, and waits this long.
    pub fn ready(&self, patience: Duration) -> Readiness {
        self.current().engines.ready(patience)
    }

    /// The engines' options, once they are up.
    pub fn offers(&self) -> Option<Vec<Offer>> {
        self.current().engines.offers()
    }

    /// The engine's name and options, once it is up; ignore the limit.
    pub fn profile(&self) -> Option<Profile> {
        Some(self.current().engines.engines()?.ok()?.profile().clone())
    }

    /// Begins with a question.
    pub fn analyse(&self, question: SessionQuestion) -> SessionSearch {
        let SessionCurrent { settings, engines } = self.current();
        SessionSearch::begin(question, settings, engines, &self.shared.quick, &self.shared.runs)
    }

    /// Waits until the runs of answered questions have kept their answers; they do so at once,
    /// unless the database is locked. With the last copy of the session the engines end.
    pub fn end(self) {
        self.shared.runs.wait_for_all(LAST_WORDS);
    }

    fn current(&self) -> SessionCurrent {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, SessionCurrent> {
        self.shared.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
/// If the engines search to one limit, the tree grows on while there is time.
const FAR: u32 = 250;

/// Settings of a session.
#[derive(Debug, Clone)]
pub struct SessionSettings {
    /// The database, made if missing.
    pub database: PathBuf,
    /// The engines.
    pub engines: Settings,
    /// How deep they search.
    pub schedule: Schedule,
    /// How trees are grown; the root's minimum of moves is the question's.
    pub tree: TreePlan,
    /// The depth of the tree to settle in each stage.
    pub depth: u32,
    /// True if engines that would be idle search what will probably be asked.
    pub look_ahead: bool,
}

/// A position to analyse.
#[derive(Debug, Clone)]
pub struct SessionQuestion {
    /// The game up to it.
    pub game: Game,
    /// Number of lines to report, each of another move; the root's minimum of moves.
    pub lines: u32,
    /// The only moves to consider, in this program's spelling and legal; empty for all. Not stored.
    pub only: Vec<UciMove>,
    /// When to answer.
    pub goal: SearchGoal,
}

impl SessionQuestion {
    /// True if a line with this first move is wanted.
    fn asks_for(&self, first: Option<&UciMove>) -> bool {
        first.is_some_and(|first| self.only.is_empty() || self.only.contains(first))
    }
}

impl SessionSettings {
    /// True if engines started by one can work for the other. Orphaned answers go to the database,
    /// so it counts.
    fn has_same_engines(&self, other: &SessionSettings) -> bool {
        let (mine, theirs) = (&self.engines, &other.engines);
        let same = (&mine.sources, &mine.options, mine.keep_hash);
        same == (&theirs.sources, &theirs.options, theirs.keep_hash)
            && self.database == other.database
    }
}

/// The run for a question.
fn job(settings: &SessionSettings, question: &SessionQuestion) -> Job {
    let deep = match settings.schedule {
        Schedule::Once(_) => settings.depth.max(FAR),
        Schedule::Stages { .. } => settings.depth,
    };
    let is_kept = question.only.is_empty() && question.goal.is_worth_a_tree();
    let count = usize::try_from(question.lines).unwrap_or(usize::MAX);
    let (game, breadth) = (question.game.clone(), breadth(settings, question));
    let tree = TreePlan { breadth, ..settings.tree.clone() };
    Job {
        closing: if is_kept && settings.schedule.has_stages() {
            ClosingPlan::Alternating
        } else {
            ClosingPlan::None
        },
        look_ahead: settings.look_ahead,
        origin: RootOrigin::WRITTEN_GAME,
        lines: count,
        keeping: if is_kept {
            Keeping::Tree
        } else {
            Keeping::AnswersAlone { only: question.only.clone() }
        },
        ..Job::new(game, tree, settings.schedule, question.goal.depth.unwrap_or(deep))
    }
}

/// The distances, with as many moves of the root as lines asked for.
fn breadth(settings: &SessionSettings, question: &SessionQuestion) -> Breadth {
    Breadth { least: question.lines.max(1), ..settings.tree.breadth.clone() }
}

/// Stops a search, or announces that the expected move was played. All copies steer the same one;
/// it reacts at once.
#[derive(Debug, Clone, Default)]
pub struct SessionSteering {
    is_stopped: Arc<AtomicBool>,
    is_ponder_hit: Arc<AtomicBool>,
    wakers: Wakers,
}

impl SessionSteering {
    /// The search answers now.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        self.wakers.wake();
    }

    /// The expected move was played: the clock counts.
    pub fn ponder_hit(&self) {
        self.is_ponder_hit.store(true, Ordering::SeqCst);
        self.wakers.wake();
    }
}

/// The events of a question, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionEvent {
    /// The verdict on the position so far.
    Report(Report),
    /// A message for people.
    Note(String),
    /// The answer, which is the last event.
    Best {
        /// The move to play; `None` if the game is over.
        best: Option<UciMove>,
        /// The reply to expect.
        ponder: Option<UciMove>,
    },
}

/// The verdict on a position at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Plies: the depth of the engine's searches, and the settled depth of the tree.
    pub depth: u32,
    /// The greatest depth behind the best lines, in plies from the root.
    pub seldepth: u32,
    /// Engine nodes of this search; known answers cost none.
    pub nodes: u64,
    /// Since the search began.
    pub time: Duration,
    /// The best line first, without a move if the game is over. Each goes on beyond the tree's edge
    /// with the engine's own line. Its wins, draws and losses are those of the engine in use, or as
    /// they follow from its value in games of the built-in engine, if the value is that one's.
    pub lines: Vec<Line>,
}
