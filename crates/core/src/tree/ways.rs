//! The shortest line to a position.

use hashbrown::HashSet;
use shakmaty::uci::UciMove;

use super::graph::{Graph, NodeId};

/// The shortest line of listed moves from the root to a position; of several, the one whose moves
/// have the better ranks, the earliest first. Empty if no moves lead there.
///
/// `ply` gives the least number of moves to each position. Only positions on shortest lines are
/// looked at.
pub(super) fn shortest_line(
    graph: &Graph,
    ply: impl Fn(NodeId) -> u32,
    root: NodeId,
    node: NodeId,
) -> Vec<UciMove> {
    if ply(node) == u32::MAX {
        return Vec::new();
    }
    let mut leading: HashSet<NodeId> = HashSet::from([node]);
    let mut layer = vec![node];
    for at in (0..ply(node)).rev() {
        let before = layer.iter().flat_map(|node| graph.parents(*node));
        layer = before.filter(|before| ply(*before) == at && leading.insert(*before)).collect();
    }
    let mut line = Vec::new();
    let mut at = root;
    while at != node {
        let next = |child: NodeId| ply(child) == ply(at) + 1 && leading.contains(&child);
        let Some(edge) = graph.moves(at).iter().find(|edge| next(edge.child)) else {
            return Vec::new();
        };
        line.push(edge.uci.unpack());
        at = edge.child;
    }
    line
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;
    use shakmaty::packed::PackedUciMove;
    use shakmaty::{Color, Square};

    use super::*;
    use crate::chess::Value;
    use crate::tree::Edge;
    use crate::tree::plies::Plies;

    /// Positions by number, each move by where it leads and by its number in the list.
    fn graph(lists: &[Vec<usize>]) -> Graph {
        let mut graph = Graph::default();
        let nodes: Vec<NodeId> =
            lists.iter().map(|_| graph.add_node(Color::White, 20, None)).collect();
        let lists = nodes.iter().zip(lists).map(|(node, list)| {
            let edges = list.iter().enumerate().map(|(rank, child)| {
                let (from, to) = (Square::new(node.index() as u32), Square::new(rank as u32));
                let uci = PackedUciMove::pack(UciMove::Normal { from, to, promotion: None });
                Edge { child: nodes[*child], eval: Value::EVEN, uci }
            });
            (*node, edges.collect())
        });
        let lists = lists.collect();
        graph.admit(lists);
        graph
    }

    /// A walk through the whole graph, which comes to each position by its shortest line first.
    fn lines_by_walking(graph: &Graph) -> Vec<Vec<UciMove>> {
        let root = NodeId::from_index(0);
        let mut lines = vec![None; graph.len()];
        lines[0] = Some(Vec::new());
        let mut queue = VecDeque::from([root]);
        while let Some(node) = queue.pop_front() {
            let line: Vec<UciMove> = lines[node.index()].clone().unwrap();
            for edge in graph.moves(node) {
                if lines[edge.child.index()].is_none() {
                    let whole = line.iter().copied().chain([edge.uci.unpack()]);
                    lines[edge.child.index()] = Some(whole.collect());
                    queue.push_back(edge.child);
                }
            }
        }
        lines.into_iter().map(Option::unwrap_or_default).collect()
    }

    proptest! {
        #[test]
        fn line_is_the_first_of_a_walk_through_the_graph(
            lists in proptest::collection::vec(proptest::collection::vec(0_usize..12, 0..4), 12)
        ) {
            let graph = graph(&lists);
            let root = NodeId::from_index(0);
            let plies = Plies::of(&graph, root);
            for (node, line) in graph.nodes().zip(lines_by_walking(&graph)) {
                prop_assert_eq!(shortest_line(&graph, |node| plies.get(node), root, node), line);
            }
        }
    }
}
