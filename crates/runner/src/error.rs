//! Failures of runs and of operations on roots.

use deepanalyze_core::chess::{Ending, TablesError};
use deepanalyze_core::search::Profile;
use deepanalyze_core::tree::IllegalMove;
use deepanalyze_engine::EngineError;
use deepanalyze_store::{AnalysisId, KeptGameSet, StoreError};

use crate::facts::CountError;

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
    #[error("it needs the set of games {}, which is not here", .0.name)]
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

/// The engine with its options, without its limit.
fn words(profile: &Profile) -> String {
    let options = profile.described_options().into_iter();
    let options: Vec<String> = options.map(|(name, value)| format!(", {name}={value}")).collect();
    profile.engine.clone() + &options.concat()
}
