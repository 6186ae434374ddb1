//! Positions as numbers, and the moves listed in them.

mod directed;
mod facts;
mod growing;
mod lists;
mod parents;

use shakmaty::Color;
use shakmaty::packed::PackedUciMove;

use crate::chess::{DrawValue, Ending, GivenValue, TableEnd, Value, Wdl};

use crate::tree::table::{Sparse, Table};
use directed::Directed;
pub use directed::{Followed, Wish};
use facts::{EndKind, Facts};
pub use growing::Grown;
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

/// One listed move: the position after it, and the engine's score of it for its mover. 8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The position after the move.
    pub child: NodeId,
    /// The engine's score, for the mover.
    pub eval: Value,
    /// The move.
    pub uci: PackedUciMove,
}

/// Facts of a position before any engine has seen it, and the place of its list. 8 bytes: a large
/// tree has twice as many positions as analysed ones.
#[derive(Debug, Clone, Copy)]
struct Node {
    list: Place,
    /// At most 218 in a legal position.
    legal_moves: u8,
    facts: Facts,
}

/// The positions of one tree, the lists of the analysed ones in rank order, and the parents by
/// listed moves.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    nodes: Table<Node>,
    lists: Lists,
    parents: Parents,
    /// Directives and played moves of positions.
    directed: Sparse<Directed>,
    /// Positions with an included or played move to a position, by that one.
    following: Sparse<Vec<NodeId>>,
    /// Tables' results that the value alone does not tell.
    results: Sparse<Wdl>,
    draw: DrawValue,
    has_repeated: bool,
    analysed: usize,
    analysed_at_mark: usize,
}

impl Graph {
    /// No position yet, with the value of a draw.
    pub fn new(draw: DrawValue) -> Graph {
        Graph { draw, ..Graph::default() }
    }

    /// Adds a position without a list.
    pub fn add_node(&mut self, turn: Color, legal_moves: u8, ending: Option<Ending>) -> NodeId {
        let node = NodeId::from_index(self.nodes.len());
        let facts = Facts::new(turn, ending.map(EndKind::Over));
        self.nodes.push(Node { list: Place::default(), legal_moves, facts });
        self.parents.add_node();
        node
    }

    /// The positions without any list, and without the user's wishes and played moves.
    pub(in crate::tree) fn without_lists(&self) -> Graph {
        let mut graph = Graph::new(self.draw);
        for node in self.nodes() {
            let legal_moves = self.nodes[node.index()].legal_moves;
            graph.add_node(self.turn(node), legal_moves, self.ending(node));
            if let Some(known) = self.known(node) {
                graph.know(node, known);
            }
            if self.is_repeated(node) {
                graph.mark_repeated(node);
            }
        }
        graph
    }

    /// Takes the tables' result of a position for its side to move, before anything is listed
    /// there: it is an end, whatever the user's wishes.
    pub fn know(&mut self, node: NodeId, known: TableEnd) {
        let kind = EndKind::of_tables(known.value);
        self.set_end(node, kind);
        if Graph::plain_result(kind) != Some(known.wdl) {
            self.results.set(node, known.wdl);
        }
    }

    /// The tables' result of a position for its side to move, if that makes it an end.
    pub fn known(&self, node: NodeId) -> Option<TableEnd> {
        let kind = self.facts(node).end()?;
        let plain = Graph::plain_result(kind)?;
        let wdl = self.results.get(node).copied().unwrap_or(plain);
        kind.value(Value::EVEN).map(|value| TableEnd { wdl, value })
    }

    /// The usual result of such an end in tables; None if it is another end.
    fn plain_result(kind: EndKind) -> Option<Wdl> {
        match kind {
            EndKind::TablesDrawn => Some(Wdl::Draw),
            EndKind::TablesWon => Some(Wdl::Win),
            EndKind::TablesLost => Some(Wdl::Loss),
            EndKind::Over(_) | EndKind::Valued => None,
        }
    }

    fn set_end(&mut self, node: NodeId, kind: EndKind) {
        let mut entry = self.nodes[node.index()];
        entry.facts = entry.facts.with_end(Some(kind));
        self.nodes.set(node.index(), entry);
    }

    /// Marks a position that occurred at least twice before the root: a drawn end for alpha, never for idea.
    pub fn mark_repeated(&mut self, node: NodeId) {
        self.set_fact(node, Facts::REPEATED);
        self.has_repeated = true;
    }

    fn set_analysed(&mut self, node: NodeId) {
        self.set_fact(node, Facts::ANALYSED);
        self.analysed += 1;
    }

    fn facts(&self, node: NodeId) -> Facts {
        self.nodes[node.index()].facts
    }

    fn set_fact(&mut self, node: NodeId, fact: u8) {
        let mut entry = self.nodes[node.index()];
        entry.facts.0 |= fact;
        self.nodes.set(node.index(), entry);
    }

    /// The list of a position, rank 0 first; empty if no engine was asked.
    pub fn list(&self, node: NodeId) -> &[Edge] {
        self.lists.get(self.nodes[node.index()].list)
    }

