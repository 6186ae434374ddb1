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

/// The positions behind the root on the lines of some of [`root_moves`], in the order of a
/// rehearsal: the worst move's line first and the best one's last, each from its end to its
/// beginning. Analysed positions only, each once: one that a line repeats has its first place on
/// it, one that is on several lines comes with the first of them.
pub fn rehearsal(
    graph: &Graph,
    values: &Values,
    root: NodeId,
    of: impl Fn(UciMove) -> bool,
) -> Vec<NodeId> {
    let mut positions = vec![root];
    let lines = root_moves(graph, values, root);
    for root_move in lines.iter().rev().filter(|root_move| of(root_move.uci)) {
        let first = positions.len();
        for node in way(graph, root, &root_move.line) {
            if graph.is_analysed(node) && !positions.contains(&node) {
                positions.push(node);
            }
        }
        positions.get_mut(first..).unwrap_or_default().reverse();
    }
    positions.split_off(1)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Game, epd_of};
    use crate::tree::Growth;

    /// The rehearsal of a tree, as lines from the starting position.
    fn rehearsed(lists: &[(&str, &[(&str, i32)])]) -> Vec<String> {
        let start = Game::from_position(shakmaty::Chess::default());
        let after = |line: &str| {
            let mut game = start.clone();
            game.play_line(line).unwrap();
            game.root().clone()
        };
        let mut growth = Growth::new(&start, 10);
        for (line, moves) in lists {
            let node = growth.node_of(&after(line));
            let value = |cp| Value::from(crate::chess::Score::Cp(cp));
            let moves = moves.iter().map(|(uci, cp)| (uci.parse().unwrap(), value(*cp)));
            growth.admit(vec![(node, moves.collect())]).unwrap();
        }
        let graph = growth.graph();
        let line_of = |node| {
            let epd = epd_of(&growth.position(node));
            let line = lists.iter().find(|(line, _)| epd_of(&after(line)) == epd);
            line.map_or("not analysed", |(line, _)| line).to_owned()
        };
        let all = rehearsal(graph, &Values::of(graph), growth.root(), |_| true);
        all.into_iter().map(line_of).collect()
    }

    #[test]
    fn a_rehearsal_begins_with_the_worst_line_s_end() {
        // d4 and c4 are worth the same and lead to the same position; e3 is not followed.
        let lists: [(&str, &[(&str, i32)]); 8] = [
            ("", &[("e2e4", 30), ("d2d4", 25), ("c2c4", 25), ("e2e3", 5)]),
            ("e4", &[("e7e5", -30)]),
            ("e4 e5", &[("g1f3", 30)]),
            ("d4", &[("d7d5", -25), ("g8f6", -26)]),
            ("d4 d5", &[("c2c4", 25)]),
            ("c4", &[("d7d5", -25)]),
            ("c4 d5", &[("d2d4", 25)]),
            ("d4 d5 c4", &[("e7e6", -25)]),
        ];
        let c4 = ["d4 d5 c4", "c4 d5", "c4"];
        let expected = [&c4[..], &["d4 d5", "d4"], &["e4 e5", "e4"]].concat();
        assert_eq!(rehearsed(&lists), expected);
    }

    #[test]
    fn rehearsal_ends_at_a_repeated_positions_first_place() {
        let lists: [(&str, &[(&str, i32)]); 5] = [
            ("", &[("e2e4", 0)]),
            ("e4", &[("g8f6", 0)]),
            ("e4 Nf6", &[("g1f3", 0)]),
            ("e4 Nf6 Nf3", &[("f6g8", 0)]),
            ("e4 Nf6 Nf3 Ng8", &[("f3g1", 0)]),
        ];
        let expected = ["e4 Nf6 Nf3 Ng8", "e4 Nf6 Nf3", "e4 Nf6", "e4"];
        assert_eq!(rehearsed(&lists), expected);
        let back: [(&str, &[(&str, i32)]); 4] = [
            ("", &[("g1f3", 0)]),
            ("Nf3", &[("g8f6", 0)]),
            ("Nf3 Nf6", &[("f3g1", 0)]),
            ("Nf3 Nf6 Ng1", &[("f6g8", 0)]),
        ];
        assert_eq!(rehearsed(&back), ["Nf3 Nf6 Ng1", "Nf3 Nf6", "Nf3"], "never the root");
    }
}
