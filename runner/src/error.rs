//! Why a run fails.

use deepanalyze_core::chess::TablesError;
use deepanalyze_core::tree::IllegalMove;
use deepanalyze_engine::EngineError;
use deepanalyze_store::StoreError;

use super::serial::SearcherError;

/// Why a run failed. Whatever was answered before is kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Endgame tables that are there and cannot be read.
    #[error("{}", .0.in_full())]
    Tables(TablesError),
    /// A thread of the engines has ended by itself: a fault of this program.
    #[error("a thread that drives an engine has failed: this is a bug in deepanalyze")]
    EnginesGone,
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// An answer is no legal move where it was given.
    #[error("a damaged answer: {0}")]
    Illegal(#[from] IllegalMove),
    /// The run failed, and what was answered last could not be written after that.
    #[error("{error}; the last answers are lost")]
    Unsaved {
        /// Why the run failed.
        error: Box<RunError>,
        /// Why nothing could be written.
        #[source]
        save: StoreError,
    },
    /// The closing search.
    #[error(transparent)]
    Closing(Box<SearcherError>),
}

impl From<TablesError> for RunError {
    fn from(error: TablesError) -> RunError {
        RunError::Tables(error)
    }
}

impl RunError {
    /// Whether the database could not be written or read. A damaged answer in it says nothing of the others.
    pub(super) fn is_of_writing(&self) -> bool {
        matches!(self, RunError::Store(error) if !matches!(error, StoreError::Damaged { .. }))
    }
}

impl From<SearcherError> for RunError {
    fn from(error: SearcherError) -> RunError {
        match error {
            SearcherError::Store(error) => error.into(),
            SearcherError::Engine(error) => error.into(),
            SearcherError::EnginesGone => RunError::EnginesGone,
            error @ (SearcherError::HashLost { .. } | SearcherError::Stopped) => {
                RunError::Closing(error.into())
            }
        }
    }
}
