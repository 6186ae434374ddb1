//! What the stage before lets expect: the same position, searched a little less deep.

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::{PositionKey, Value};
use crate::tree::Growth;

/// The tree of the stage before.
#[derive(Debug)]
pub struct Forecast {
    growth: Growth,
}

impl Forecast {
    /// The forecast of a tree.
    pub fn new(growth: Growth) -> Forecast {
        Forecast { growth }
    }

    /// The best of the moves that it lists besides these, with the engine's score for its mover.
    pub fn of(&self, position: &Chess, before: &[UciMove]) -> Option<(UciMove, Value)> {
        let node = self.growth.find(&PositionKey::of(position))?;
        let list = self.growth.graph().list(node);
        let next = list.iter().find(|edge| !before.contains(&edge.uci.unpack()))?;
        Some((next.uci.unpack(), next.eval))
    }
}
