//! Results of a run; failures of runs and of operations on roots.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};

use deepanalyze_core::chess::{Ending, TableEnd, TablesError};
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::{Graph, IllegalMove, NodeId};
use deepanalyze_engine::EngineError;
use deepanalyze_store::{AnalysisId, KeptGameSet, StoreError};
use deepanalyze_view::{Closing, Line, Rechecked, Stays, describe_nets, is_believed};

use crate::closing::TreeToClose;
use crate::facts::CountError;
use crate::feed::event::{Speaking, as_best_and_others};
use crate::look_ahead::SearchedAhead;

/// The end of a pass, a stage, a run, a closing search, or all roots of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RunEnd {
    /// The depth is settled, or the task done.
    Settled,
    /// The best move is as stable as wanted.
    Stable,
    /// A limit is reached.
    Limit,
    /// On request: by a signal, or by another holder of its control.
    Interrupted,
}

/// Run results.
#[derive(Debug, Clone, Serialize)]
pub struct RunOutcome {
    /// The analysis, with stages the one that counts; `None` without an answer, or if none is
    /// wanted.
    #[serde(serialize_with = "as_number")]
    pub analysis: Option<AnalysisId>,
    /// The limit of its searches.
    pub limit: Limit,
    /// How the run ended.
    pub ending: RunEnd,
    /// The greatest settled depth.
    pub settled_depth: Option<u32>,
    /// Analysed positions of the tree.
    pub positions: u64,
    /// Answers in the tree.
    pub admitted: u64,
    /// Searches of this run.
    pub searches: u64,
    /// Of these, the ones made ahead of need.
    pub ahead: SearchedAhead,
    /// Engine nodes of this run.
    pub nodes: u64,
    /// How long this run took.
    pub elapsed: Duration,
    /// The best lines, as many as the job asks for.
    #[serde(flatten, serialize_with = "as_best_and_others")]
    pub lines: Arc<[Line]>,
    /// The limit of a deeper stage that has not come far enough to count, and its settled depth.
    pub deeper: Option<(Limit, Option<u32>)>,
    /// Why deeper searches would change nothing, if so.
    #[serde(serialize_with = "as_words")]
    pub exhausted: Option<Exhausted>,
    /// The line of the second best move.
    pub second: Option<Box<Line>>,
    /// The best line before this run, with stages that of the one that counted.
    pub before: Option<Box<Line>>,
    /// The chance that the best move stays when the engine searches deeper; only if the run was to
    /// end by it.
    #[serde(serialize_with = "as_chance")]
    pub stays: Option<Stays>,
    /// Result of the run's last closing search.
    pub closing: Option<Box<Closing>>,
    /// Result of the leaves searched deeper at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rechecked: Option<Box<Rechecked>>,
    /// Why the requested closing search was not made, or not to its end.
    #[serde(skip)]
    pub failed: Option<EngineError>,
    /// The tree whose root can be searched once more.
    #[serde(skip)]
    pub(super) tree: Option<Arc<TreeToClose>>,
    /// Its settled depth then.
    #[serde(skip)]
    pub(super) settled_before: Option<u32>,
}

/// Why deeper searches would change nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhausted {
    /// The game is over at the root.
    Over(Ending),
    /// Tablebases know the root: its result for the side to move.
    Known(TableEnd),
    /// Every line ends: in a finished position, in mate, or at a value given by the user.
    Decided,
    /// The engine never searches deeper than this many plies.
    EngineDepth(u32),
    /// No deeper stage.
    LastStage,
}

impl Exhausted {
    /// For a tree whose root is an end; `None` if there is something to search.
    pub(super) fn of_root(graph: &Graph, root: NodeId) -> Option<Exhausted> {
        let known = || graph.known(root).map(Exhausted::Known);
        graph.ending(root).map(Exhausted::Over).or_else(known)
    }

    /// The root's end, for its side to move, in words; `None` if it is no end.
    pub fn end_of_root(self) -> Option<&'static str> {
        match self {
            Exhausted::Over(ending) => Some(ending.name()),
            Exhausted::Known(known) => Some(known.words()),
            Exhausted::Decided | Exhausted::EngineDepth(_) | Exhausted::LastStage => None,
        }
    }

    /// True if a greater depth to settle changes nothing either.
    pub(super) fn is_final(self) -> bool {
        self == Exhausted::Decided || self.end_of_root().is_some()
    }
}

/// As a clause.
impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exhausted::Over(_) => write!(f, "the game is over"),
            Exhausted::Known(_) => write!(f, "the tablebases know the result"),
            Exhausted::Decided => write!(f, "every line is decided"),
            Exhausted::EngineDepth(depth) => {
                write!(f, "the engine searches no deeper than {depth} plies")
            }
            Exhausted::LastStage => write!(f, "there is no deeper stage"),
        }
    }
}

impl RunOutcome {
    /// The best line.
    pub fn best(&self) -> Option<&Line> {
        self.lines.first()
    }

    /// The stage of its best lines.
    pub(super) fn speaking(&self) -> Speaking {
        Speaking { limit: self.limit, settled: self.settled_depth }
    }

