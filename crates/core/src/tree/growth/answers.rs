//! Answers as the tree takes them, with the positions that their moves lead to.

use std::sync::Arc;

use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use crate::chess::{Ending, PositionKey, Value, epd_of};

use super::Growth;
use crate::tree::graph::{Edge, Followed, NodeId};
use crate::tree::positions::Hash;

/// A move to be listed that is not legal in its position: its source is damaged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("move {uci} is not legal in {epd}")]
pub struct IllegalMove {
    /// The move.
    pub uci: UciMove,
    /// The position.
    pub epd: String,
}

/// A tree's facts of a position, from the rules.
#[derive(Debug, Clone, Copy)]
struct Seen {
    key: PositionKey,
    turn: Color,
    legal_moves: u8,
    ending: Option<Ending>,
}

/// An answer as a tree takes it: the position after the move, and the engine's score of it for its
/// mover. It is made of the position alone, so that another thread can do that.
#[derive(Debug, Clone, Copy)]
pub struct SeenMove {
    uci: PackedUciMove,
    eval: Value,
    to: Seen,
}

impl Seen {
    fn with(position: &Chess, key: PositionKey) -> Seen {
        let legal_moves = position.legal_moves().len();
        let ending = Ending::with(position, legal_moves);
        let legal_moves = u8::try_from(legal_moves).unwrap_or(u8::MAX);
        Seen { key, turn: position.turn(), legal_moves, ending }
    }
}

impl SeenMove {
    /// An answer in a position.
    ///
    /// # Errors
    ///
    /// If it is no legal move.
    pub fn of(position: &Chess, uci: UciMove, eval: Value) -> Result<SeenMove, IllegalMove> {
        let to = after(position, uci)?;
        let to = Seen::with(&to, PositionKey::of(&to));
        Ok(SeenMove { uci: PackedUciMove::pack(uci), eval, to })
    }
}

/// Answers of a position, in rank order.
type List = (NodeId, Vec<(UciMove, Value)>);

impl Growth {
    /// Appends answers to lists, in rank order, without counting a pass; a position may come once.
    ///
    /// # Errors
    ///
    /// If an answer is no legal move; no list has changed then.
    pub fn admit(&mut self, answers: Vec<List>) -> Result<(), IllegalMove> {
        let lists = self.edges(answers)?;
        self.tree.admit(lists);
        Ok(())
    }

    /// Takes a position of a kept tree with its list; [`Growth::restore`] then values them all.
    ///
    /// # Errors
    ///
    /// If an included or played move is not legal; the tree is of no use then.
    pub fn fill(
        &mut self,
        position: &PositionKey,
        list: impl Iterator<Item = SeenMove>,
    ) -> Result<NodeId, IllegalMove> {
        let node = self.node_of_key(position);
        let is_first = self.graph().list(node).is_empty();
        if is_first && self.selection.followed_at(position).next().is_some() {
            self.follow(node, &position.position())?;
        }
        let edges: Vec<Edge> = list
            .map(|SeenMove { uci, eval, to }| Edge { child: self.node_of_seen(&to), eval, uci })
            .collect();
        self.tree.fill(node, &edges);
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
            self.follow(node, position)?;
        }
        let edge = |(uci, eval)| {
            let child = self.node_of(&after(position, uci)?);
            Ok(Edge { child, eval, uci: PackedUciMove::pack(uci) })
        };
        list.map(edge).collect()
    }

    /// Finds the positions behind the moves included or played in a position.
    pub(super) fn follow(&mut self, node: NodeId, position: &Chess) -> Result<(), IllegalMove> {
        let key = *self.positions.key(node);
        let wishes = Arc::clone(&self.selection.wishes);
        if let Some(wish) = wishes.get(&key) {
            let included = self.led_to(position, &wish.include)?;
            self.tree.include(node, included);
        }
        let played = self.selection.played_at(&key);
        if !played.is_empty() {
            let played = self.led_to(position, &played)?;
            self.tree.play(node, played);
        }
        Ok(())
    }

    fn led_to(
        &mut self,
        position: &Chess,
        moves: &[UciMove],
    ) -> Result<Vec<Followed>, IllegalMove> {
        let to = |uci: &UciMove| {
            let child = self.node_of(&after(position, *uci)?);
            Ok(Followed { uci: PackedUciMove::pack(*uci), child })
        };
        moves.iter().map(to).collect()
    }

    /// The node of a position, a new one if it has not been seen.
    pub fn node_of(&mut self, position: &Chess) -> NodeId {
        let key = PositionKey::of(position);
        let hash = self.positions.hash(&key);
        match self.positions.find(&key, hash) {
            Some(node) => node,
            None => self.add(&Seen::with(position, key), hash),
        }
    }

    /// [`Growth::node_of`] by the key alone: nearly always a list has led to the position before.
    fn node_of_key(&mut self, key: &PositionKey) -> NodeId {
        let hash = self.positions.hash(key);
        match self.positions.find(key, hash) {
            Some(node) => node,
            None => self.add(&Seen::with(&key.position(), *key), hash),
        }
    }

    fn node_of_seen(&mut self, seen: &Seen) -> NodeId {
        let hash = self.positions.hash(&seen.key);
        match self.positions.find(&seen.key, hash) {
            Some(node) => node,
            None => self.add(seen, hash),
        }
    }

    /// Adds a position that has no node.
    fn add(&mut self, seen: &Seen, hash: Hash) -> NodeId {
        let Seen { key, turn, legal_moves, ending } = *seen;
        let node = self.tree.add_node(turn, legal_moves, ending);
        self.positions.push(key, hash);
        if let Some(known) = self.known_end(ending, &key) {
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
