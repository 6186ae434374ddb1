//! The root's moves with the lines that their values come from.

use std::cmp::Reverse;

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
        let follow = follow(graph, &mut line, *edge, path);
        moves.push(RootMove {
            uci: edge.uci.unpack(),
            rank,
            eval: edge.eval,
            idea,
            alpha,
            line: follow,
        });
    }
    moves.sort_by_key(|m| (Reverse(m.alpha), m.rank));
    moves
}

/// The root's best move and its alpha, for its side to move; nothing where the root is no analysed
/// position.
pub fn best_root_move(graph: &Graph, values: &Values, root: NodeId) -> Option<(UciMove, Value)> {
    let mut line = Line::new(graph, values);
    let path = line.extend(None, root);
    let (edge, alpha) = best(graph, &line, root, path)?;
    Some((edge.uci.unpack(), alpha))
}

/// The line of best alphas behind a move, until the tree's end, a repetition or an ending.
fn follow(graph: &Graph, line: &mut Line<'_>, edge: Edge, path: Option<PathSet>) -> Vec<UciMove> {
    let (mut moves, mut last, mut path) = (vec![edge.uci.unpack()], edge, path);
    while !line.repeats(last.child, path) {
        path = line.extend(path, last.child);
        match best(graph, line, last.child, path) {
            Some((edge, _)) => last = edge,
            None => break,
        }
        moves.push(last.uci.unpack());
    }
    moves
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
