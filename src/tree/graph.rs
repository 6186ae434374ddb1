//! Positions as numbers, and the moves listed in them.

use shakmaty::Color;
use shakmaty::packed::PackedUciMove;

use crate::chess::{Ending, Value};

/// A position in a [`Graph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    /// The node's place in tables of all nodes.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The node at a place in tables of all nodes.
    ///
    /// # Panics
    ///
    /// Past 4 thousand million nodes, which no memory holds.
    pub fn from_index(index: usize) -> NodeId {
        assert!(index < u32::MAX as usize, "more nodes than a graph can number");
        NodeId(index as u32)
    }
}

/// One listed move: where it leads, and the engine's score of it for its mover. 8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The position after the move.
    pub child: NodeId,
    /// The engine's score, for the mover.
    pub eval: Value,
    /// The move.
    pub uci: PackedUciMove,
}

/// What is known of a position before any engine has seen it.
#[derive(Debug, Clone, Copy)]
struct Node {
    turn: Color,
    ending: Option<Ending>,
    /// At most 218 in a legal position.
    legal_moves: u8,
    earlier: bool,
}

/// The positions of one tree and the lists of the analysed ones, in rank order.
///
/// Lists lie one behind the other in a single array, so that a pass walks memory in order; a pass
/// admits all its answers at once, which costs one copy.
#[derive(Debug, Clone)]
pub struct Graph {
    nodes: Vec<Node>,
    /// Where each node's list begins in `edges`, and one end more.
    starts: Vec<u32>,
    edges: Vec<Edge>,
    has_earlier: bool,
}

impl Default for Graph {
    fn default() -> Graph {
        Graph { nodes: Vec::new(), starts: vec![0], edges: Vec::new(), has_earlier: false }
    }
}

impl Graph {
    /// Adds a position without a list.
    pub fn add_node(&mut self, turn: Color, legal_moves: u8, ending: Option<Ending>) -> NodeId {
        let node = NodeId::from_index(self.nodes.len());
        push_tightly(&mut self.nodes, Node { turn, ending, legal_moves, earlier: false });
        push_tightly(&mut self.starts, self.edges.len() as u32);
        node
    }

    /// Marks a position as one of the game's earlier ones: a drawn end for alpha, never for idea.
    pub fn mark_earlier(&mut self, node: NodeId) {
        self.nodes[node.index()].earlier = true;
        self.has_earlier = true;
    }

    /// Appends answers to lists, each position's in rank order; a position may come once.
    pub fn admit(&mut self, mut answers: Vec<(NodeId, Vec<Edge>)>) {
        answers.sort_unstable_by_key(|(node, _)| *node);
        let added: usize = answers.iter().map(|(_, list)| list.len()).sum();
        let mut edges = Vec::with_capacity(self.edges.len() + added);
        let (mut copied, mut shift, mut shifted_to) = (0, 0, 0);
        for (node, list) in &answers {
            let end = self.starts[node.index() + 1] as usize;
            edges.extend_from_slice(&self.edges[copied..end]);
            edges.extend_from_slice(list);
            copied = end;
            self.shift_starts(shifted_to..node.index() + 1, shift);
            shifted_to = node.index() + 1;
            shift += list.len() as u32;
        }
        edges.extend_from_slice(&self.edges[copied..]);
        self.shift_starts(shifted_to..self.starts.len(), shift);
        self.edges = edges;
    }

    fn shift_starts(&mut self, range: std::ops::Range<usize>, shift: u32) {
        for start in &mut self.starts[range] {
            *start += shift;
        }
    }

    /// The list of a position, rank 0 first; empty where it is not analysed.
    pub fn list(&self, node: NodeId) -> &[Edge] {
        let range = self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize;
        &self.edges[range]
    }

    /// Whether the position has a listed move.
    pub fn is_analysed(&self, node: NodeId) -> bool {
        self.starts[node.index()] < self.starts[node.index() + 1]
    }

    /// Every position, in the order in which they were added.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::from_index)
    }

    /// The analysed positions, in the order in which they were added.
    pub fn analysed(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes().filter(|node| self.is_analysed(*node))
    }

    /// How many positions there are, with and without a list.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many moves are listed in all.
    pub fn listed_moves(&self) -> usize {
        self.edges.len()
    }

    /// The side to move.
    pub fn turn(&self, node: NodeId) -> Color {
        self.nodes[node.index()].turn
    }

    /// How the game is over there, if it is.
    pub fn ending(&self, node: NodeId) -> Option<Ending> {
        self.nodes[node.index()].ending
    }

    /// How many legal moves the position has.
    pub fn legal_moves(&self, node: NodeId) -> usize {
        usize::from(self.nodes[node.index()].legal_moves)
    }

    /// Whether the game has been in this position before the root.
    pub fn is_earlier(&self, node: NodeId) -> bool {
        self.nodes[node.index()].earlier
    }

    /// Whether any position is one of the game's earlier ones.
    pub fn has_earlier(&self) -> bool {
        self.has_earlier
    }

    /// The value of an end, for the side to move there.
    pub fn end_value(ending: Ending) -> Value {
        match ending {
            Ending::Checkmate => Value::MATED,
            Ending::Stalemate | Ending::InsufficientMaterial => Value::DRAW,
        }
    }
}

/// Appends to a table of all nodes, which grows by a quarter: doubling would leave up to half of a
/// large tree's memory empty.
pub(super) fn push_tightly<T>(table: &mut Vec<T>, entry: T) {
    if table.len() == table.capacity() {
        table.reserve_exact(table.len() / 4 + 16);
    }
    table.push(entry);
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::uci::UciMove;

    fn edge(child: NodeId, cp: i64) -> Edge {
        let uci = PackedUciMove::pack(UciMove::Null);
        Edge { child, eval: Value::new(cp).unwrap(), uci }
    }

    #[test]
    fn admitted_answers_go_behind_those_of_the_same_list() {
        let mut graph = Graph::default();
        let nodes: Vec<NodeId> = (0..4).map(|_| graph.add_node(Color::White, 20, None)).collect();
        graph.admit(vec![
            (nodes[2], vec![edge(nodes[0], 5)]),
            (nodes[0], vec![edge(nodes[1], 9), edge(nodes[2], 8)]),
        ]);
        let late = graph.add_node(Color::Black, 20, None);
        graph.admit(vec![(late, vec![edge(nodes[0], 1)]), (nodes[0], vec![edge(late, 7)])]);
        let evals = |node: NodeId| -> Vec<i16> {
            graph.list(node).iter().map(|edge| edge.eval.get()).collect()
        };
        assert_eq!(evals(nodes[0]), [9, 8, 7]);
        assert!(evals(nodes[1]).is_empty());
        assert_eq!(evals(nodes[2]), [5]);
        assert_eq!(evals(late), [1]);
        assert_eq!(graph.listed_moves(), 5);
        assert_eq!(graph.analysed().count(), 3);
    }

    #[test]
    fn a_listed_move_takes_eight_bytes_and_a_position_four() {
        assert_eq!((size_of::<Edge>(), size_of::<Node>()), (8, 4));
    }
}
