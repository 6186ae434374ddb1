//! A tree at one moment, with all that walking it needs.

use shakmaty::uci::UciMove;

use crate::analysis::KeptTree;
use crate::chess::Game;
use crate::render::numbered_line;
use crate::store::AnalysisRow;
use crate::tree::{Growth, NodeId, Ways};

/// A kept tree.
#[derive(Debug)]
pub struct Snapshot {
    /// The analysis.
    pub row: AnalysisRow,
    /// The game up to the root.
    pub game: Game,
    /// The tree.
    pub growth: Growth,
    /// The shortest lines to its positions.
    ways: Ways,
}

impl From<KeptTree> for Snapshot {
    fn from(tree: KeptTree) -> Snapshot {
        Snapshot::new(tree.row, tree.game, tree.growth)
    }
}

impl Snapshot {
    /// Looks for the shortest lines of a tree.
    pub fn new(row: AnalysisRow, game: Game, growth: Growth) -> Snapshot {
        let ways = Ways::new(growth.graph(), growth.root());
        Snapshot { row, game, growth, ways }
    }

    /// The shortest line from the root to a position; the engine's better moves first.
    pub fn first_line(&self, node: NodeId) -> Vec<UciMove> {
        self.ways.line_to(node)
    }

    /// A line from the root in SAN with move numbers.
    pub fn numbered(&self, line: &[UciMove]) -> String {
        numbered_line(self.game.root(), line)
    }
}
