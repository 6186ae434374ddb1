//! Tablebase results of positions, before they become part of the tree.

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::{Ending, PositionKey, TableEnd, Wdl};
use crate::tree::graph::NodeId;
use crate::tree::visit::service::Service;

use super::Growth;
use super::answers::{IllegalMove, after};

impl Growth {
    /// Takes looked-up results for the side to move, or None if tables do not have the position.
    pub fn learn(&mut self, found: impl IntoIterator<Item = (PositionKey, Option<Wdl>)>) {
        for (key, result) in found {
            self.selection.facts.learn(key, result);
        }
    }

    /// Notes that the facts of all rounds up to `round` change none of its positions.
    pub fn take_up(&mut self, round: u64) {
        self.selection.facts.round = round;
    }

    /// The positions that answers of a pass lead to, and included and played moves beside them, that are to be looked up
    /// before the answers are admitted.
    ///
    /// # Errors
    ///
    /// If an answer is no legal move.
    pub fn to_look_up(&self, services: &[Service]) -> Result<Vec<Chess>, IllegalMove> {
        let mut found = Vec::new();
        if self.selection.facts.tables.is_none() {
            return Ok(found);
        }
        for service in services {
            let moves = service.answers().iter().map(|(uci, _)| *uci);
            found.extend(self.to_look_up_behind(service.node(), moves)?);
        }
        Ok(found)
    }

    /// [`Growth::to_look_up`] for some moves of one position.
    ///
    /// # Errors
    ///
    /// If a move is not legal.
    pub fn to_look_up_behind(
        &self,
        node: NodeId,
        moves: impl Iterator<Item = UciMove>,
    ) -> Result<Vec<Chess>, IllegalMove> {
        let mut found = Vec::new();
        let position = self.position(node);
        if !self.selection.facts.tables.is_some_and(|tables| tables.may_be_behind(&position)) {
            return Ok(found);
        }
        let key = PositionKey::of(&position);
        for uci in moves.chain(self.selection.followed_at(&key)) {
            let child = after(&position, uci)?;
            if self.is_to_look_up(&child) {
                found.push(child);
            }
        }
        Ok(found)
    }

    /// True if tables may know a position that was not looked up.
    pub fn is_to_look_up(&self, position: &Chess) -> bool {
        let facts = &self.selection.facts;
        facts.tables.is_some_and(|tables| tables.may_know(position))
            && Ending::of(position).is_none()
            && {
                let key = PositionKey::of(position);
                facts.get(&key).is_none() && self.find(&key).is_none()
            }
    }

    /// The end that a new position is by tables.
    pub(super) fn known_end(&self, ending: Option<Ending>, key: &PositionKey) -> Option<TableEnd> {
        let facts = &self.selection.facts;
        let tables = facts.tables.filter(|_| ending.is_none())?;
        facts.end(key).filter(|_| tables.may_know(&key.position()))
    }
}
