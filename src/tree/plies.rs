//! The least distance of each position from the root.

use std::collections::VecDeque;

use super::graph::{Graph, NodeId};

/// Per node, the least number of listed moves that lead to it from the root; `u32::MAX` where none
/// do.
pub fn least_plies(graph: &Graph, root: NodeId) -> Vec<u32> {
    let mut plies = vec![u32::MAX; graph.len()];
    plies[root.index()] = 0;
    let mut queue = VecDeque::from([root]);
    while let Some(node) = queue.pop_front() {
        let ply = plies[node.index()] + 1;
        for edge in graph.list(node) {
            let child = &mut plies[edge.child.index()];
            if ply < *child {
                *child = ply;
                queue.push_back(edge.child);
            }
        }
    }
    plies
}
