//! A closing search, as JSON has it.

use serde::Serialize;
use shakmaty::Chess;

use crate::analysis::Closing;
use crate::chess::{Score, san_of};
use crate::search::Limit;

/// A closing search: what the engines chose, and after how much.
#[derive(Debug, Serialize)]
pub struct ClosingObject {
    uci: String,
    san: String,
    score: Score,
    /// The engine's principal variation in UCI, the move first.
    line: Vec<String>,
    limit: Limit,
    /// Of all engines.
    nodes: u64,
    /// How many engines there were.
    engines: u32,
    /// Of the tree's searches.
    tree_limit: Limit,
    passes: u64,
}

impl ClosingObject {
    /// That of a root.
    pub fn of(root: &Chess, closing: &Closing) -> ClosingObject {
        let Closing { tree_limit, passes, limit, uci, score, nodes, engines, .. } = *closing;
        let san = san_of(root, uci);
        let line = closing.line.iter().map(ToString::to_string).collect();
        let uci = uci.to_string();
        ClosingObject { uci, san, score, line, limit, nodes, engines, tree_limit, passes }
    }
}
