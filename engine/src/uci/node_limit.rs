//! Whether an engine keeps to `go nodes`.

use deepanalyze_core::chess::Score;
use deepanalyze_core::search::{Answer, Limit};

/// Whether the nodes reported say that the engine does not keep to `go nodes`.
///
/// Engines look at their limit every so often, some every 30,000 nodes and more; GNU Chess and
/// Toga never do.
pub fn exceeds(limit: Limit, nodes: u64) -> bool {
    match limit {
        Limit::Depth(_) => false,
        Limit::Nodes(asked) => nodes > asked.saturating_mul(5).saturating_add(500_000),
    }
}

/// Whether an answer took so few nodes that the engine cannot have tried: Ethereal takes any number
/// of nodes for 6. A mate, a single move or a dead draw end a search early, too.
pub fn falls_short(limit: Limit, answer: &Answer, moves: usize) -> bool {
    let Limit::Nodes(asked) = limit else {
        return false;
    };
    let early = matches!(answer.score, Score::Mate(_)) || moves <= 1 || answer.depth >= 10;
    !early && answer.nodes > 0 && answer.nodes < asked / 10
}
