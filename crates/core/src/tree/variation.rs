//! The root's moves with the lines that their values come from.

use std::cmp::Reverse;

use shakmaty::uci::UciMove;

use crate::chess::Value;

use super::graph::{Edge, Graph, NodeId};
use super::values::Values;
use super::values::paths::{PathSet, PathValues};

/// A move of the root that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootMove {
    /// The move.
    pub uci: UciMove,
    /// Its place in the engine's list, and the engine's score for the mover; None if it is included
    /// or played alone.
    pub listed: Option<(usize, Value)>,
    /// Its value whatever the line, for the mover.
    pub idea: Value,
    /// Its value after the root, for the mover.
    pub alpha: Value,
    /// The moves from it on, it among them.
    pub line: Vec<UciMove>,
}

/// The root's moves that count, by alpha, best first, ties by rank, each with the line of best alphas that
/// begins with it.
pub fn root_moves(graph: &Graph, values: &Values, root: NodeId) -> Vec<RootMove> {
    moves_behind(graph, values, &[root])
}

/// [`root_moves`] of the position that a path of the tree from its root ends with.
pub fn moves_behind(graph: &Graph, values: &Values, path: &[NodeId]) -> Vec<RootMove> {
    let mut paths = PathValues::new(graph, values);
    let Some(last) = path.last().copied() else {
        return Vec::new();
    };
    let path = path.iter().fold(None, |path, node| paths.extend(path, *node));
    let mut moves: Vec<RootMove> = Vec::new();
    for (index, edge) in graph.moves(last).iter().enumerate() {
        let (alpha, idea) = (paths.alpha(edge, path), values.idea_of(graph, edge));
        let uci = edge.uci.unpack();
        let behind = best_line_behind(graph, &mut paths, edge.child, path, usize::MAX);
        moves.push(RootMove {
            uci,
            listed: graph.rank(last, index).map(|rank| (rank, edge.eval)),
            idea,
            alpha,
            line: [vec![uci], behind].concat(),
        });
    }
    // Moves of equal alpha stay in the order of the moves that count.
    moves.sort_by_key(|m| Reverse(m.alpha));
    moves
}

/// The positions that moves lead to, one behind the other.
pub(super) fn way(graph: &Graph, root: NodeId, moves: &[UciMove]) -> Vec<NodeId> {
    let mut node = root;
    let child = |uci: &UciMove| {
        let edge = graph.moves(node).iter().find(|edge| edge.uci.unpack() == *uci)?;
        node = edge.child;
        Some(node)
    };
    moves.iter().map_while(child).collect()
}

/// The root's best move and its alpha, for its side to move; None if the root is no analysed
/// position.
pub fn best_root_move(graph: &Graph, values: &Values, root: NodeId) -> Option<(UciMove, Value)> {
    best_move_behind(graph, values, &[root])
}

/// [`best_root_move`] of the position that a path of the tree from its root ends with.
pub(super) fn best_move_behind(
    graph: &Graph,
    values: &Values,
    path: &[NodeId],
) -> Option<(UciMove, Value)> {
    let mut paths = PathValues::new(graph, values);
    let set = path.iter().fold(None, |set, node| paths.extend(set, *node));
    let (edge, alpha) = best(graph, &mut paths, *path.last()?, set)?;
    Some((edge.uci.unpack(), alpha))
}

/// The first of the root's moves that count, by alpha, best first, ties by rank: each with its
/// alpha and at most `plies` plies of the line of best alphas that begins with it. The cost does
/// not depend on the tree's size.
pub fn first_lines(
    graph: &Graph,
    values: &Values,
    root: NodeId,
    count: usize,
    plies: usize,
) -> Vec<(Value, Vec<UciMove>)> {
    let mut paths = PathValues::new(graph, values);
    let path = paths.extend(None, root);
    let edges = graph.moves(root).iter();
    let mut moves: Vec<(Value, Edge)> =
        edges.map(|edge| (paths.alpha(edge, path), *edge)).collect();
    // Moves of equal alpha stay in the order of the moves that count.
    moves.sort_by_key(|(alpha, _)| Reverse(*alpha));
    moves.truncate(count);
    let mut behind = |edge: &Edge| {
        best_line_behind(graph, &mut paths, edge.child, path, plies.saturating_sub(1))
    };
    let lines = moves
        .iter()
        .map(|(alpha, edge)| (*alpha, [vec![edge.uci.unpack()], behind(edge)].concat()));
    lines.collect()
}

/// The best moves by alpha from the position that a path ends with, one after the other, ties by
/// rank: at most `plies` plies, until the tree's end, a repetition or an ending.
fn best_line(
    graph: &Graph,
    paths: &mut PathValues<'_>,
    mut node: NodeId,
    mut path: Option<PathSet>,
    plies: usize,
) -> Vec<UciMove> {
    let mut moves = Vec::new();
    while moves.len() < plies {
        let Some((edge, _)) = best(graph, paths, node, path) else {
            break;
        };
        moves.push(edge.uci.unpack());
        node = edge.child;
        if paths.repeats(node, path) {
            break;
        }
        path = paths.extend(path, node);
    }
    moves
}

/// The best line from a position that a move leads to, the path ending before it: empty if the move
/// repeats.
pub fn best_line_behind(
    graph: &Graph,
    paths: &mut PathValues<'_>,
    node: NodeId,
    path: Option<PathSet>,
    plies: usize,
) -> Vec<UciMove> {
    if paths.repeats(node, path) {
        return Vec::new();
    }
    let path = paths.extend(path, node);
    best_line(graph, paths, node, path, plies)
}

fn best(
    graph: &Graph,
    paths: &mut PathValues<'_>,
    node: NodeId,
    path: Option<PathSet>,
) -> Option<(Edge, Value)> {
    let ranked = graph.moves(node).iter().enumerate();
    let ranked = ranked.map(|(rank, edge)| (paths.alpha(edge, path), Reverse(rank), *edge));
    let best = ranked.max_by_key(|(alpha, rank, _)| (*alpha, *rank));
    best.map(|(alpha, _, edge)| (edge, alpha))
}
