//! Search nodes: known facts, the expected kind, and the budgets for nodes with few moves.

use crate::board::{Board, Safety};
use crate::options::Options;
use crate::table::TableEntry;

/// The expected kind of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NodeKind {
    /// On the principal variation: searched with an open window.
    Line,
    /// A move should cut.
    Cut,
    /// No move should cut.
    All,
}

/// Parameters of a node's search.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchNode {
    /// Alpha and beta.
    pub window: (i32, i32),
    /// Depth left.
    pub depth: i32,
    /// Distance from the root.
    pub ply: usize,
    /// Budgets left for nodes with few moves.
    pub budgets: Budgets,
    /// The expected kind.
    pub kind: NodeKind,
    /// True if the move that led here captured or promoted.
    pub tactical: bool,
}

/// Facts about a node whose moves are about to be tried.
pub(super) struct KnownNode {
    pub safety: Safety,
    pub entry: Option<TableEntry>,
    pub evaluation: i32,
    pub improving: bool,
    pub budgets: Budgets,
    /// True if the node costs depth.
    pub costs: bool,
}

impl SearchNode {
    pub(super) fn is_line(&self) -> bool {
        self.kind == NodeKind::Line
    }

    /// Expected kind of its children, after the first.
    pub(super) fn child_kind(&self) -> NodeKind {
        if self.kind == NodeKind::Cut { NodeKind::All } else { NodeKind::Cut }
    }
}

/// Budgets left of selective deepening after Fischerle: nodes with few legal moves cost no depth,
/// within two budgets that travel down the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budgets {
    /// For nodes within the candidate limit.
    pub selective: i32,
    /// For nodes with one move.
    pub forced: i32,
}

impl Budgets {
    /// The budgets at the root.
    pub fn new(options: &Options) -> Budgets {
        Budgets { selective: options.selective_depth, forced: options.forced_depth }
    }

    /// The budgets below a node and whether the node costs depth.
    pub fn spend(self, board: &Board, safety: &Safety, limit: usize) -> (Budgets, bool) {
        let nothing_left = self.selective <= 0 && self.forced <= 0;
        if nothing_left || board.has_more_moves_than(safety, limit.max(1)) {
            return (self, true);
        }
        self.spend_on(board.legal_moves().len(), limit)
    }

    /// [`Budgets::spend`] for a known number of legal moves.
    pub fn spend_on(mut self, moves: usize, limit: usize) -> (Budgets, bool) {
        if moves == 1 && self.forced > 0 {
            self.forced -= 1;
            (self, false)
        } else if moves <= limit && self.selective > 0 {
            self.selective -= 1;
            (self, false)
        } else {
            (self, true)
        }
    }

    /// Part of the table key, where searches with different budgets must not mix.
    pub fn key(self) -> u64 {
        let both = (self.selective as u64) << 32 | self.forced as u64;
        both.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forced_moves_spend_their_own_budget_first() {
        let full = Budgets { selective: 4, forced: 10 };
        for (budgets, moves, limit, left, costs) in [
            (full, 1, 3, (4, 9), false),
            (full, 3, 3, (3, 10), false),
            (full, 4, 3, (4, 10), true),
            (full, 1, 0, (4, 9), false),
            (Budgets { selective: 4, forced: 0 }, 1, 3, (3, 0), false),
            (Budgets { selective: 0, forced: 10 }, 2, 3, (0, 10), true),
            (Budgets { selective: 0, forced: 0 }, 1, 3, (0, 0), true),
        ] {
            let (after, cost) = budgets.spend_on(moves, limit);
            assert_eq!((after.selective, after.forced), left);
            assert_eq!(cost, costs);
        }
    }
}