    /// Joins the outcomes of a stage and the one before it: the verdict that counts, the one that
    /// counted before the run, and the work of both.
    pub(super) fn after(self, earlier: &RunOutcome) -> RunOutcome {
        let ahead = earlier.ahead + self.ahead;
        let closing = self.closing.clone().or_else(|| earlier.closing.clone());
        let spoke =
            if is_believed(self.settled_before, earlier.settled_before) { &self } else { earlier };
        let (before, settled_before) = (spoke.before.clone(), spoke.settled_before);
        if is_believed(self.settled_depth, earlier.settled_depth) {
            return RunOutcome { ahead, before, settled_before, closing, ..self };
        }
        let RunOutcome { ending, searches, nodes, elapsed, exhausted, .. } = self;
        let deeper = self.analysis.map(|_| (self.limit, self.settled_depth));
        let work = RunOutcome { ending, searches, nodes, elapsed, exhausted, ..earlier.clone() };
        RunOutcome { ahead, deeper, before, settled_before, closing, ..work }
    }

    /// The first stage, grown again after others, perhaps later in the run: its work is the sum.
    #[must_use]
    pub(super) fn instead_of(self, earlier: &RunOutcome) -> RunOutcome {
        let ahead = earlier.ahead + self.ahead;
        let closing = self.closing.clone().or_else(|| earlier.closing.clone());
        let (before, settled_before) = (earlier.before.clone(), earlier.settled_before);
        RunOutcome { ahead, before, settled_before, closing, ..self }
    }

    /// True if deeper searches are next, given stages.
    pub(super) fn goes_deeper(&self) -> bool {
        self.ending == RunEnd::Settled && self.exhausted.is_none()
    }
}

fn as_number<S: Serializer>(analysis: &Option<AnalysisId>, to: S) -> Result<S::Ok, S::Error> {
    analysis.map(|analysis| analysis.0).serialize(to)
}

fn as_words<S: Serializer>(why: &Option<Exhausted>, to: S) -> Result<S::Ok, S::Error> {
    why.map(|why| why.to_string()).serialize(to)
}

fn as_chance<S: Serializer>(stays: &Option<Stays>, to: S) -> Result<S::Ok, S::Error> {
    stays.map(|stays| stays.chance.to_string()).serialize(to)
}

/// Why a run failed. Earlier answers are kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Tablebases present but unreadable.
    #[error("{}", .0.in_full())]
    Tables(TablesError),
    /// A set of games that cannot be read.
    #[error("set of games {0}: {1}")]
    Games(String, CountError),
    /// A thread of the engines has ended by itself: a bug in this program.
    #[error("a thread that drives an engine has failed: this is a bug in deepanalyze")]
    EnginesGone,
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// An answer is illegal in its position.
    #[error("a damaged answer: {0}")]
    Illegal(#[from] IllegalMove),
    /// The run failed, and its last answers could not be written after that.
    #[error("{error}; the last answers are lost")]
    Unsaved {
        /// Why the run failed.
        error: Box<RunError>,
        /// Why nothing could be written.
        #[source]
        save: StoreError,
    },
}

impl From<TablesError> for RunError {
    fn from(error: TablesError) -> RunError {
        RunError::Tables(error)
    }
}

impl RunError {
    /// True if the database could not be written or read. A damaged answer says nothing about the
    /// others.
    pub(super) fn is_of_writing(&self) -> bool {
        matches!(self, RunError::Store(error) if !matches!(error, StoreError::Damaged { .. }))
    }
}

/// Why an agenda operation failed.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// Root not found.
    #[error("there is no analysis {}", .0.0)]
    Unknown(AnalysisId),
    /// The root's answers are another engine's, or one with other options.
    #[error("it was analysed with {}; the engine here is {}", words(root), words(here))]
    OtherEngine {
        /// The root's own profile.
        root: Box<Profile>,
        /// The engine here.
        here: Box<Profile>,
    },
    /// The root's tree uses tablebases of more pieces than are here.
    #[error("it needs {0}-piece tablebases, which are not here")]
    NoTables(u8),
    /// The root's tree knows a set of games that is not here.
    #[error("it needs {}, which is not here", needed(.0))]
    OtherGames(Box<KeptGameSet>),
    /// A new tree is to know games, but none are here.
    #[error("there is no set of games here")]
    NoGames,
    /// A recheck would ask the tree's own searches.
    #[error("its tree already consists of these searches")]
    OwnSearches,
    /// Nothing to search.
    #[error("the game is over: {}", .0.name())]
    Over(Ending),
    /// A bad weight.
    #[error("invalid weight {0}: expected 1 to 100")]
    Weight(u32),
    /// All runs are being ended.
    #[error("the program is shutting down")]
    Ending,
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// A set of games and nets by their names.
fn needed(set: &KeptGameSet) -> String {
    let games = (!set.name.is_empty()).then(|| format!("the set of games {}", set.name));
    let nets = describe_nets(&set.nets).map(|nets| format!("the {nets}"));
    games.into_iter().chain(nets).collect::<Vec<_>>().join(" and ")
}

/// The engine with its options, without its limit.
fn words(profile: &Profile) -> String {
    let options = profile.described_options().into_iter();
    let options: Vec<String> = options.map(|(name, value)| format!(", {name}={value}")).collect();
    profile.engine.clone() + &options.concat()
}
