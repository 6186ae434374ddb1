//! A tree at one moment, under the directives that its root has now: what one walks through.

use std::sync::Arc;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, TableMove, Value};
use deepanalyze_core::directives::Directives;
use deepanalyze_core::tree::{Growth, NodeId, aside};
use deepanalyze_store::AnalysisRow;

use super::closing::Closing;
use super::tree::KeptTree;

/// A kept tree, under the directives that its root has now.
#[derive(Debug, Clone)]
pub struct LiveTree {
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
    /// The moves of the root, the best first, where tables know it.
    pub table_moves: Vec<TableMove>,
    /// Of the closing searches of all stages the one of the most nodes.
    pub closing: Option<Closing>,
}

impl From<KeptTree> for LiveTree {
    fn from(tree: KeptTree) -> LiveTree {
        let KeptTree {
            row, game, growth, directives: grown_with, said, table_moves, closing, ..
        } = tree;
        let live = LiveTree::new(row, game, Arc::new(growth), grown_with, said);
        LiveTree { table_moves, closing, ..live }
    }
}

impl LiveTree {
    /// A tree that was grown with some directives, under those that its root has now. No moves of the root are
    /// known from tables yet, and no closing search.
    pub fn new(
        row: AnalysisRow,
        game: Game,
        kept: Arc<Growth>,
        grown_with: Directives,
        directives: Directives,
    ) -> LiveTree {
        let is_pending = directives.of_tree() != grown_with;
        let under = || kept.under(directives.wishes()).ok().map(Arc::new);
        // The store refuses a directive that is not legal: there is always such a tree.
        let growth = if is_pending { under() } else { None };
        let growth = growth.unwrap_or_else(|| Arc::clone(&kept));
        let (table_moves, closing) = (Vec::new(), None);
        LiveTree { row, game, growth, kept, grown_with, directives, table_moves, closing }
    }

    /// Whether the tree was grown with other directives: `grow` will grow it again.
    pub fn is_pending(&self) -> bool {
        self.directives.of_tree() != self.grown_with
    }

    /// The shortest line from the root to a position; the engine's better moves first.
    pub fn first_line(&self, node: NodeId) -> Vec<UciMove> {
        self.growth.first_line(node)
    }

    /// The nodes along a line, the root first, as far as the tree knows the moves, those that do not count
    /// among them.
    pub fn walk(&self, line: &[UciMove]) -> Vec<NodeId> {
        let graph = self.growth.graph();
        let (mut nodes, mut node) = (vec![self.growth.root()], self.growth.root());
        for uci in line {
            let counting = graph.moves(node).iter().map(|edge| (edge.uci, edge.child));
            let aside = aside(graph, node).into_iter().map(|aside| (aside.uci, aside.child));
            let mut moves = counting.chain(aside);
            let Some((_, next)) = moves.find(|(known, _)| known.unpack() == *uci) else {
                break;
            };
            node = next;
            nodes.push(node);
        }
        nodes
    }

    /// What a position without moves that count is worth for its side to move, behind these nodes and moves:
    /// an end's value, or what the engine said of the move that led there.
    pub fn value_without_moves(&self, nodes: &[NodeId], line: &[UciMove]) -> Option<Value> {
        let graph = self.growth.graph();
        let (node, before) = nodes.split_last()?;
        if let Some(end) = graph.end(*node) {
            return Some(end);
        }
        let mut list = graph.list(*before.last()?).iter();
        list.find(|edge| Some(&edge.uci.unpack()) == line.last()).map(|edge| -edge.eval)
    }
}
