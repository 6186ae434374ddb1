//! Remarkable parts of a tree: its largest circles, and where it contradicts the engine.

use std::cmp::Reverse;

use hashbrown::HashSet;

use crate::chess::Value;

use super::graph::{Edge, Graph, NodeId};
use super::values::Values;
use super::values::components::components;
use super::visit::order::Listed;

/// Plies of a best line that are followed to see if two finds are the same.
const SAME_FIND_PLIES: usize = 64;

/// A strongly connected component of more than one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CircleFound {
    /// Number of its positions.
    pub positions: usize,
    /// The one that is nearest to the root, and was seen first among those.
    pub nearest: NodeId,
}

/// The largest circles, greatest first; `ply` gives the least distance of each position from the root.
pub fn largest_circles(
    graph: &Graph,
    ply: impl Fn(NodeId) -> u32,
    count: usize,
) -> Vec<CircleFound> {
    let mut circles = Vec::new();
    components(graph, |nodes| {
        let nearest = nodes.iter().copied().min_by_key(|node| (ply(*node), *node));
        if let (Some(nearest), 2..) = (nearest, nodes.len()) {
            circles.push(CircleFound { positions: nodes.len(), nearest });
        }
    });
    circles.sort_by_key(|circle| (Reverse(circle.positions), circle.nearest));
    circles.truncate(count);
    circles
}

/// True if every line ends for good: each move that counts leads to an analysed position, to an end
/// or a value of the user's, or is mate as told by the engine. Deeper searches have nothing to add
/// then.
pub fn is_decided(graph: &Graph) -> bool {
    let ends = |edge: &Edge| {
        graph.is_analysed(edge.child) || graph.end(edge.child).is_some() || edge.eval.is_mate()
    };
    graph.analysed().all(|node| graph.moves(node).iter().all(ends))
}

/// A position where the tree contradicts the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disagreement {
    /// The position.
    pub node: NodeId,
    /// The engine's first move, with its score for the side to move.
    pub engine: Edge,
    /// The move of the greatest idea.
    pub tree: Edge,
    /// The position's idea, for its side to move.
    pub idea: Value,
}

impl Disagreement {
    /// Its size: the difference in expected score, 0 to 1. A few pawns more are nothing if the game
    /// is won anyway.
    pub fn size(&self) -> f64 {
        (self.idea.expected_score() - self.engine.eval.expected_score()).abs()
    }
}

/// The positions where the engine's first score and the tree's idea differ most in expected score,
/// greatest first. Of positions on one best line, which have the same find behind them, the first
/// is given. A position whose unlisted moves may be better than its idea is left out.
pub fn disagreements(graph: &Graph, values: &Values, count: usize) -> Vec<Disagreement> {
    let mut all: Vec<(f64, Disagreement)> = graph
        .analysed()
        .filter_map(|node| disagreement(graph, values, node))
        .map(|found| (found.size(), found))
        .filter(|(size, _)| *size > 0.0)
        .collect();
    all.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(x.node.cmp(&y.node)));
    let (mut told, mut found) = (HashSet::new(), Vec::new());
    for (_, disagreement) in all {
        if found.len() == count {
            break;
        }
        let line = best_idea_line(graph, values, disagreement.node);
        if line.iter().all(|node| !told.contains(node)) {
            told.extend(line);
            found.push(disagreement);
        }
    }
    found
}

fn disagreement(graph: &Graph, values: &Values, node: NodeId) -> Option<Disagreement> {
    let (list, idea) = (graph.moves(node), values.idea(node));
    let (engine, tree) = (*list.first()?, best_idea(graph, values, node)?);
    let complete = Listed::of(graph, node).is_complete(idea, 0, 1);
    complete.then_some(Disagreement { node, engine, tree, idea })
}

/// The move of a position with the greatest idea, ties by rank.
pub fn best_idea(graph: &Graph, values: &Values, node: NodeId) -> Option<Edge> {
    let ranked = graph.moves(node).iter().enumerate();
    let best = ranked.max_by_key(|(rank, edge)| (values.idea_of(graph, edge), Reverse(*rank)));
    best.map(|(_, edge)| *edge)
}

