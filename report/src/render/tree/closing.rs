//! A closing search, as JSON has it.

use serde::Serialize;
use shakmaty::Chess;

use crate::analysis::{Closing, ClosingAsked, ClosingMove};
use deepanalyze_core::chess::{Score, san_of};
use deepanalyze_core::search::Limit;

/// A closing search: what the engines chose, and after how much.
#[derive(Debug, Serialize)]
pub struct ClosingObject {
    #[serde(flatten)]
    best: ClosingMoveObject,
    /// The other moves that an engine chose, the best first.
    others: Vec<ClosingMoveObject>,
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
        let ClosingAsked { tree_limit, passes, limit, engines } = closing.asked;
        let of = |chosen| ClosingMoveObject::of(root, chosen);
        let (best, others) = (of(&closing.best), closing.others.iter().map(of).collect());
        ClosingObject { best, others, limit, nodes: closing.nodes, engines, tree_limit, passes }
    }
}

/// A move that an engine of a closing search chose, and what it thinks of it.
#[derive(Debug, Serialize)]
struct ClosingMoveObject {
    uci: String,
    san: String,
    score: Score,
    /// The engine's principal variation in UCI, the move first.
    line: Vec<String>,
}

impl ClosingMoveObject {
    fn of(root: &Chess, ClosingMove { uci, score, line }: &ClosingMove) -> ClosingMoveObject {
        let line = line.iter().map(ToString::to_string).collect();
        ClosingMoveObject { uci: uci.to_string(), san: san_of(root, *uci), score: *score, line }
    }
}
