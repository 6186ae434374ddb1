//! What is thought of a root, and whose word counts more.

use std::sync::Arc;

use shakmaty::uci::UciMove;

use crate::{Progress, Speaking};
use deepanalyze_core::chess::Value;
use deepanalyze_core::search::Limit;
use deepanalyze_report::is_believed;

/// A line of the root: its value for the side to move, and its moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValuedLine {
    /// For the side to move.
    pub value: Value,
    /// At least one.
    pub moves: Vec<UciMove>,
}

/// Where a verdict comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A quick search of so many plies by the built-in engine.
    Quick(u32),
    /// A tree whose searches go to this limit, with the depth that it has settled.
    Tree(Speaking),
    /// Endgame tables, which know the root: nothing is surer.
    Tables,
}

/// What is thought of a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// By whom.
    pub origin: Origin,
    /// The best line first; at least one.
    pub lines: Arc<[ValuedLine]>,
}

impl Verdict {
    /// A verdict, where there is a line with a move.
    pub fn new(origin: Origin, lines: impl IntoIterator<Item = ValuedLine>) -> Option<Verdict> {
        let lines: Arc<[ValuedLine]> =
            lines.into_iter().filter(|line| !line.moves.is_empty()).collect();
        (!lines.is_empty()).then_some(Verdict { origin, lines })
    }

    /// What a run says by now.
    pub fn of_run(progress: &Progress) -> Option<Verdict> {
        let speaking = progress.speaking?;
        let lines = progress.best.as_deref().into_iter().chain(progress.others.iter());
        let line = |line: &deepanalyze_report::BestLine| ValuedLine {
            value: line.value,
            moves: line.moves.clone(),
        };
        Verdict::new(Origin::Tree(speaking), lines.map(line))
    }

    /// The best move.
    pub fn best(&self) -> Option<UciMove> {
        self.lines.first().and_then(|line| line.moves.first()).copied()
    }

    /// The value of the root.
    pub fn value(&self) -> Option<Value> {
        self.lines.first().map(|line| line.value)
    }

    /// The depth that its tree has settled.
    pub fn settled(&self) -> Option<u32> {
        match self.origin {
            Origin::Tree(speaking) => speaking.settled,
            Origin::Quick(_) | Origin::Tables => None,
        }
    }

    /// Whether a verdict that comes later counts, this one being known.
    pub fn yields_to(&self, later: &Verdict) -> bool {
        match (self.origin, later.origin) {
            (Origin::Quick(_), _) | (_, Origin::Tables) => true,
            (Origin::Tree(_) | Origin::Tables, Origin::Quick(_)) => false,
            (Origin::Tables, Origin::Tree(_)) => false,
            (Origin::Tree(known), Origin::Tree(run)) => is_as_far(run, known),
        }
    }
}

/// Whether a run has come as far as what was known: a deeper stage speaks only where it is to be believed rather
/// than the one before.
fn is_as_far(run: Speaking, known: Speaking) -> bool {
    match (run.limit, known.limit) {
        (Limit::Depth(run_depth), Limit::Depth(known_depth)) if run_depth != known_depth => {
            run_depth > known_depth && is_believed(run.settled, known.settled)
        }
        _ => run.settled >= known.settled,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::parse_uci;

    fn tree(depth: u32, settled: Option<u32>) -> Origin {
        Origin::Tree(Speaking { limit: Limit::Depth(depth), settled })
    }

    fn verdict(origin: Origin) -> Verdict {
        let moves = vec![parse_uci("e2e4").unwrap()];
        Verdict::new(origin, [ValuedLine { value: Value::DRAW, moves }]).unwrap()
    }

    #[test]
    fn what_is_known_yields_to_what_is_as_far() {
        let quick = Origin::Quick(9);
        for (known, later, yields) in [
            (quick, tree(10, None), true),
            (quick, quick, true),
            (tree(10, None), quick, false),
            (tree(10, Some(4)), tree(10, Some(3)), false),
            (tree(10, Some(4)), tree(10, Some(4)), true),
            (tree(12, Some(3)), tree(10, Some(10)), false),
            (tree(10, Some(10)), tree(12, Some(5)), false),
            (tree(10, Some(10)), tree(12, Some(6)), true),
            (tree(10, Some(3)), tree(12, Some(3)), true),
            (tree(10, Some(3)), Origin::Tables, true),
            (Origin::Tables, tree(12, Some(30)), false),
            (Origin::Tables, quick, false),
        ] {
            assert_eq!(verdict(known).yields_to(&verdict(later)), yields, "{known:?} {later:?}");
        }
    }

    #[test]
    fn a_line_without_a_move_is_none() {
        let empty = ValuedLine { value: Value::MATED, moves: Vec::new() };
        assert_eq!(Verdict::new(tree(10, None), [empty]), None);
    }
}