/// The analysed positions along the moves of the greatest idea.
pub fn best_idea_line(graph: &Graph, values: &Values, node: NodeId) -> Vec<NodeId> {
    let mut line = vec![node];
    while line.len() < SAME_FIND_PLIES {
        let next = line.last().and_then(|last| best_idea(graph, values, *last));
        match next.map(|edge| edge.child) {
            Some(child) if graph.is_analysed(child) && !line.contains(&child) => line.push(child),
            _ => break,
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::plies::Plies;
    use shakmaty::Color;
    use shakmaty::packed::PackedUciMove;
    use shakmaty::uci::UciMove;

    fn value(cp: i64) -> Value {
        Value::new(cp).unwrap()
    }

    /// Nodes by number, moves as (from, to, centipawns); the first of a node is its rank 0.
    fn graph(legal_moves: u8, nodes: usize, moves: &[(usize, usize, i64)]) -> Graph {
        let mut graph = Graph::default();
        for index in 0..nodes {
            let turn = if index % 2 == 0 { Color::White } else { Color::Black };
            graph.add_node(turn, legal_moves, None);
        }
        let at = NodeId::from_index;
        let mut lists: Vec<(NodeId, Vec<Edge>)> = Vec::new();
        for (from, to, cp) in moves {
            let uci: UciMove = format!("a2a{}", to % 6 + 3).parse().unwrap();
            let edge = Edge { child: at(*to), eval: value(*cp), uci: PackedUciMove::pack(uci) };
            match lists.iter_mut().find(|(node, _)| *node == at(*from)) {
                Some((_, list)) => list.push(edge),
                None => lists.push((at(*from), vec![edge])),
            }
        }
        graph.admit(lists);
        graph
    }

    #[test]
    fn circles_are_found_by_their_position_nearest_root() {
        // 0 - 1 - 2 - 3 - 4 with a circle of 1, 2, 3 and one of 5, 6 behind 4.
        let moves = [(0, 1), (1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (5, 6), (6, 5), (6, 7)];
        let moves: Vec<_> = moves.iter().map(|(from, to)| (*from, *to, 5)).collect();
        let graph = graph(1, 8, &moves);
        let plies = Plies::of(&graph, NodeId::from_index(0));
        let ply = |node| plies.get(node);
        let told = |circle: &CircleFound| (circle.positions, circle.nearest.index());
        let circles = largest_circles(&graph, ply, 9);
        assert_eq!(circles.iter().map(told).collect::<Vec<_>>(), [(3, 1), (2, 5)]);
        assert_eq!(largest_circles(&graph, ply, 1).len(), 1);
        assert_eq!(ply(circles[1].nearest), 5);
    }

    #[test]
    fn find_is_told_once_along_its_line_greatest_first() {
        // 0 -> 1 -> 2 loses 400 that no engine saw before 2; 0 -> 3 -> 4 loses 100.
        let moves = [(0, 1, 30), (1, 2, -30), (2, 5, 430), (0, 3, 20), (3, 4, -20), (4, 7, 120)];
        let graph = graph(1, 8, &moves);
        let values = Values::of(&graph);
        let found = disagreements(&graph, &values, 9);
        let told = |d: &Disagreement| (d.node.index(), d.engine.eval.get(), d.idea.get());
        assert_eq!(found.iter().map(told).collect::<Vec<_>>(), [(0, 30, 430), (3, -20, -120)]);
        assert_eq!(disagreements(&graph, &values, 1).len(), 1);
    }

    #[test]
    fn list_that_may_improve_contradicts_nothing() {
        // The only listed move loses; what else there is scores up to the least listed score.
        let one = [(0, 1, 30), (1, 3, 400)];
        let two = [(0, 1, 30), (0, 2, -90), (1, 3, 400)];
        let three = [(0, 1, 30), (0, 2, -10), (1, 3, 400), (2, 4, 300)];
        for (moves, right) in [(&one[..], None), (&two, Some(-90)), (&three, None)] {
            let graph = graph(30, 5, moves);
            let values = Values::of(&graph);
            let found = disagreements(&graph, &values, 9);
            let at_root = found.iter().find(|found| found.node.index() == 0);
            assert_eq!(at_root.map(|found| found.idea.get()), right, "{moves:?}");
        }
    }

    #[test]
    fn more_of_a_won_game_is_no_disagreement() {
        let size = |eval: i64, idea: i64| {
            let found = graph(1, 2, &[(0, 1, eval)]);
            let edge = found.list(NodeId::from_index(0))[0];
            let node = NodeId::from_index(0);
            Disagreement { node, engine: edge, tree: edge, idea: value(idea) }.size()
        };
        assert!(size(0, 100) > size(900, 1500));
        assert!(size(1000, 31_990) < 0.03 && size(0, 31_990) == 0.5);
        assert!(size(-31_990, 31_990) == 1.0);
        assert_eq!((size(40, 40), size(1000, 1500)), (0.0, 0.0));
    }
}
