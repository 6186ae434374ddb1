//! The least distance of each position from the root.

use std::collections::VecDeque;

use super::graph::{Graph, NodeId};
use super::table::Table;
use super::work::{Spent, Work};

/// Per node, the least number of moves that count and lead to it from the root; `u32::MAX` if none
/// do.
#[derive(Debug, Clone)]
pub struct Plies(Table<u32>);

impl Plies {
    /// Walks a whole graph.
    pub fn of(graph: &Graph, root: NodeId) -> Plies {
        let mut plies = Plies(Table::default());
        plies.0.extend_to(graph.len(), u32::MAX);
        if graph.is_empty() {
            return plies;
        }
        plies.0.set(root.index(), 0);
        // Unlimited work is done to its end.
        let _ = plies.go_on(graph, [root].into(), &mut |_| {}, &mut { Work::UNLIMITED });
        plies
    }

    /// The least ply of a position.
    pub fn get(&self, node: NodeId) -> u32 {
        self.0[node.index()]
    }

    /// Takes positions whose lists have grown; calls `nearer` with each nearer position.
    ///
    /// # Errors
    ///
    /// [`Spent`] if that is too much work.
    pub fn update(
        &mut self,
        graph: &Graph,
        longer: impl Iterator<Item = NodeId>,
        mut nearer: impl FnMut(NodeId),
        work: &mut Work,
    ) -> Result<(), Spent> {
        self.0.extend_to(graph.len(), u32::MAX);
        let reached = longer.filter(|node| self.get(*node) != u32::MAX);
        let reached = reached.collect();
        self.go_on(graph, reached, &mut nearer, work)
    }

    fn go_on(
        &mut self,
        graph: &Graph,
        mut open: VecDeque<NodeId>,
        nearer: &mut impl FnMut(NodeId),
        work: &mut Work,
    ) -> Result<(), Spent> {
        while let Some(node) = open.pop_front() {
            work.spend(1 + graph.moves(node).len() as u64)?;
            let ply = self.get(node) + 1;
            for edge in graph.moves(node) {
                if ply < self.get(edge.child) {
                    self.0.set(edge.child.index(), ply);
                    nearer(edge.child);
                    open.push_back(edge.child);
                }
            }
        }
        Ok(())
    }

    /// Marks the present state for [`Plies::undo`].
    pub fn mark(&mut self) {
        self.0.mark();
    }

    /// Undoes the changes since the mark.
    pub fn undo(&mut self) {
        self.0.undo();
    }
}
