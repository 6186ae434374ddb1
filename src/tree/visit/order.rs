//! The order of a position's moves, which of them are candidates, and when a list is complete
//! (ALGORITHM, section 4).

use crate::chess::Value;

use crate::tree::graph::Edge;

/// A listed move with its alpha after some path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedMove {
    /// Its place in the engine's list.
    pub rank: usize,
    /// Its value for the mover.
    pub alpha: Value,
}

/// The move distance at a ply, in centipawns: the whole at plies 0 and 1, then halved with each.
///
/// ```
/// let distances: Vec<u32> = (0..8).map(|ply| deepanalyze::tree::distance_at(20, ply)).collect();
/// assert_eq!(distances, [20, 20, 10, 5, 2, 1, 0, 0]);
/// ```
pub fn distance_at(distance: u32, ply: u32) -> u32 {
    distance.checked_shr(ply.saturating_sub(1)).unwrap_or(0)
}

/// The distance that counts beside a best move of this value: none beside a mate.
pub fn reach(best: Value, distance: u32) -> u32 {
    if best.is_mate() { 0 } else { distance }
}

/// Whether a move of this value is a candidate without being the first.
pub fn is_candidate(value: Value, best: Value, distance: u32) -> bool {
    i64::from(value.get()) > best.less(distance)
}

/// Sorts moves by alpha, greatest first, equal ones by rank.
pub fn sort_moves(moves: &mut [RankedMove]) {
    moves.sort_unstable_by_key(|m| (std::cmp::Reverse(m.alpha), m.rank));
}

/// Whether no unlisted move can be a candidate: every legal move is listed, or the least score in
/// the list is a distance away from the best. Each search bounds all moves not yet listed.
pub fn is_complete(
    listed: usize,
    legal_moves: usize,
    least: Value,
    best: Value,
    distance: u32,
) -> bool {
    listed >= legal_moves || i64::from(least.get()) <= best.less(distance)
}

/// The least score in a list, for its mover.
pub fn least_eval(list: &[Edge]) -> Option<Value> {
    list.iter().map(|edge| edge.eval).min()
}
