//! Everything speculative: null move, razoring, futility, late move pruning and reductions,
//! singular extensions.
//!
//! None of it runs when the option `Speculation` is off.

use crate::board::Board;
use crate::exchange;
use crate::history::PieceTo;
use crate::moves::Move;
use crate::ordering::Picker;
use crate::score::{MATE_BOUND, from_table, is_mate};
use crate::table::BoundKind;

use super::Searcher;
use super::node::{KnownNode, NodeKind, SearchNode};

impl Searcher<'_> {
    /// The node's score without trying all its moves, if pruning applies.
    pub(super) fn prune(
        &mut self,
        board: &Board,
        node: &SearchNode,
        known: &KnownNode,
    ) -> Option<i32> {
        if node.kind == NodeKind::Line || board.is_check() {
            return None;
        }
        let (alpha, beta) = node.window;
        let evaluation = known.evaluation;
        // Reverse futility: so far ahead that the opponent will not get here.
        let margin = 60 * node.depth - 45 * i32::from(known.improving);
        if node.depth <= 8
            && evaluation - margin >= beta
            && beta > -MATE_BOUND
            && !is_mate(evaluation)
        {
            return Some((evaluation + beta) / 2);
        }
        // Razoring: so far behind that only a capture can help.
        if node.depth <= 2 && evaluation + 600 * node.depth < alpha && !is_mate(alpha) {
            let score = self.quiescence(board, *node, 0);
            if score < alpha {
                return Some(score);
            }
        }
        let passed = self.null_move(board, node, known);
        passed.or_else(|| self.probable_cut(board, node, known))
    }

    /// If even passing is good enough, a move will be.
    fn null_move(&mut self, board: &Board, node: &SearchNode, known: &KnownNode) -> Option<i32> {
        let beta = node.window.1;
        let passed = self.before(node.ply)[0] == PieceTo::NONE && node.ply > 0;
        if node.depth < 3
            || known.evaluation < beta
            || passed
            || !board.has_pieces(board.turn())
            || is_mate(beta)
        {
            return None;
        }
        let margin = ((known.evaluation - beta) / 200).min(3);
        let depth = node.depth - 3 - node.depth / 3 - margin;
        self.frames[node.ply].step = PieceTo::NONE;
        let next = board.pass();
        self.keys.push(next.key());
        let barrier = std::mem::replace(&mut self.barrier, self.keys.len() - 1);
        self.count_node(node.ply + 1);
        let child = SearchNode {
            window: (-beta, -beta + 1),
            depth,
            ply: node.ply + 1,
            budgets: known.budgets,
            kind: NodeKind::All,
            tactical: false,
        };
        let score = -self.node(&next, child);
        self.barrier = barrier;
        self.leave();
        if self.stopped || score < beta {
            return None;
        }
        Some(if is_mate(score) { beta } else { score })
    }

    /// A capture that holds well above beta in a shallow search will hold beta in a deep one.
    fn probable_cut(&mut self, board: &Board, node: &SearchNode, known: &KnownNode) -> Option<i32> {
        let beta = node.window.1 + 170;
        let doubtful = known.entry.is_some_and(|entry| {
            entry.bound != BoundKind::Lower
                && entry.depth >= node.depth - 3
                && from_table(entry.score, node.ply) < beta
        });
        if node.depth < 5 || is_mate(node.window.1) || doubtful {
            return None;
        }
        let mut picker = Picker::tactical(Move::NONE);
        while let Some(m) = picker.next(board, &known.safety, &self.own.histories) {
            if picker.is_at_bad_captures() || !exchange::wins(board, m, beta - known.evaluation) {
                continue;
            }
            let next = self.enter(board, m, node.ply);
            let child = SearchNode {
                window: (-beta, -beta + 1),
                depth: node.depth - 4,
                ply: node.ply + 1,
                budgets: known.budgets,
                kind: NodeKind::All,
                tactical: true,
            };
            let mut score = -self.quiescence(&next, child, 0);
            if score >= beta && !self.stopped {
                score = -self.node(&next, child);
            }
            self.leave();
            if self.stopped {
                return None;
            }
            if score >= beta {
                return Some(if is_mate(score) { score } else { score - 170 });
            }
        }
        None
    }

    /// True if a move is not worth trying.
    #[expect(clippy::too_many_arguments, reason = "a node's whole state goes into a move")]
    pub(super) fn skips(
        &self,
        board: &Board,
        node: &SearchNode,
        known: &KnownNode,
        m: Move,
        count: usize,
        alpha: i32,
        picker: &Picker,
    ) -> bool {
        let tactical = board.is_tactical(m);
        let reduced = (node.depth - reduction_base(node.depth, count)).max(0);
        if tactical {
            return picker.is_at_bad_captures()
                && node.depth <= 7
                && !exchange::wins(board, m, -90 * node.depth);
        }
        if board.is_check() || !board.has_pieces(board.turn()) {
            return false;
        }
        // A check may be the start of a mate, however late and far behind; near the leaves, only one that loses nothing.
        let checks = board.check_squares();
        if checks[board.mover(m) as usize - 1].contains(m.to())
            && (node.depth > 2 || exchange::wins(board, m, 0))
        {
            return false;
        }
        // Late moves: the order is good enough that they rarely matter.
        let many = (4 + 2 * node.depth * node.depth) / if known.improving { 1 } else { 2 };
        if node.depth <= 8 && count as i32 > many {
            return true;
        }
        // Futility: too far behind for a quiet move.
        if reduced <= 7 && known.evaluation + 90 + 85 * reduced <= alpha {
            return true;
        }
        let history = self.own.histories.quiet(board, m, self.before(node.ply));
        if reduced <= 4 && history < -3500 * (reduced + 1) {
            return true;
        }
        reduced <= 8 && !exchange::wins(board, m, -24 * reduced * reduced)
    }

    /// A move that is far better than all others is searched deeper; one of several that hold
    /// is not.
    pub(super) fn extension(
        &mut self,
        board: &Board,
        node: &SearchNode,
        known: &KnownNode,
        m: Move,
    ) -> i32 {
        let Some(entry) = known.entry else {
            return 0;
        };
        let applies = self.options.speculation
            && entry.best == m
            && node.depth >= 7
            && entry.depth >= node.depth - 3
            && matches!(entry.bound, BoundKind::Lower | BoundKind::Exact)
            && !is_mate(entry.score)
            && node.ply < 2 * self.root_depth as usize
            && known.costs;
        if !applies {
            return 0;
        }
        let alone = entry.score - 2 * node.depth;
        self.frames[node.ply].excluded = m;
        let score = self.node(
            board,
            SearchNode {
                window: (alone - 1, alone),
                depth: (node.depth - 1) / 2,
                kind: NodeKind::Cut,
                ..*node
            },
        );
        self.frames[node.ply].excluded = Move::NONE;
        if score < alone {
            1
        } else if entry.score >= node.window.1 {
            -1
        } else {
            0
        }
    }

    /// Depth reduction of a late move's first search.
    pub(super) fn reduction(
        &self,
        board: &Board,
        node: &SearchNode,
        known: &KnownNode,
        m: Move,
        count: usize,
        next: &Board,
    ) -> i32 {
        let early = if node.kind == NodeKind::Line { 3 } else { 2 };
        if !self.options.speculation || node.depth < 3 || count < early {
            return 0;
        }
        let mut reduction = reduction_base(node.depth, count);
        if board.is_tactical(m) {
            // The order already put losing captures last.
            if exchange::wins(board, m, 0) {
                return 0;
            }
            return (reduction - 1).max(0);
        }
        // After the move, the mover is the other side in `before`'s eyes: read the board before.
        let history = self.own.histories.quiet(board, m, self.before(node.ply));
        reduction -= history / 10_000;
        reduction += i32::from(!known.improving) + i32::from(node.kind == NodeKind::Cut);
        reduction -= i32::from(node.kind == NodeKind::Line);
        reduction -= i32::from(next.is_check()) + i32::from(board.is_check());
        reduction -= i32::from(self.own.histories.killers(node.ply).contains(&m));
        reduction.max(0)
    }
}

/// The natural logarithm in 1024ths, linear between powers of two: the same on every machine.
fn log(x: usize) -> i32 {
    let x = x.max(1);
    let power = x.ilog2();
    let rest = ((x - (1 << power)) << 10 >> power) as i32;
    (power as i32 * 1024 + rest) * 710 / 1024
}

/// The reduction of a quiet move by depth and its number.
pub(super) fn reduction_base(depth: i32, count: usize) -> i32 {
    let product = log(depth.max(1) as usize) * log(count) / 1024;
    (780 + product * 100 / 215) / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_grow_with_depth_and_number() {
        assert_eq!(reduction_base(1, 1), 0);
        assert!(reduction_base(3, 4) <= 1);
        assert!((3..6).contains(&reduction_base(20, 30)));
        for depth in 1..60 {
            for count in 1..100 {
                assert!(reduction_base(depth, count) <= reduction_base(depth + 1, count));
                assert!(reduction_base(depth, count) <= reduction_base(depth, count + 1));
            }
        }
    }
}
