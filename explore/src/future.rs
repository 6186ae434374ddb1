//! What may come after a line: the best moves, one after the other.

use shakmaty::uci::UciMove;

use deepanalyze_core::tree::{Line, NodeId, PathSet, best_line, best_line_behind};

use deepanalyze_report::LiveTree;

/// How many plies of the best line behind a move are shown.
const CONTINUATION: usize = 40;

/// What may come after a line.
pub struct Future<'a> {
    tree: &'a LiveTree,
    line: Line<'a>,
    /// The path to the end of the line.
    path: Option<PathSet>,
    end: NodeId,
}

impl<'a> Future<'a> {
    /// What may come after the line through these positions.
    pub fn new(tree: &'a LiveTree, nodes: &[NodeId]) -> Future<'a> {
        let mut line = Line::new(tree.growth.graph(), tree.growth.values());
        let path = nodes.iter().fold(None, |path, node| line.extend(path, *node));
        let end = nodes.last().copied().unwrap_or_else(|| tree.growth.root());
        Future { tree, line, path, end }
    }

    /// The best line, as far as the tree knows one.
    pub fn best_line(&mut self) -> Vec<UciMove> {
        let graph = self.tree.growth.graph();
        best_line(graph, &mut self.line, self.end, self.path, usize::MAX)
    }

    /// The best line behind one of the moves.
    pub fn behind(&mut self, node: NodeId) -> Vec<UciMove> {
        let graph = self.tree.growth.graph();
        best_line_behind(graph, &mut self.line, node, self.path, CONTINUATION)
    }
}
