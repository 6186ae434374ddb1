//! A tree at one moment, with all that walking it needs.

use std::sync::Arc;

use shakmaty::uci::UciMove;

use crate::analysis::KeptTree;
use crate::chess::Game;
use crate::directives::Directives;
use crate::render::numbered_line;
use crate::store::AnalysisRow;
use crate::tree::{Growth, NodeId};

/// A kept tree, under the directives that its root has now.
#[derive(Debug)]
pub struct Snapshot {
    /// The analysis.
    pub row: AnalysisRow,
    /// The game up to the root.
    pub game: Game,
    /// The tree under the directives of the root.
    pub growth: Arc<Growth>,
    /// The tree as it was grown.
    pub kept: Arc<Growth>,
    /// The directives that it was grown with.
    pub grown_with: Directives,
    /// Those of its root now, notes among them.
    pub directives: Directives,
}

impl From<KeptTree> for Snapshot {
    fn from(tree: KeptTree) -> Snapshot {
        let KeptTree { row, game, growth, directives: grown_with, said, .. } = tree;
        Snapshot::new(row, game, Arc::new(growth), grown_with, said)
    }
}

impl Snapshot {
    /// A tree that was grown with some directives, under those that its root has now.
    pub fn new(
        row: AnalysisRow,
        game: Game,
        kept: Arc<Growth>,
        grown_with: Directives,
        directives: Directives,
    ) -> Snapshot {
        let is_pending = directives.of_tree() != grown_with;
        let under = || kept.under(directives.wishes()).ok().map(Arc::new);
        // The store refuses a directive that is not legal: there is always such a tree.
        let growth = if is_pending { under() } else { None };
        let growth = growth.unwrap_or_else(|| Arc::clone(&kept));
        Snapshot { row, game, growth, kept, grown_with, directives }
    }

    /// Whether the tree was grown with other directives: `grow` will grow it again.
    pub fn is_pending(&self) -> bool {
        self.directives.of_tree() != self.grown_with
    }

    /// The shortest line from the root to a position; the engine's better moves first.
    pub fn first_line(&self, node: NodeId) -> Vec<UciMove> {
        self.growth.first_line(node)
    }

    /// A line from the root in SAN with move numbers.
    pub fn numbered(&self, line: &[UciMove]) -> String {
        numbered_line(self.game.root(), line)
    }
}
