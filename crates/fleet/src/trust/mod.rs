//! Whether a worker's engine is the same as ours: what answers are compared by, and who is believed.
//! Neither a connection nor a clock.

mod canaries;
mod doubles;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Score;
use deepanalyze_core::search::Answer;

use super::message::Token;

pub use canaries::{Canaries, CanaryVerdict, Judge};
pub use doubles::{ComparisonOutcome, Doubles, Lacking};

/// What an engine that is deterministic says again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Testimony {
    best: UciMove,
    score: Score,
    nodes: u64,
}

impl Testimony {
    /// Of an answer.
    pub fn of(answer: &Answer) -> Testimony {
        Testimony { best: answer.best, score: answer.score, nodes: answer.nodes }
    }
}

impl std::fmt::Display for Testimony {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.score {
            Score::Cp(cp) => write!(f, "{} ({cp} cp, {} nodes)", self.best, self.nodes),
            Score::Mate(moves) => write!(f, "{} (mate {moves}, {} nodes)", self.best, self.nodes),
        }
    }
}

/// Who has searched.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Witness {
    /// The grower's own engine: what it says is right.
    Own,
    /// A worker.
    Worker(Token),
}
