//! A tree at one moment, with all that walking it needs.

use shakmaty::uci::UciMove;

use crate::analysis::KeptTree;
use crate::chess::Game;
use crate::render::numbered_line;
use crate::store::AnalysisRow;
use crate::tree::{Growth, NodeId};

/// A kept tree.
#[derive(Debug)]
pub struct Snapshot {
    /// The analysis.
    pub row: AnalysisRow,
    /// The game up to the root.
    pub game: Game,
    /// The tree.
    pub growth: Growth,
}

impl From<KeptTree> for Snapshot {
    fn from(tree: KeptTree) -> Snapshot {
        let KeptTree { row, game, growth, .. } = tree;
        Snapshot { row, game, growth }
    }
}

impl Snapshot {
    /// The shortest line from the root to a position; the engine's better moves first.
    pub fn first_line(&self, node: NodeId) -> Vec<UciMove> {
        self.growth.first_line(node)
    }

    /// A line from the root in SAN with move numbers.
    pub fn numbered(&self, line: &[UciMove]) -> String {
        numbered_line(self.game.root(), line)
    }
}
