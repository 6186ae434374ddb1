//! What the engine has said of its answers beside their scores. No value of the tree goes by it: reports tell it.

use std::sync::Arc;

use hashbrown::HashMap;
use shakmaty::uci::UciMove;

use crate::chess::PositionKey;
use crate::search::WinDrawLoss;

use super::Growth;

/// How games end behind listed moves, for the sides that play them, by position and move.
pub type SaidOfMoves = HashMap<(PositionKey, UciMove), WinDrawLoss>;

impl Growth {
    /// How games end behind listed moves as told by the engine, as far as somebody has told it.
    pub fn said(&self) -> &SaidOfMoves {
        &self.said
    }

    /// Takes what the engine has said of listed moves: position, move, and how games end for its mover.
    pub fn learn_said(&mut self, said: Vec<(PositionKey, UciMove, WinDrawLoss)>) {
        // Copies of a tree share what is known as long as nothing is new.
        if !said.is_empty() {
            let said = said.into_iter().map(|(key, uci, wdl)| ((key, uci), wdl));
            Arc::make_mut(&mut self.said).extend(said);
        }
    }
}
