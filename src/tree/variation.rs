//! The root's moves with the lines that their values come from.

use std::cmp::Reverse;
use std::collections::HashSet;

use shakmaty::uci::UciMove;

use crate::chess::Value;

use super::graph::{Edge, Graph, NodeId};
use super::line::{Line, PathSet};
use super::values::Values;

/// A listed move of the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootMove {
    /// The move.
    pub uci: UciMove,
    /// Its place in the engine's list.
    pub rank: usize,
    /// The engine's score, for the mover.
    pub eval: Value,
    /// Its value whatever the line, for the mover.
    pub idea: Value,
    /// Its value after the root, for the mover.
    pub alpha: Value,
    /// The moves from it on, it among them.
    pub line: Vec<UciMove>,
}

/// The root's listed moves by alpha, best first, ties by rank, each with the line of best alphas that
/// begins with it.
pub fn root_moves(graph: &Graph, values: &Values, root: NodeId) -> Vec<RootMove> {
    let mut line = Line::new(graph, values);
    let path = line.extend(None, root);
    let mut moves: Vec<RootMove> = Vec::new();
    for (rank, edge) in graph.list(root).iter().enumerate() {
        let (alpha, idea) = (line.alpha(edge, path), values.idea_of(graph, edge));
        let uci = edge.uci.unpack();
        let behind = best_line_behind(graph, &mut line, edge.child, path, usize::MAX);
        moves.push(RootMove {
            uci,
            rank,
            eval: edge.eval,
            idea,
            alpha,
            line: [vec![uci], behind].concat(),
        });
    }
    moves.sort_by_key(|m| (Reverse(m.alpha), m.rank));
    moves
}

/// The positions behind the root on the lines of [`root_moves`], as a rehearsal goes through them:
/// the worst move's line first and the best one's last, each from its end to its beginning. Analysed
/// positions only; one that is on several lines comes with the first of them.
pub fn rehearsal(graph: &Graph, values: &Values, root: NodeId) -> Vec<NodeId> {
    let mut positions = Vec::new();
    let mut seen = HashSet::from([root]);
    for root_move in root_moves(graph, values, root).iter().rev() {
        let mut way = way(graph, root, &root_move.line);
        way.reverse();
        way.retain(|node| !graph.list(*node).is_empty() && seen.insert(*node));
        positions.extend(way);
    }
    positions
}

/// The positions that listed moves lead to, one behind the other.
fn way(graph: &Graph, root: NodeId, moves: &[UciMove]) -> Vec<NodeId> {
    let mut node = root;
    let child = |uci: &UciMove| {
        let edge = graph.list(node).iter().find(|edge| edge.uci.unpack() == *uci)?;
        node = edge.child;
        Some(node)
    };
    moves.iter().map_while(child).collect()
}

/// The root's best move and its alpha, for its side to move; nothing where the root is no analysed
/// position.
pub fn best_root_move(graph: &Graph, values: &Values, root: NodeId) -> Option<(UciMove, Value)> {
    let mut line = Line::new(graph, values);
    let path = line.extend(None, root);
    let (edge, alpha) = best(graph, &line, root, path)?;
    Some((edge.uci.unpack(), alpha))
}

/// The best moves by alpha from the position that a path ends with, one after the other, ties by
/// rank: at most so many plies, until the tree's end, a repetition or an ending.
pub fn best_line(
    graph: &Graph,
    line: &mut Line<'_>,
    mut node: NodeId,
    mut path: Option<PathSet>,
    plies: usize,
) -> Vec<UciMove> {
    let mut moves = Vec::new();
    while moves.len() < plies {
        let Some((edge, _)) = best(graph, line, node, path) else {
            break;
        };
        moves.push(edge.uci.unpack());
        node = edge.child;
        if line.repeats(node, path) {
            break;
        }
        path = line.extend(path, node);
    }
    moves
}

/// The best line from a position that a move leads to, the path ending before it: empty where the
/// move repeats.
pub fn best_line_behind(
    graph: &Graph,
    line: &mut Line<'_>,
    node: NodeId,
    path: Option<PathSet>,
    plies: usize,
) -> Vec<UciMove> {
    if line.repeats(node, path) {
        return Vec::new();
    }
    let path = line.extend(path, node);
    best_line(graph, line, node, path, plies)
}

fn best(
    graph: &Graph,
    line: &Line<'_>,
    node: NodeId,
    path: Option<PathSet>,
) -> Option<(Edge, Value)> {
    let ranked = graph.list(node).iter().enumerate();
    let ranked = ranked.map(|(rank, edge)| (line.alpha(edge, path), Reverse(rank), *edge));
    let best = ranked.max_by_key(|(alpha, rank, _)| (*alpha, *rank));
    best.map(|(alpha, _, edge)| (edge, alpha))
}
