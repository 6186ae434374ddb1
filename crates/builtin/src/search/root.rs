//! Iterative deepening with an aspiration window; and the root: a node like any other, but its moves are kept with
//! their scores and lines.

use crate::board::Board;
use crate::history::MAX_PLY;
use crate::moves::Move;
use crate::score::{INFINITE, MATE, is_mate, to_table};
use crate::table::{BoundKind, TableEntry};

use super::node::{Budgets, NodeKind, SearchNode};
use super::pruning::reduction_base;
use super::{SearchResult, SearchedMove, Searcher};

impl Searcher<'_> {
    /// Searches the root moves from `first` on (those before are better lines) within a window.
    pub(super) fn root(&mut self, board: &Board, window: (i32, i32), first: usize) -> i32 {
        let (mut alpha, beta) = window;
        let budgets = Budgets::new(self.options);
        let moves = board.legal_moves().len();
        let (budgets, costs) = budgets.spend_on(moves, self.options.candidate_limit);
        let depth = self.root_depth - i32::from(costs);
        self.frames[0].evaluation = self.evaluate(board, 0);
        self.own.histories.clear_killers_at(1);
        let mut best = -INFINITE;
        let rank = self.root_moves[first].rank;
        let group = self.root_moves.iter().take_while(|root| root.rank <= rank).count();
        for index in first..group {
            let m = self.root_moves[index].m;
            self.tell_current_move(m, index + 1);
            let before = self.nodes;
            let next = self.enter(board, m, 0);
            let node = |window, kind, reduction| SearchNode {
                window,
                depth: depth - reduction,
                ply: 1,
                budgets,
                kind,
                tactical: board.is_tactical(m),
            };
            let score = if index == first {
                -self.node(&next, node((-beta, -alpha), NodeKind::Line, 0))
            } else {
                let reduction = self.root_reduction(board, m, index - first, &next);
                let null = (-alpha - 1, -alpha);
                let mut score = -self.node(&next, node(null, NodeKind::Cut, reduction));
                if score > alpha && reduction > 0 && !self.stopped {
                    score = -self.node(&next, node(null, NodeKind::Cut, 0));
                }
                if score > alpha && score < beta && !self.stopped {
                    score = -self.node(&next, node((-beta, -alpha), NodeKind::Line, 0));
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

    fn root_reduction(&self, board: &Board, m: Move, count: usize, next: &Board) -> i32 {
        let reduces = self.options.speculation && self.root_depth >= 4 && count >= 3;
        if !reduces || board.is_tactical(m) || next.is_check() || board.is_check() {
            return 0;
        }
        (reduction_base(self.root_depth, count) - 1).clamp(0, self.root_depth - 2)
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
        let entry = TableEntry {
            best: top,
            score: to_table(best, 0),
            evaluation: self.frames[0].evaluation,
            depth: self.root_depth,
            bound: BoundKind::of(best, window),
        };
        let key = self.table_key(board, Budgets::new(self.options));
        self.table.store(key, entry);
    }
}

/// The deepest iteration.
const MAX_DEPTH: i32 = MAX_PLY as i32 - 8;
/// A window that every score lies in.
const FULL_WINDOW: (i32, i32) = (-INFINITE, INFINITE);

impl Searcher<'_> {
    /// The whole search.
    pub(super) fn run(&mut self, board: &Board) -> SearchResult {
        self.list_root_moves(board);
        if self.root_moves.is_empty() {
            return self.answer_without_moves(board);
        }
        if let Some(mate) = self.limits.mate {
            self.find_mate(board, mate);
        } else {
            self.deepen(board);
        }
        self.answer()
    }

    fn list_root_moves(&mut self, board: &Board) {
        let wanted = &self.limits.search_moves;
        self.root_moves = board
            .legal_moves()
            .into_iter()
            .filter(|m| wanted.is_empty() || wanted.contains(m))
            .map(|m| SearchedMove {
                m,
                score: -INFINITE,
                previous: -INFINITE,
                seldepth: 0,
                nodes: 0,
                line: vec![m],
                rank: 0,
                known: None,
            })
            .collect();
        self.rank_root_moves(board);
    }

    fn answer_without_moves(&self, board: &Board) -> SearchResult {
        SearchResult {
            best: Move::NONE,
            ponder: Move::NONE,
            score: Self::end_score(board, 0),
            depth: 0,
            nodes: 0,
        }
    }

    fn answer(&self) -> SearchResult {
        let best = &self.root_moves[0];
        let searched = best.score > -INFINITE;
        let score = if searched { best.score } else { self.score_before(best.previous) };
        let score = best.told(score);
        SearchResult {
            best: best.m,
            ponder: best.line.get(1).copied().unwrap_or(Move::NONE),
            score: if score > -INFINITE { score } else { 0 },
            depth: self.root_depth,
            nodes: self.all_nodes(),
        }
    }

    fn deepen(&mut self, board: &Board) {
        let depth_limit = self.limits.depth.unwrap_or(u32::MAX);
        let last = i32::try_from(depth_limit).unwrap_or(i32::MAX).min(MAX_DEPTH);
        let lines = self.options.multi_pv.min(self.root_moves.len());
        let mut settled = AnswerStability::default();
        for depth in self.first_depth..=last {
            self.root_depth = depth;
            for root in &mut self.root_moves {
                root.previous = root.score;
            }
            self.iteration(board, lines);
            if self.stopped || settled.is_enough(self) {
                break;
            }
        }
    }

    /// One depth, for each of the lines.
    fn iteration(&mut self, board: &Board, lines: usize) {
        for index in 0..lines {
            self.seldepth = 0;
            self.aspire(board, index);
            self.root_moves[index..].sort_by_key(SearchedMove::order);
            self.root_moves[..=index].sort_by_key(SearchedMove::order);
            if self.stopped {
                break;
            }
        }
        // An interrupted iteration shows the last complete lines.
        self.tell_lines(lines, None);
        self.listener.lines_are_told();
    }

    /// Searches with a window around the last score, 7 : 3 below and above, until the score lies
    /// inside.
    fn aspire(&mut self, board: &Board, index: usize) {
        let last = self.root_moves[index].previous;
        let (mut alpha, mut beta) = FULL_WINDOW;
        let mut below = self.options.aspiration * 7 / 10;
        let mut above = self.options.aspiration - below;
        if self.root_depth >= 4 && last > -INFINITE && !is_mate(last) {
            alpha = last - below.max(1);
            beta = last + above.max(1);
        }
        loop {
            let score = self.root(board, (alpha, beta), index);
            self.root_moves[index..].sort_by_key(SearchedMove::order);
            if self.stopped {
                return;
            }
            let bound = if score <= alpha {
                alpha = (alpha - below).max(-INFINITE);
                below *= 3;
                BoundKind::Upper
            } else if score >= beta {
                beta = (beta + above).min(INFINITE);
                above *= 3;
                BoundKind::Lower
            } else {
                return;
            };
            if is_mate(score) {
                (alpha, beta) = FULL_WINDOW;
            }
            if self.is_talkative() {
                self.tell_lines(index + 1, Some((index, bound)));
            }
        }
    }
}

/// Stability of the answer, for the clock.
#[derive(Default)]
struct AnswerStability {
    best: Option<Move>,
    iterations: u32,
}

impl AnswerStability {
    /// True if the search may end before its limits: time is better kept for later moves.
    fn is_enough(&mut self, search: &Searcher<'_>) -> bool {
        let root = &search.root_moves[0];
        if self.best == Some(root.m) {
            self.iterations += 1;
        } else {
            self.best = Some(root.m);
            self.iterations = 0;
        }
        if search.signals.is_pondering() || search.limits.infinite {
            return false;
        }
        let timed = search.limits.clock.is_some();
        if timed && search.root_moves.len() == 1 {
            return true;
        }
        let proved = is_mate(root.score) && MATE - root.score.abs() <= search.root_depth;
        if proved && (timed || search.limits.move_time.is_some()) {
            return true;
        }
        let share = root.nodes * 100 / search.nodes.max(1);
        let fell = (root.previous.saturating_sub(root.score)).clamp(0, 60) as u32;
        let effort = 160 - share.min(100) as u32;
        let percent = effort * (140 - 10 * self.iterations.min(6)) / 100 * (100 + fell) / 100;
        search.clock.is_enough(percent)
    }
}
