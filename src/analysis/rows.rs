//! What the derived rows of a tree must hold.

use crate::chess::Value;
use crate::store::NodeRow;
use crate::tree::{Graph, Growth, Line, NodeId, Values, least_plies};

/// What the rows of a tree's analysed positions must hold.
pub fn node_rows<'a>(
    growth: &'a Growth,
    values: &'a Values,
) -> impl Iterator<Item = (NodeId, NodeRow)> + 'a {
    let graph = growth.graph();
    let plies = least_plies(graph, growth.root());
    graph.analysed().map(move |node| {
        let ply = plies.get(node.index()).copied().unwrap_or(u32::MAX);
        let admitted = graph.list(node).len();
        (node, NodeRow { ply, admitted, idea: values.idea(node) })
    })
}

/// The root's alpha for its side to move, if it is known.
pub fn root_value(growth: &Growth, values: &Values) -> Option<Value> {
    let (graph, root) = (growth.graph(), growth.root());
    if let Some(ending) = graph.ending(root) {
        return Some(Graph::end_value(ending));
    }
    let mut line = Line::new(graph, values);
    let path = line.extend(None, root);
    graph.list(root).iter().map(|edge| line.alpha(edge, path)).max()
}
