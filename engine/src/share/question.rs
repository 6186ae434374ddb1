//! What runs ask, and answers that nobody waits for any more.

use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::search::{Answer, Limit, Search, WorkerId};

/// What is nobody's: no run is there to take it in, or it is the business of all.
#[derive(Debug, Clone)]
pub enum Unclaimed {
    /// The answer of a search whose run is gone.
    Answer(Box<Orphan>),
    /// A worker is found wrong: what it gave to any run is to be taken back.
    Disbelieved {
        /// Which.
        worker: WorkerId,
        /// How it was found wrong.
        why: String,
    },
}

/// The answer of a search whose run is gone.
#[derive(Debug, Clone)]
pub struct Orphan {
    /// What was searched.
    pub search: Search,
    /// How long it was to go on.
    pub limit: Limit,
    /// Whether what was on the hash stayed there.
    pub keep_hash: bool,
    /// What the engine said.
    pub answer: Answer,
    /// The worker of a fleet that has said it; none where an engine of this computer has.
    pub worker: Option<WorkerId>,
}

/// What a run asks.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub(super) search: Search,
    pub(super) limit: Limit,
    pub(super) keep_hash: bool,
    /// Whether nobody waits for the answer yet.
    pub(super) is_guess: bool,
}

impl Question {
    /// Whether the answer of one is that of the other.
    pub(super) fn is_same(&self, other: &Question) -> bool {
        (self.limit, self.keep_hash) == (other.limit, other.keep_hash)
            && PositionKey::of(&self.search.position) == PositionKey::of(&other.search.position)
            && self.search.excluded == other.search.excluded
    }
}
