//! Growing lists.

use super::{Edge, Facts, Graph, NodeId};

/// Effects of longer lists.
#[derive(Debug, Default)]
pub struct Grown {
    /// Moves that count from now on, in the order of the lists.
    pub links: Vec<(NodeId, NodeId)>,
    /// Positions that are analysed from now on.
    pub analysed: Vec<NodeId>,
    /// Positions whose moves that count have changed, those among them that have been analysed before.
    pub changed: Vec<NodeId>,
}

impl Graph {
    /// Appends answers to lists, each position's in rank order; a position may come once.
    pub fn admit(&mut self, answers: Vec<(NodeId, Vec<Edge>)>) {
        for (parent, child) in self.append(answers).links {
            self.link(parent, child);
        }
    }

    /// Appends moves to one list. A large tree is read list by list: a position without directives
    /// needs no notes on the way.
    pub(in crate::tree) fn fill(&mut self, node: NodeId, moves: &[Edge]) {
        if moves.is_empty() || self.is_directed(node) || self.following.get(node).is_some() {
            return self.admit(vec![(node, moves.to_vec())]);
        }
        self.lengthen(node, moves);
        if !self.is_analysed(node) {
            self.set_analysed(node);
        }
        for edge in moves {
            self.link(node, edge.child);
        }
    }

    fn lengthen(&mut self, node: NodeId, moves: &[Edge]) {
        let mut entry = self.nodes[node.index()];
        entry.list = self.lists.append(entry.list, moves);
        self.nodes.set(node.index(), entry);
    }

    /// True if listed moves need not count.
    fn is_directed(&self, node: NodeId) -> bool {
        self.facts(node).is(Facts::DIRECTED | Facts::STOPPED | Facts::ENDS)
    }

    /// Appends moves to lists. Those that count from now on are still to be linked.
    pub(in crate::tree) fn append(&mut self, answers: Vec<(NodeId, Vec<Edge>)>) -> Grown {
        let (mut grown, mut directed) = (Grown::default(), Vec::new());
        for (node, moves) in answers.into_iter().filter(|(_, moves)| !moves.is_empty()) {
            self.lengthen(node, &moves);
            if self.is_directed(node) {
                directed.push(node);
                continue;
            }
            grown.links.extend(moves.iter().map(|edge| (node, edge.child)));
            if self.is_analysed(node) {
                grown.changed.push(node);
            } else {
                self.set_analysed(node);
                grown.analysed.push(node);
            }
        }
        for node in directed {
            // Even if the same moves count as before, there is something new: an included one that
            // is now listed ends a service, which used the score of the engine alone.
            if self.is_analysed(node) {
                grown.changed.push(node);
            }
            self.count_moves(node, &mut grown);
        }
        let mut next = 0;
        while let Some(node) = grown.analysed.get(next).copied() {
            next += 1;
            for parent in self.following.get(node).cloned().unwrap_or_default() {
                self.count_moves(parent, &mut grown);
            }
        }
        grown
    }

    /// Adds a position to the parents of another.
    pub(in crate::tree) fn link(&mut self, parent: NodeId, child: NodeId) {
        self.parents.add(child, parent);
    }
}
