//! Positions as numbers, and the moves listed in them.

mod lists;
mod parents;

use shakmaty::Color;
use shakmaty::packed::PackedUciMove;

use crate::chess::{Ending, Value};

use crate::tree::table::Table;
use lists::{Lists, Place};
use parents::Parents;

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
    /// Past 2 thousand million nodes, which no memory holds.
    pub fn from_index(index: usize) -> NodeId {
        assert!(index < NodeId::END, "more nodes than a graph can number");
        NodeId(index as u32)
    }

    /// There are fewer nodes than this; what is beyond is free for other uses of the same 32 bits.
    pub(in crate::tree) const END: usize = 1 << 31;
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

/// What is known of a position before any engine has seen it, and where its list is. 8 bytes: a large
/// tree has twice as many positions as analysed ones.
#[derive(Debug, Clone, Copy)]
struct Node {
    list: Place,
    /// At most 218 in a legal position.
    legal_moves: u8,
    facts: Facts,
}

/// Side to move, ending, and whether the game was here before, in one byte.
#[derive(Debug, Clone, Copy)]
struct Facts(u8);

impl Facts {
    const BLACK: u8 = 1;
    const EARLIER: u8 = 2;
    const ENDING: u8 = 2;

    fn new(turn: Color, ending: Option<Ending>) -> Facts {
        let ending = match ending {
            None => 0,
            Some(Ending::Checkmate) => 1,
            Some(Ending::Stalemate) => 2,
            Some(Ending::InsufficientMaterial) => 3,
        };
        Facts(u8::from(turn == Color::Black) | ending << Facts::ENDING)
    }

    fn turn(self) -> Color {
        if self.0 & Facts::BLACK == 0 { Color::White } else { Color::Black }
    }

    fn ending(self) -> Option<Ending> {
        match self.0 >> Facts::ENDING {
            0 => None,
            1 => Some(Ending::Checkmate),
            2 => Some(Ending::Stalemate),
            _ => Some(Ending::InsufficientMaterial),
        }
    }
}

/// The positions of one tree, the lists of the analysed ones in rank order, and which positions
/// listed moves come from.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    nodes: Table<Node>,
    lists: Lists,
    parents: Parents,
    has_earlier: bool,
}

impl Graph {
    /// Adds a position without a list.
    pub fn add_node(&mut self, turn: Color, legal_moves: u8, ending: Option<Ending>) -> NodeId {
        let node = NodeId::from_index(self.nodes.len());
        let facts = Facts::new(turn, ending);
        self.nodes.push(Node { list: Place::default(), legal_moves, facts });
        self.parents.add_node();
        node
    }

    /// Marks a position as one of the game's earlier ones: a drawn end for alpha, never for idea.
    pub fn mark_earlier(&mut self, node: NodeId) {
        let mut changed = self.nodes[node.index()];
        changed.facts.0 |= Facts::EARLIER;
        self.nodes.set(node.index(), changed);
        self.has_earlier = true;
    }

    /// Appends answers to lists, each position's in rank order.
    pub fn admit(&mut self, answers: Vec<(NodeId, Vec<Edge>)>) {
        for (node, list) in answers {
            self.append(node, &list);
            for edge in list {
                self.link(node, edge.child);
            }
        }
    }

    /// Appends moves to a list. Each is still to be linked.
    pub(in crate::tree) fn append(&mut self, node: NodeId, moves: &[Edge]) {
        let mut changed = self.nodes[node.index()];
        changed.list = self.lists.append(changed.list, moves);
        self.nodes.set(node.index(), changed);
    }

    /// Makes a position one of those before another.
    pub(in crate::tree) fn link(&mut self, parent: NodeId, child: NodeId) {
        self.parents.add(child, parent);
    }

    /// The list of a position, rank 0 first; empty where it is not analysed.
    pub fn list(&self, node: NodeId) -> &[Edge] {
        self.lists.get(self.nodes[node.index()].list)
    }

    /// The positions from which listed moves lead to this one, one for each such move.
    pub fn parents(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.parents.of(node)
    }

    /// Whether the position has a listed move.
    pub fn is_analysed(&self, node: NodeId) -> bool {
        !self.nodes[node.index()].list.is_empty()
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
        self.nodes.len() == 0
    }

    /// How many moves are listed in all.
    pub fn listed_moves(&self) -> usize {
        self.lists.edges()
    }

    /// The side to move.
    pub fn turn(&self, node: NodeId) -> Color {
        self.nodes[node.index()].facts.turn()
    }

    /// How the game is over there, if it is.
    pub fn ending(&self, node: NodeId) -> Option<Ending> {
        self.nodes[node.index()].facts.ending()
    }

    /// How many legal moves the position has.
    pub fn legal_moves(&self, node: NodeId) -> usize {
        usize::from(self.nodes[node.index()].legal_moves)
    }

    /// Whether the game has been in this position before the root.
    pub fn is_earlier(&self, node: NodeId) -> bool {
        self.nodes[node.index()].facts.0 & Facts::EARLIER != 0
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

    /// From now on, everything can be taken back.
    pub(in crate::tree) fn mark(&mut self) {
        self.nodes.mark();
        self.lists.mark();
        self.parents.mark();
    }

    /// Takes back what was added since the mark.
    pub(in crate::tree) fn take_back(&mut self) {
        self.nodes.take_back();
        self.lists.take_back();
        self.parents.take_back();
    }
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
        let mut parents: Vec<NodeId> = graph.parents(nodes[0]).collect();
        parents.sort_unstable();
        assert_eq!(parents, [nodes[2], late]);
        assert_eq!(graph.parents(nodes[1]).collect::<Vec<_>>(), [nodes[0]]);
        assert_eq!(graph.parents(nodes[3]).count(), 0);
    }

    #[test]
    fn a_listed_move_and_a_position_take_eight_bytes() {
        assert_eq!((size_of::<Edge>(), size_of::<Node>()), (8, 8));
    }

    #[test]
    fn facts_are_given_back() {
        let endings = [Ending::Checkmate, Ending::Stalemate, Ending::InsufficientMaterial];
        let mut graph = Graph::default();
        for ending in [None].into_iter().chain(endings.map(Some)) {
            for turn in Color::ALL {
                let node = graph.add_node(turn, 218, ending);
                graph.mark_earlier(node);
                assert_eq!((graph.turn(node), graph.ending(node)), (turn, ending));
                assert_eq!((graph.legal_moves(node), graph.is_earlier(node)), (218, true));
            }
        }
    }
}