    /// The moves of a position that count: its listed ones, rank 0 first, without those that the
    /// user has excluded, and then those that are included or played, are not listed, and lead to
    /// an analysed position or an end, by their UCI text; empty if the position is not analysed.
    pub fn moves(&self, node: NodeId) -> &[Edge] {
        let entry = self.nodes[node.index()];
        if entry.facts.is(Facts::DIRECTED) {
            self.directed.get(node).map_or(&[], |directed| &directed.moves)
        } else if entry.facts.is(Facts::ANALYSED) {
            self.lists.get(entry.list)
        } else {
            &[]
        }
    }

    /// The positions from which moves that count lead to this one, one for each such move.
    pub fn parents(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.parents.of(node)
    }

    /// True if the position has a listed move that is not excluded, and is no end and not stopped.
    pub fn is_analysed(&self, node: NodeId) -> bool {
        self.facts(node).is(Facts::ANALYSED)
    }

    /// Every position, in the order in which they were added.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::from_index)
    }

    /// The analysed positions, in the order in which they were added.
    pub fn analysed(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes().filter(|node| self.is_analysed(*node))
    }

    /// Number of analysed positions.
    pub fn analysed_positions(&self) -> usize {
        self.analysed
    }

    /// Number of positions, with and without a list.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if there is no position.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 0
    }

    /// Number of moves listed in all.
    pub fn listed_moves(&self) -> usize {
        self.lists.edges()
    }

    /// The side to move.
    pub fn turn(&self, node: NodeId) -> Color {
        self.facts(node).turn()
    }

    /// The ending there by the rules, if any.
    pub fn ending(&self, node: NodeId) -> Option<Ending> {
        match self.facts(node).end() {
            Some(EndKind::Over(ending)) => Some(ending),
            _ => None,
        }
    }

    /// The value of the position for its side to move, if it is an end: by the rules, by tables, or
    /// by the user's word.
    pub fn end(&self, node: NodeId) -> Option<Value> {
        match self.facts(node).end()? {
            EndKind::Valued => {
                self.given(node).map(|given| given.for_side(self.turn(node), self.draw))
            }
            kind => kind.value(self.drawn(node)),
        }
    }

    /// The value of a draw.
    pub fn draw(&self) -> DrawValue {
        self.draw
    }

    /// The value of a draw for the side to move in a position.
    pub fn drawn(&self, node: NodeId) -> Value {
        self.draw.for_side(self.turn(node))
    }

    /// True if the position is an end that is drawn: by the rules, by tables, or by the user's
    /// word.
    pub fn is_drawn_end(&self, node: NodeId) -> bool {
        let drawn =
            |kind: EndKind| kind.is_drawn().unwrap_or(self.given(node) == Some(GivenValue::Draw));
        self.facts(node).end().is_some_and(drawn)
    }

    /// True if nothing is asked and followed there: it is an end, or the user has stopped it.
    pub fn is_leaf(&self, node: NodeId) -> bool {
        self.facts(node).is(Facts::ENDS | Facts::STOPPED)
    }

    /// True if the user wants nothing asked there.
    pub fn is_stopped(&self, node: NodeId) -> bool {
        self.facts(node).is(Facts::STOPPED)
    }

    /// The value that the user has given the position, if that makes it an end.
    pub fn given(&self, node: NodeId) -> Option<GivenValue> {
        let is_valued = self.facts(node).end() == Some(EndKind::Valued);
        self.directed.get(node).filter(|_| is_valued).and_then(|directed| directed.value)
    }

    /// Number of legal moves in the position.
    pub fn legal_moves(&self, node: NodeId) -> usize {
        usize::from(self.nodes[node.index()].legal_moves)
    }

    /// True if the position occurred at least twice in the game before the root.
    pub fn is_repeated(&self, node: NodeId) -> bool {
        self.facts(node).is(Facts::REPEATED)
    }

    /// True if any position occurred at least twice in the game before the root.
    pub fn has_repeated(&self) -> bool {
        self.has_repeated
    }

    /// The value of an end by the rules for the side to move there, given that of a draw.
    pub fn end_value(ending: Ending, draw: Value) -> Value {
        match ending {
            Ending::Checkmate => Value::MATED,
            Ending::Stalemate | Ending::InsufficientMaterial => draw,
        }
    }

    /// Marks the present state for [`Graph::undo`].
    pub(in crate::tree) fn mark(&mut self) {
        self.nodes.mark();
        self.lists.mark();
        self.parents.mark();
        self.directed.mark();
        self.analysed_at_mark = self.analysed;
        self.following.mark();
        self.results.mark();
    }

    /// Undoes the additions since the mark.
    pub(in crate::tree) fn undo(&mut self) {
        self.nodes.undo();
        self.lists.undo();
        self.parents.undo();
        self.directed.undo();
        self.analysed = self.analysed_at_mark;
        self.following.undo();
        self.results.undo();
    }
}

#[cfg(test)]
mod tests;
