//! The line to where printing begins, and why there is nothing to print behind it.

use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;

use crate::analysis::KeptTree;
use crate::render::words::{after, describe_value, numbered_line};
use deepanalyze_core::chess::{GameError, san_of};
use deepanalyze_core::tree::{Graph, NodeId};

use super::value_of;

/// Why a line cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// A move cannot be played.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The line leaves the tree.
    #[error("the tree has no {san} after {line}")]
    Leaves {
        /// The part of the line that the tree has, in SAN.
        line: String,
        /// The move that it does not have.
        san: String,
    },
    /// The line goes on with a move that the user has excluded.
    #[error("the user has excluded {san} after {line}")]
    Excluded {
        /// The line before the move, in SAN.
        line: String,
        /// The move.
        san: String,
    },
    /// The line ends in a position that is not analysed.
    #[error("the tree ends with {line}")]
    Ends {
        /// The line, in SAN.
        line: String,
    },
    /// The line comes to a position where the user lets the tree end.
    #[error("the tree ends with {line}, which {what}")]
    EndsAsDirected {
        /// The line, in SAN.
        line: String,
        /// What the user has said of the position.
        what: String,
    },
}

/// The nodes along a line, the root first. Printing begins at the last one, which is analysed, or the root.
pub(super) fn nodes_along(tree: &KeptTree, moves: &[UciMove]) -> Result<Vec<NodeId>, LineError> {
    let nodes = tree.growth.walk(moves);
    let end = nodes.last().copied().unwrap_or_else(|| tree.growth.root());
    let is_whole = nodes.len() > moves.len();
    if moves.is_empty() || is_whole && tree.growth.graph().is_analysed(end) {
        return Ok(nodes);
    }
    let (there, behind) = moves.split_at((nodes.len() - 1).min(moves.len()));
    Err(error_of(tree, end, there, behind.first().copied()))
}

/// The error of a line of which the tree has so much, with the node at its end, and the move that comes next.
fn error_of(tree: &KeptTree, end: NodeId, there: &[UciMove], next: Option<UciMove>) -> LineError {
    let (graph, root) = (tree.growth.graph(), tree.game.root());
    let line = match numbered_line(root, there) {
        line if line.is_empty() => "the root".to_owned(),
        line => line,
    };
    if let Some(what) = what_ends(graph, end) {
        return LineError::EndsAsDirected { line, what };
    }
    let Some(uci) = next else {
        return LineError::Ends { line };
    };
    let san = san_of(&after(root, there), uci);
    match graph.excluded(end).contains(&PackedUciMove::pack(uci)) {
        true => LineError::Excluded { line, san },
        false => LineError::Leaves { line, san },
    }
}

/// What the user has said of a position, if that lets the tree end there.
fn what_ends(graph: &Graph, node: NodeId) -> Option<String> {
    let value =
        value_of(graph, node).map(|value| format!("has the value: {}", describe_value(value)));
    value.or_else(|| graph.is_stopped(node).then(|| "is stopped".to_owned()))
}
