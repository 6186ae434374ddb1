//! What the derived rows of a tree must hold.

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Value;
use deepanalyze_core::tree::{Growth, Line, NodeId, first_lines};
use deepanalyze_store::NodeRow;

/// What the rows of a tree's analysed positions must hold.
pub fn node_rows<'a>(growth: &'a Growth) -> impl Iterator<Item = (NodeId, NodeRow)> + 'a {
    let graph = growth.graph();
    graph.analysed().map(move |node| (node, node_row(growth, node)))
}

/// What the row of an analysed position must hold.
pub fn node_row(growth: &Growth, node: NodeId) -> NodeRow {
    let admitted = growth.graph().list(node).len();
    NodeRow { ply: growth.ply(node), admitted, idea: growth.values().idea(node) }
}

/// The root's alpha for its side to move, if it is known.
pub fn root_value(growth: &Growth) -> Option<Value> {
    let (graph, root) = (growth.graph(), growth.root());
    if let Some(end) = graph.end(root) {
        return Some(end);
    }
    let mut line = Line::new(graph, growth.values());
    let path = line.extend(None, root);
    graph.moves(root).iter().map(|edge| line.alpha(edge, path)).max()
}

/// The line of best alphas from the root, to its end; empty where the root is an end.
pub fn whole_best_line(growth: &Growth) -> Vec<UciMove> {
    let (graph, values, root) = (growth.graph(), growth.values(), growth.root());
    let best = first_lines(graph, values, root, (1, usize::MAX)).pop();
    best.map(|(_, line)| line).unwrap_or_default()
}
