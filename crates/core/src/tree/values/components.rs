//! Strongly connected components of the analysed positions (Tarjan 1972), children first.

use crate::tree::graph::{Graph, NodeId};

/// Not yet reached.
const NEW: u32 = 0;
/// In a component that has been handed out.
const DONE: u32 = u32::MAX;

/// Tarjan's search with a stack of its own: a line of a million plies must not overflow the
/// thread's.
struct Search<'a> {
    graph: &'a Graph,
    /// Per node, [`NEW`], [`DONE`], or when it was reached, lowered to the earliest node that it
    /// can get back to.
    low: Vec<u32>,
    reached: u32,
    /// Nodes on the way down: when each was reached, and how many of its moves have been followed.
    way: Vec<(NodeId, u32, u32)>,
    /// Reached nodes whose component is not complete.
    open: Vec<NodeId>,
}

/// Calls `component` with each strongly connected component of the analysed positions, a component
/// after all that it leads to. Linear in the listed moves.
pub fn components(graph: &Graph, mut component: impl FnMut(&[NodeId])) {
    let mut search = Search {
        graph,
        low: vec![NEW; graph.len()],
        reached: NEW,
        way: Vec::new(),
        open: Vec::new(),
    };
    for node in graph.analysed() {
        if search.low[node.index()] == NEW {
            search.run_from(node, &mut component);
        }
    }
}

impl Search<'_> {
    fn run_from(&mut self, node: NodeId, component: &mut impl FnMut(&[NodeId])) {
        self.enter(node);
        while let Some((node, reached_at, followed)) = self.way.last_mut() {
            let (node, reached_at) = (*node, *reached_at);
            let Some(edge) = self.graph.moves(node).get(*followed as usize) else {
                self.leave(node, reached_at, component);
                continue;
            };
            *followed += 1;
            let child = edge.child;
            match self.low[child.index()] {
                NEW if self.graph.is_analysed(child) => self.enter(child),
                NEW | DONE => {}
                low => self.lower(node, low),
            }
        }
    }

    fn enter(&mut self, node: NodeId) {
        self.reached += 1;
        self.low[node.index()] = self.reached;
        self.way.push((node, self.reached, 0));
        self.open.push(node);
    }

    fn leave(&mut self, node: NodeId, reached_at: u32, component: &mut impl FnMut(&[NodeId])) {
        self.way.pop();
        let low = self.low[node.index()];
        if low == reached_at {
            let first = self.open.iter().rposition(|open| *open == node).unwrap_or(0);
            component(&self.open[first..]);
            for done in self.open.drain(first..) {
                self.low[done.index()] = DONE;
            }
        } else if let Some((parent, _, _)) = self.way.last() {
            self.lower(*parent, low);
        }
    }

    fn lower(&mut self, node: NodeId, low: u32) {
        let own = &mut self.low[node.index()];
        *own = low.min(*own);
    }
}
