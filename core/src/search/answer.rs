//! What an engine answers.

use std::time::Duration;

use shakmaty::uci::UciMove;

use crate::chess::Score;

/// What an engine said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The best of the moves that were searched; castling is written e1g1.
    pub best: UciMove,
    /// Its score for the side that plays it.
    pub score: Score,
    /// The engine depth at which that score was found, in plies. Less than was asked where the
    /// engine stops early (a mate, a single move) or was stopped by its node limit.
    pub depth: u32,
    /// The greatest depth reached by an extension, in plies.
    pub seldepth: u32,
    /// Nodes of the whole search, as reported; 0 where the engine does not say.
    pub nodes: u64,
    /// Wall clock from `go` to `bestmove`.
    pub time: Duration,
    /// The line behind the score: legal moves, the first is `best`.
    pub pv: Vec<UciMove>,
}
