//! Why a duel fails.

use crate::engine::EngineError;
use crate::store::StoreError;

/// Why a duel failed. Whatever was answered before is kept.
#[derive(Debug, thiserror::Error)]
pub enum DuelError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The engines' threads have ended by themselves: a fault of this program.
    #[error("the engine pool has gone")]
    EnginesGone,
    /// An engine does not say how many nodes it searched: there is nothing to make equal.
    #[error("engine {0:?} reports no nodes: a duel cannot give both arms as many")]
    NoNodes(String),
    /// An engine dies again and again while its hash is to be kept.
    #[error(
        "engine {engine:?} failed again and again in the tree of {epd}, whose hash is to be kept"
    )]
    HashLost {
        /// The engine.
        engine: String,
        /// The position of the search.
        epd: String,
    },
    /// A tree without a move: a fault of this program.
    #[error("the tree of {0} has no move")]
    NoMove(String),
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// The run is to end: no failure, and never seen outside.
    #[error("stopped")]
    Stopped,
}
