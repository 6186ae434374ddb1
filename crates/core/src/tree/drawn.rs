//! Positions where a draw is best: its cause, and the cost of the best move that avoids it.

use super::behind::{LineEnd, line_end};
use super::graph::{Graph, NodeId};
use super::values::Values;
use super::variation::{RootMove, best_move_behind, moves_behind, root_moves, way};
use crate::chess::{Ending, GivenValue, Value, Wdl};
use shakmaty::uci::UciMove;

/// Cause of a draw at the end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawnBy {
    /// The last move returns to a position: the one behind this many moves of the line, or, if
    /// None, one before the line.
    Repetition(Option<usize>),
    /// The side to move has no move.
    Stalemate,
    /// Neither side can ever mate with the material left.
    Material,
    /// Tables call it drawn, with this result for its side to move.
    Tables(Wdl),
    /// The user's word.
    Given,
}

/// A position whose best line ends in a draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnBest {
    /// The best move, with the line that ends in a draw.
    pub best: RootMove,
    /// The cause of that draw.
    pub by: DrawnBy,
    /// The best move whose line does not end in one; None if all do.
    pub avoiding: Option<RootMove>,
}

impl DrawnBest {
    /// The cost of avoiding the draw, in centipawns; None if no move does, or the one that does is
    /// mated.
    pub fn cost(&self) -> Option<u32> {
        let avoiding = self.avoiding.as_ref().filter(|avoiding| !avoiding.alpha.is_mate())?;
        Some(u32::from(self.best.alpha.get().abs_diff(avoiding.alpha.get())))
    }
}

/// The draw, if it is best, in the position that a path of the tree from its root ends with, by the
/// lines of best alphas.
pub fn drawn_best(graph: &Graph, values: &Values, path: &[NodeId]) -> Option<DrawnBest> {
    let last = *path.last()?;
    let (_, alpha) = best_move_behind(graph, values, path)?;
    if alpha != graph.drawn(last) {
        return None;
    }
    let mut moves = moves_behind(graph, values, path).into_iter();
    let best = moves.next()?;
    let by = drawn_by(graph, values, path, &best)?;
    let avoiding = moves.find(|other| drawn_by(graph, values, path, other).is_none());
    Some(DrawnBest { best, by, avoiding })
}

/// The moves of the root that the tree knows as draws, if a draw is worth less than the best move,
/// and is not worth 0: an engine that does not know the value of a draw may take one for the best.
pub fn shunned_draws(graph: &Graph, values: &Values, root: NodeId) -> Vec<UciMove> {
    let drawn = graph.drawn(root);
    let moves = if drawn == Value::EVEN { Vec::new() } else { root_moves(graph, values, root) };
    let best = moves.first().map(|best| best.alpha);
    let is_shunned = |m: &RootMove| {
        m.alpha == drawn && best > Some(drawn) && drawn_by(graph, values, &[root], m).is_some()
    };
    moves.into_iter().filter(is_shunned).map(|m| m.uci).collect()
}

/// The cause of a draw at the end of a move's line; None if it is none.
fn drawn_by(graph: &Graph, values: &Values, path: &[NodeId], first: &RootMove) -> Option<DrawnBy> {
    match line_end(graph, values, path, &first.line) {
        LineEnd::Repetition => {
            let start = *path.last()?;
            let line = [vec![start], way(graph, start, &first.line)].concat();
            let (again, before) = line.split_last()?;
            Some(DrawnBy::Repetition(before.iter().position(|node| node == again)))
        }
        LineEnd::Over(Ending::Stalemate) => Some(DrawnBy::Stalemate),
        LineEnd::Over(Ending::InsufficientMaterial) => Some(DrawnBy::Material),
        LineEnd::Known(known) if known.value == Value::EVEN => Some(DrawnBy::Tables(known.wdl)),
        LineEnd::Value(GivenValue::Draw) => Some(DrawnBy::Given),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
