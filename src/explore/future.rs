//! What may come after a line: the best moves, one after the other.

use std::cmp::Reverse;

use hashbrown::HashSet;
use shakmaty::uci::UciMove;

use crate::tree::{Line, NodeId, PathSet};

use super::snapshot::Snapshot;

/// How many plies of the best line behind a move are shown.
const CONTINUATION: usize = 8;

/// What may come after a line.
pub struct Future<'a> {
    tree: &'a Snapshot,
    line: Line<'a>,
    /// The path to the end of the line, and the positions on it.
    path: Option<PathSet>,
    walked: HashSet<NodeId>,
    end: NodeId,
}

impl<'a> Future<'a> {
    /// What may come after the line through these positions.
    pub fn new(tree: &'a Snapshot, nodes: &[NodeId]) -> Future<'a> {
        let mut line = Line::new(tree.growth.graph(), &tree.values);
        let path = nodes.iter().fold(None, |path, node| line.extend(path, *node));
        let walked = nodes.iter().copied().collect();
        let end = nodes.last().copied().unwrap_or_else(|| tree.growth.root());
        Future { tree, line, path, walked, end }
    }

    /// The best line, as far as the tree knows one.
    pub fn best_line(&mut self) -> Vec<UciMove> {
        self.follow(self.end, self.path, HashSet::new(), usize::MAX)
    }

    /// The best line behind one of the moves.
    pub fn behind(&mut self, node: NodeId) -> Vec<UciMove> {
        if self.is_repeated(node, &HashSet::new()) {
            return Vec::new();
        }
        let path = self.line.extend(self.path, node);
        self.follow(node, path, HashSet::from_iter([node]), CONTINUATION)
    }

    /// The first moves by alpha, one after the other, as far as positions are analysed and do not
    /// repeat.
    fn follow(
        &mut self,
        mut node: NodeId,
        mut path: Option<PathSet>,
        mut walked: HashSet<NodeId>,
        plies: usize,
    ) -> Vec<UciMove> {
        let graph = self.tree.growth.graph();
        let mut moves = Vec::new();
        while moves.len() < plies {
            let alpha = |rank: usize, edge| (self.line.alpha(edge, path), Reverse(rank));
            let list = graph.list(node).iter().enumerate();
            let Some((_, best)) = list.max_by_key(|(rank, edge)| alpha(*rank, edge)) else {
                break;
            };
            moves.push(best.uci.unpack());
            node = best.child;
            if self.is_repeated(node, &walked) {
                break;
            }
            walked.insert(node);
            path = self.line.extend(path, node);
        }
        moves
    }

    fn is_repeated(&self, node: NodeId, walked: &HashSet<NodeId>) -> bool {
        self.tree.growth.graph().is_earlier(node)
            || self.walked.contains(&node)
            || walked.contains(&node)
    }
}
