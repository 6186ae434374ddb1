//! The root: a node like any other, but its moves are kept with their scores and lines.

use crate::board::Board;
use crate::score::{INFINITE, to_table};
use crate::selective::Budgets;
use crate::table::{Bound, Entry};

use super::Search;
use super::node::{Kind, Node};

impl Search<'_> {
    /// Searches the root moves from `first` on (those before are better lines) within a window.
    pub(super) fn root(&mut self, board: &Board, window: (i32, i32), first: usize) -> i32 {
        let (mut alpha, beta) = window;
        let budgets = Budgets::new(self.options);
        let moves = board.legal_moves().len();
        let (budgets, costs) = budgets.spend_on(moves, self.options.candidate_limit);
        let depth = self.root_depth - i32::from(costs);
        self.frames[0].evaluation = self.evaluate(board);
        self.memory.histories.clear_killers_at(1);
        let mut best = -INFINITE;
        let rank = self.root_moves[first].rank;
        let group = self.root_moves.iter().take_while(|root| root.rank <= rank).count();
        for index in first..group {
            let m = self.root_moves[index].m;
            self.tell_current_move(m, index + 1);
            let before = self.nodes;
            let next = self.enter(board, m, 0);
            let node = |window, kind, reduction| Node {
                window,
                depth: depth - reduction,
                ply: 1,
                budgets,
                kind,
                tactical: board.is_tactical(m),
            };
            let score = if index == first {
                -self.node(&next, node((-beta, -alpha), Kind::Line, 0))
            } else {
                let reduction = self.root_reduction(board, m, index - first, &next);
                let null = (-alpha - 1, -alpha);
                let mut score = -self.node(&next, node(null, Kind::Cut, reduction));
                if score > alpha && reduction > 0 && !self.stopped {
                    score = -self.node(&next, node(null, Kind::Cut, 0));
                }
                if score > alpha && score < beta && !self.stopped {
                    score = -self.node(&next, node((-beta, -alpha), Kind::Line, 0));
                }
                score
            };
            self.leave();
            let spent = self.nodes - before;
            self.root_moves[index].nodes += spent;
            if self.stopped {
                return best;
            }
            best = best.max(score);
            self.keep_root_score(index, first, score, alpha);
            if score > alpha {
                alpha = score;
                if alpha >= beta {
                    break;
                }
            }
        }
        self.store_root(board, best, window, first);
        best
    }

    /// Only moves that raise alpha have a score; the others keep their order behind them.
    fn keep_root_score(&mut self, index: usize, first: usize, score: i32, alpha: i32) {
        let root = &mut self.root_moves[index];
        if index == first || score > alpha {
            root.score = score;
            root.seldepth = self.seldepth;
            root.line.truncate(1);
            root.line.extend(self.frames[1].line.iter().copied());
        } else {
            root.score = -INFINITE;
        }
    }

    fn root_reduction(
        &self,
        board: &Board,
        m: crate::moves::Move,
        count: usize,
        next: &Board,
    ) -> i32 {
        let reduces = self.options.speculation && self.root_depth >= 4 && count >= 3;
        if !reduces || board.is_tactical(m) || next.is_check() || board.is_check() {
            return 0;
        }
        (super::reductions::base(self.root_depth, count) - 1).clamp(0, self.root_depth - 2)
    }

    fn store_root(&mut self, board: &Board, best: i32, window: (i32, i32), first: usize) {
        let is_known = self.root_moves[0].known.is_some();
        if first > 0 || self.stopped || is_known || !self.limits.search_moves.is_empty() {
            return;
        }
        let top = self.root_moves.iter().max_by_key(|root| root.score);
        let Some(top) = top.map(|root| root.m) else {
            return;
        };
        let bound = match best {
            s if s <= window.0 => Bound::Upper,
            s if s >= window.1 => Bound::Lower,
            _ => Bound::Exact,
        };
        let entry = Entry {
            best: top,
            score: to_table(best, 0),
            evaluation: self.frames[0].evaluation,
            depth: self.root_depth,
            bound,
        };
        let key = self.table_key(board, Budgets::new(self.options));
        self.memory.table.store(key, entry);
    }
}
