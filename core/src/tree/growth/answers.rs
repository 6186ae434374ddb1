//! Answers as the tree takes them: which positions their moves lead to.

use std::sync::Arc;

use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use crate::chess::{Ending, PositionKey, Value, epd_of};

use super::Growth;
use crate::tree::graph::{Edge, Included, NodeId};

/// A move that was to be listed and is not legal where it was: what answered is damaged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("move {uci} is not legal in {epd}")]
pub struct IllegalMove {
    /// The move.
    pub uci: UciMove,
    /// The position.
    pub epd: String,
}

/// Answers of a position, in rank order.
type List = (NodeId, Vec<(UciMove, Value)>);

impl Growth {
    /// Appends answers to lists, in rank order, without counting a pass; a position may come once.
    ///
    /// # Errors
    ///
    /// Where an answer is no legal move; no list has changed then.
    pub fn admit(&mut self, answers: Vec<List>) -> Result<(), IllegalMove> {
        let lists = self.edges(answers)?;
        self.tree.admit(lists);
        Ok(())
    }

    /// Takes a position of a kept tree with its list; [`Growth::restore`] then works out what all are worth.
    ///
    /// # Errors
    ///
    /// Where an answer is no legal move; the tree is of no use then.
    pub fn fill(
        &mut self,
        position: &Chess,
        list: impl Iterator<Item = (UciMove, Value)>,
    ) -> Result<NodeId, IllegalMove> {
        let node = self.node_of(position);
        let edges = self.edges_of(node, position, list)?;
        self.tree.fill(vec![(node, edges)]);
        Ok(node)
    }

    fn edges(&mut self, answers: Vec<List>) -> Result<Vec<(NodeId, Vec<Edge>)>, IllegalMove> {
        let mut lists = Vec::with_capacity(answers.len());
        for (node, list) in answers.into_iter().filter(|(_, list)| !list.is_empty()) {
            let position = self.position(node);
            lists.push((node, self.edges_of(node, &position, list.into_iter())?));
        }
        Ok(lists)
    }

    /// Finds out where answers lead in a position.
    fn edges_of(
        &mut self,
        node: NodeId,
        position: &Chess,
        list: impl Iterator<Item = (UciMove, Value)>,
    ) -> Result<Vec<Edge>, IllegalMove> {
        if self.graph().list(node).is_empty() {
            self.include(node, position)?;
        }
        let edge = |(uci, eval)| {
            let child = self.node_of(&after(position, uci)?);
            Ok(Edge { child, eval, uci: PackedUciMove::pack(uci) })
        };
        list.map(edge).collect()
    }

    /// Finds out where the moves lead that the user has included in a position.
    pub(super) fn include(&mut self, node: NodeId, position: &Chess) -> Result<(), IllegalMove> {
        let wishes = Arc::clone(&self.selection.wishes);
        let Some(wish) = wishes.get(self.positions.key(node)) else {
            return Ok(());
        };
        let mut included = Vec::with_capacity(wish.include.len());
        for uci in &wish.include {
            let child = self.node_of(&after(position, *uci)?);
            included.push(Included { uci: PackedUciMove::pack(*uci), child });
        }
        self.tree.include(node, included);
        Ok(())
    }

    /// The node of a position, a new one where it has not been seen.
    pub fn node_of(&mut self, position: &Chess) -> NodeId {
        let key = PositionKey::of(position);
        let hash = self.positions.hash(&key);
        if let Some(node) = self.positions.find(&key, hash) {
            return node;
        }
        let (turn, legal_moves, ending) = facts(position);
        let node = self.tree.add_node(turn, legal_moves, ending);
        self.positions.push(key, hash);
        if let Some(known) = self.known_end(position, ending, &key) {
            self.tree.know(node, known);
        }
        if let Some(wish) = self.selection.wishes.get(&key) {
            self.tree.direct(node, wish);
        }
        node
    }
}

/// The position after a move.
pub(super) fn after(position: &Chess, uci: UciMove) -> Result<Chess, IllegalMove> {
    let Ok(m) = uci.to_move(position) else {
        return Err(IllegalMove { uci, epd: epd_of(position) });
    };
    let mut child = position.clone();
    child.play_unchecked(m);
    Ok(child)
}

/// What the rules say of a position: the side to move, how many legal moves it has, and its ending.
fn facts(position: &Chess) -> (Color, u8, Option<Ending>) {
    let legal_moves = position.legal_moves().len();
    let ending = Ending::with(position, legal_moves);
    (position.turn(), u8::try_from(legal_moves).unwrap_or(u8::MAX), ending)
}
