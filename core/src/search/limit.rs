//! How long one search goes on.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The limit of one search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Plies of engine depth (`go depth`).
    Depth(u32),
    /// Engine nodes (`go nodes`).
    Nodes(u64),
}

/// As it stands in `go`: `depth 18`, `nodes 1000000`.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Depth(depth) => write!(f, "depth {depth}"),
            Limit::Nodes(nodes) => write!(f, "nodes {nodes}"),
        }
    }
}
