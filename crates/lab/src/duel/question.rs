//! Single searches with their cost, as a laboratory asks them.

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Score;
use deepanalyze_core::search::{HashContents, Limit};

/// The engine's hash when a search begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HashState<'a> {
    /// Nothing.
    Cleared,
    /// The state left by the searches since the hash was last cleared, in their order.
    Kept(&'a HashContents),
}

/// One search.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The position; never a finished one.
    pub position: Chess,
    /// The moves that are left out, in the order of their ranks.
    pub excluded: Vec<UciMove>,
    /// Moves that other engines search, left out, too; they have no ranks. Only on a kept hash,
    /// whose contents name the others.
    pub elsewhere: Vec<UciMove>,
    /// How long to search.
    pub limit: Limit,
    /// On which hash.
    pub memory: HashState<'a>,
}

impl<'a> Question<'a> {
    /// A search of all moves of a position.
    pub fn new(position: Chess, limit: Limit, memory: HashState<'a>) -> Question<'a> {
        Question { position, excluded: Vec::new(), elsewhere: Vec::new(), limit, memory }
    }
}

/// An answer and its price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reply {
    /// The best of the searched moves.
    pub uci: UciMove,
    /// Its score for its mover.
    pub score: Score,
    /// Engine nodes of the search, as reported.
    pub nodes: u64,
}
