//! Stability of a root's best move: the smallest change of the engine's scores that would make
//! another move the best, and the leaves that would have to change.
//!
//! A *leaf* is a listed move whose worth is the engine's own score. A *flip* is a change of leaves
//! after which another move of the root has the first place by alpha (equal ones by rank, as ever).
//! Its size is the greatest change of any one leaf, in centipawns. Ends, draws by rule and by
//! repetition, tablebase results, and the user's values do not move; nor do announced mates, for a
//! centipawn is nothing to them; nor do unlisted moves come in. A score moves within ±31000. (The
//! smallest number of leaves that must change, by whatever amount, is the conspiracy number of
//! McAllester, Artificial Intelligence 35, 1988; here it is the amount, in any number of leaves.)
//!
//! With all leaves moved by x against the best move it is worth *low(x)*, and with all moved by x
//! in favour of a rival, that one is worth *high(x)*: no change of at most x brings either beyond.
//! So the least x at which some *high(x)* reaches *low(x)* is a bound that no flip is below. It is
//! the flip's size, unless both moves lead to the same leaves, which cannot go up and down at once
//! (whether a change of at most x is a flip, is NP-complete then: satisfiability of clauses of
//! which each has positive literals alone, or negative ones alone). A flip is therefore made: one
//! side's strategy for some value first, then the other's with the leaves of that one held where it
//! needs them; it is tried at the bound, then at greater changes. The flip reported was valued as a
//! whole and has another best move.

pub(super) mod search;
mod strategy;

use shakmaty::Color;
use shakmaty::uci::UciMove;

use crate::chess::Value;

use super::graph::{Graph, NodeId};
use super::rescoring::rescored::Rescoring;
use super::values::Values;
use search::Search;

/// The greatest change sought, in centipawns: it wins a game.
pub const MOST_CHANGE: u32 = 1000;

/// Moves looked at before the search must end: a fifth of a second.
const MOST_WORK: u64 = 20_000_000;

/// Stability of a root's best move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stability {
    /// No change of less than this many centipawns makes another move the best; one more than
    /// [`MOST_CHANGE`] if no change up to that does.
    pub at_least: u32,
    /// The smallest change found that does; None if there is none, or it was not worked out.
    pub flip: Option<Flip>,
}

/// A change of leaves that makes another move the best.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flip {
    /// The greatest change of any one leaf, in centipawns.
    pub change: u32,
    /// The best move then.
    pub best: UciMove,
    /// The leaves, those behind the present best move first. Without any one of them there is no flip, unless
    /// they are very many.
    pub leaves: Vec<MovedLeaf>,
}

/// A leaf with another score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedLeaf {
    /// The moves from the root, the leaf's own the last.
    pub line: Vec<UciMove>,
    /// The side that plays the last of them.
    pub mover: Color,
    /// The engine's score, for that side.
    pub from: Value,
    /// The changed score.
    pub to: Value,
}

impl Stability {
    /// True if no smaller flip is possible.
    pub fn is_exact(&self) -> bool {
        self.flip.as_ref().is_none_or(|flip| flip.change == self.at_least)
    }
}

/// Stability of a root's best move; None if it has no second move that counts.
pub fn stability(graph: &Graph, values: &Values, root: NodeId) -> Option<Stability> {
    if graph.moves(root).len() < 2 {
        return None;
    }
    let leaves = Rescoring::new(graph, values, root);
    Search::new(&leaves, MOST_CHANGE, MOST_WORK).map(Search::stability)
}
