//! The engine's statements besides its scores. No value of the tree uses them: reports do.

use std::sync::Arc;

use hashbrown::HashMap;
use shakmaty::uci::UciMove;

use crate::chess::PositionKey;
use crate::search::WinDrawLoss;

use super::Growth;

/// Win, draw and loss rates behind listed moves, for their movers, by position and move.
pub type SaidOfMoves = HashMap<(PositionKey, UciMove), WinDrawLoss>;

impl Growth {
    /// The engine's win, draw and loss rates behind listed moves, as far as known.
    pub fn said(&self) -> &SaidOfMoves {
        &self.said
    }

    /// Takes the engine's rates behind listed moves: position, move, and the rates for its mover.
    pub fn learn_said(&mut self, said: Vec<(PositionKey, UciMove, WinDrawLoss)>) {
        // Copies of a tree share these until there are new ones.
        if !said.is_empty() {
            let said = said.into_iter().map(|(key, uci, wdl)| ((key, uci), wdl));
            Arc::make_mut(&mut self.said).extend(said);
        }
    }
}
