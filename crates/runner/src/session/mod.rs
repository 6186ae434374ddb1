//! A position that is analysed for somebody who waits: a GUI, a web page, another program.
//!
//! A [`Session`] has engines and a database. What is asked of it ([`SessionQuestion`]) is a [`SessionSearch`], an iterator
//! that waits for the next thing to tell: reports, notes, and at last the move. What is known is told at once,
//! and is not forgotten while a run comes to it again; the run keeps its answers as any other does.
//!
//! What is told when, and when a search must answer, is decided in `goal.rs`, which has neither a clock nor a thread.
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
use deepanalyze_core::chess::{Game, Value};
use deepanalyze_core::search::{Profile, WinDrawLoss};
use deepanalyze_core::tree::Breadth;
use deepanalyze_engine::{Offer, Settings};
use deepanalyze_store::RootOrigin;

/// How long runs may take to keep what they were answered, at the end.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Engines and a database, ready to analyse what is asked. All copies are one session.
#[derive(Debug, Clone)]
pub struct Session {
    shared: Arc<SessionShared>,
}

/// What the copies share.
#[derive(Debug)]
struct SessionShared {
    current: Mutex<SessionCurrent>,
    quick: QuickSearcher,
    runs: SessionRuns,
}

/// What holds for the next question.
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
    /// Where the system gives no thread.
    pub fn new(settings: SessionSettings) -> std::io::Result<Session> {
        let current = Mutex::new(SessionCurrent::new(settings));
        let (quick, runs) = (QuickSearcher::start()?, SessionRuns::default());
        Ok(Session { shared: Arc::new(SessionShared { current, quick, runs }) })
    }

    /// Has other settings hold from the next question on. Other engines are started when they are needed;
    /// those before go when what they search is done with.
    pub fn configure(&self, settings: SessionSettings) {
        let mut current = self.lock();
        if current.settings.has_same_engines(&settings) {
            current.settings = Arc::new(settings);
        } else {
            *current = SessionCurrent::new(settings);
        }
    }

    /// Starts the engines, unless they are started, and waits for nothing.
    pub fn prepare(&self) {
        self.current().engines.begin();
    }

    /// Starts the engines, unless they are started, and waits for them so long.
    pub fn ready(&self, patience: Duration) -> Readiness {
        self.current().engines.ready(patience)
    }

    /// What the engines can be set, where they are there.
    pub fn offers(&self) -> Option<Vec<Offer>> {
        self.current().engines.offers()
    }

    /// The engine's name and options, where it is up; its limit says nothing.
    pub fn profile(&self) -> Option<Profile> {
        Some(self.current().engines.engines()?.ok()?.profile().clone())
    }

    /// Begins with a question.
    pub fn analyse(&self, question: SessionQuestion) -> SessionSearch {
        let SessionCurrent { settings, engines } = self.current();
        SessionSearch::begin(question, settings, engines, &self.shared.quick, &self.shared.runs)
    }

    /// Waits until the runs of questions that are answered have kept what they were answered; they do so at once,
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
/// Where the engines search to one limit, the tree grows on as long as there is time.
const FAR: u32 = 250;

/// What a session works with.
#[derive(Debug, Clone)]
pub struct SessionSettings {
    /// The database, which is made where there is none.
    pub database: PathBuf,
    /// The engines.
    pub engines: Settings,
    /// How deep they search.
    pub schedule: Schedule,
    /// How trees are grown; how many moves the root has at least is the question's.
    pub tree: TreePlan,
    /// The depth of the tree to settle in each stage.
    pub depth: u32,
    /// Whether engines that would be idle search what will probably be asked.
    pub look_ahead: bool,
}

/// A position to analyse.
#[derive(Debug, Clone)]
pub struct SessionQuestion {
    /// The game up to it.
    pub game: Game,
    /// How many lines to tell, each of another move; the root has at least so many moves.
    pub lines: u32,
    /// The only moves to consider, in this program's spelling and legal; none for all. This is kept nowhere.
    pub only: Vec<UciMove>,
    /// When to answer.
    pub goal: SearchGoal,
}

impl SessionQuestion {
    /// Whether a line with this first move is wanted.
    fn asks_for(&self, first: Option<&UciMove>) -> bool {
        first.is_some_and(|first| self.only.is_empty() || self.only.contains(first))
    }
}

impl SessionSettings {
    /// Whether engines that were started by one can work for the other. What they are left with is kept in the
    /// database.
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
        closing: match is_kept && settings.schedule.has_stages() {
            true => ClosingPlan::Alternating,
            false => ClosingPlan::None,
        },
        look_ahead: settings.look_ahead,
        origin: RootOrigin::WRITTEN_GAME,
        lines: count,
        keeping: match is_kept {
            true => Keeping::Tree,
            false => Keeping::AnswersAlone { only: question.only.clone() },
        },
        ..Job::new(game, tree, settings.schedule, question.goal.depth.unwrap_or(deep))
    }
}

/// The distances, with as many moves of the root as lines are asked for.
fn breadth(settings: &SessionSettings, question: &SessionQuestion) -> Breadth {
    Breadth { least: question.lines.max(1), ..settings.tree.breadth.clone() }
}

/// Stops a search, or says that the expected move was played. All copies steer the same one; it hears of it at
/// once.
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

/// What comes of a question, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionEvent {
    /// What is thought of the position by now.
    Report(Report),
    /// Something that people may want to know.
    Note(String),
    /// The answer, which is the last thing told.
    Best {
        /// The move to play; none where the game is over.
        best: Option<UciMove>,
        /// The reply to expect.
        ponder: Option<UciMove>,
    },
}

/// What is thought of a position at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Plies: the depth of the engine's searches, and the depth of the tree that is settled.
    pub depth: u32,
    /// The greatest depth that is behind the best lines, in plies from the root.
    pub seldepth: u32,
    /// Engine nodes of this search; what was known has cost none.
    pub nodes: u64,
    /// Since the search began.
    pub time: Duration,
    /// The best line first. None where the game is over.
    pub lines: Vec<ReportedLine>,
}

/// One line of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedLine {
    /// For the side to move.
    pub value: Value,
    /// How games end for the side to move: by the word of the engine in use, or as they come of such values in games of the
    /// built-in engine, where the value is its. None where nobody has said it.
    pub wdl: Option<WinDrawLoss>,
    /// The tree's line, then the engine's own behind its edge.
    pub moves: Vec<UciMove>,
}
