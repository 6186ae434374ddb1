//! Why a duel fails.

use deepanalyze_core::tree::IllegalMove;
use deepanalyze_engine::EngineError;
use deepanalyze_runner::{RunError, SearcherError};
use deepanalyze_store::StoreError;

/// Why a duel failed. Whatever was answered before is kept.
#[derive(Debug, thiserror::Error)]
pub enum DuelError {
    /// An answer could not be had.
    #[error(transparent)]
    Searcher(#[from] SearcherError),
    /// An engine does not say how many nodes it searched: there is nothing to make equal.
    #[error("engine {0:?} reports no nodes: a duel cannot give both arms as many")]
    NoNodes(String),
    /// An answer is no legal move: a fault of this program, which lets none in.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// A tree without a move: a fault of this program.
    #[error("the tree of {0} has no move")]
    NoMove(String),
    /// A run in virtual time.
    #[error(transparent)]
    Run(#[from] RunError),
    /// There is no folder for the memo of a run in virtual time.
    #[error("cannot make a temporary folder: {0}")]
    Folder(std::io::Error),
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

impl From<StoreError> for DuelError {
    fn from(error: StoreError) -> DuelError {
        DuelError::Searcher(error.into())
    }
}

impl From<EngineError> for DuelError {
    fn from(error: EngineError) -> DuelError {
        DuelError::Searcher(error.into())
    }
}
