//! Why a run fails.

use crate::engine::EngineError;
use crate::store::StoreError;

use super::serial::DeskError;

/// Why a run failed. Whatever was answered before is kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A thread of the engines has ended by itself: a fault of this program.
    #[error("a thread that drives an engine has failed: a fault of this program")]
    EnginesGone,
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// The closing search.
    #[error(transparent)]
    Closing(Box<DeskError>),
}

impl From<DeskError> for RunError {
    fn from(error: DeskError) -> RunError {
        match error {
            DeskError::Store(error) => error.into(),
            DeskError::Engine(error) => error.into(),
            DeskError::EnginesGone => RunError::EnginesGone,
            error @ (DeskError::HashLost { .. } | DeskError::Stopped) => {
                RunError::Closing(error.into())
            }
        }
    }
}
