//! Comparison of a worker's engine with ours: the evidence, and whom to trust. Without a connection
//! or a clock.

mod canaries;
mod doubles;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Score;
use deepanalyze_core::search::Answer;

use super::message::Token;

pub use canaries::{Canaries, CanaryVerdict, Judge};
pub use doubles::{ComparisonOutcome, Doubles, Lacking};

/// The repeatable part of an answer.
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

/// A searcher.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Witness {
    /// The grower's own engine: always right.
    Own,
    /// A worker.
    Worker(Token),
}
