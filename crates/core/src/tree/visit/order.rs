//! The order of a position's moves, its candidates, and complete lists (ALGORITHM, section 4).

use crate::chess::Value;

use crate::tree::graph::{Graph, NodeId};

/// A move that counts, with its alpha after some path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedMove {
    /// Its place among the position's moves that count ([`Graph::moves`]).
    pub index: usize,
    /// Its value for the mover.
    pub alpha: Value,
}

/// The distance that counts beside a best move of this value: none beside a mate.
pub fn reach(best: Value, distance: u32) -> u32 {
    if best.is_mate() { 0 } else { distance }
}

/// True if a move of this value is a candidate without being the first.
pub fn is_candidate(value: Value, best: Value, distance: u32) -> bool {
    i64::from(value.get()) > best.less(distance)
}

/// `is_candidate` with the distance of the ply: none beside a mate.
pub fn is_within(value: Value, best: Value, distance: u32) -> bool {
    is_candidate(value, best, reach(best, distance))
}

/// Sorts moves by alpha, greatest first; of equal ones those that are listed by rank, then the others by
/// UCI text.
pub fn sort_moves(moves: &mut [RankedMove]) {
    moves.sort_unstable_by_key(|m| (std::cmp::Reverse(m.alpha), m.index));
}

/// Progress of a position's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed {
    /// Number of listed moves.
    pub moves: usize,
    /// Number of them that are not excluded.
    pub counting: usize,
    /// Number of legal moves.
    pub legal: usize,
    /// The least score in the list; None if it is empty.
    pub least: Option<Value>,
}

impl Listed {
    /// The list of a position.
    pub fn of(graph: &Graph, node: NodeId) -> Listed {
        let list = graph.list(node);
        Listed {
            moves: list.len(),
            counting: graph.listed_that_count(node),
            legal: graph.legal_moves(node),
            least: list.iter().map(|edge| edge.eval).min(),
        }
    }

    /// True if no unlisted move can be among the first moves or a candidate: every legal move is
    /// listed; or the least score in the list is a distance away from the best, and `moves` moves
    /// are listed that are not excluded. Each search bounds all moves not yet listed.
    pub fn is_complete(&self, best: Value, distance: u32, moves: usize) -> bool {
        let is_far = |least: Value| i64::from(least.get()) <= best.less(distance);
        self.moves >= self.legal || self.counting >= moves && self.least.is_some_and(is_far)
    }
}
