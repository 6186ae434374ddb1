//! Iterative deepening with an aspiration window.

use crate::board::Board;
use crate::history::MAX_PLY;
use crate::moves::Move;
use crate::score::{INFINITE, MATE, is_mate};
use crate::table::Bound;

use super::{Answer, RootMove, Search};

/// The deepest iteration.
pub const MAX_DEPTH: i32 = MAX_PLY as i32 - 8;

impl Search<'_> {
    /// The whole search.
    pub(super) fn run(&mut self, board: &Board) -> Answer {
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
            .map(|m| RootMove {
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

    fn answer_without_moves(&self, board: &Board) -> Answer {
        Answer {
            best: Move::NONE,
            ponder: Move::NONE,
            score: Self::end_score(board, 0),
            depth: 0,
            nodes: 0,
        }
    }

    fn answer(&self) -> Answer {
        let best = &self.root_moves[0];
        let searched = best.score > -INFINITE;
        let score = if searched { best.score } else { self.score_before(best.previous) };
        let score = best.told(score);
        Answer {
            best: best.m,
            ponder: best.line.get(1).copied().unwrap_or(Move::NONE),
            score: if score > -INFINITE { score } else { 0 },
            depth: self.root_depth,
            nodes: self.nodes,
        }
    }

    fn deepen(&mut self, board: &Board) {
        let depth_limit = self.limits.depth.unwrap_or(u32::MAX);
        let last = i32::try_from(depth_limit).unwrap_or(i32::MAX).min(MAX_DEPTH);
        let lines = self.options.multi_pv.min(self.root_moves.len());
        let mut settled = Settled::default();
        for depth in 1..=last {
            self.root_depth = depth;
            for root in &mut self.root_moves {
                root.previous = root.score;
            }
            self.iteration(board, lines);
            if self.stopped {
                break;
            }
            if settled.is_enough(self) {
                break;
            }
        }
    }

    /// One depth, for each of the lines.
    fn iteration(&mut self, board: &Board, lines: usize) {
        for index in 0..lines {
            self.seldepth = 0;
            self.aspire(board, index);
            self.root_moves[index..].sort_by_key(RootMove::order);
            self.root_moves[..=index].sort_by_key(RootMove::order);
            if self.stopped {
                break;
            }
        }
        // What was interrupted still shows the last complete lines.
        self.tell_lines(lines, None);
        self.listener.lines_are_told();
    }

    /// Searches with a window around the last score, 7 : 3 below and above, until the score lies
    /// inside.
    fn aspire(&mut self, board: &Board, index: usize) {
        let last = self.root_moves[index].previous;
        let (mut alpha, mut beta) = Self::full_window();
        let mut below = self.options.aspiration * 7 / 10;
        let mut above = self.options.aspiration - below;
        if self.root_depth >= 4 && last > -INFINITE && !is_mate(last) {
            alpha = last - below.max(1);
            beta = last + above.max(1);
        }
        loop {
            let score = self.root(board, (alpha, beta), index);
            self.root_moves[index..].sort_by_key(RootMove::order);
            if self.stopped {
                return;
            }
            let bound = if score <= alpha {
                alpha = (alpha - below).max(-INFINITE);
                below *= 3;
                Bound::Upper
            } else if score >= beta {
                beta = (beta + above).min(INFINITE);
                above *= 3;
                Bound::Lower
            } else {
                return;
            };
            if is_mate(score) {
                (alpha, beta) = Self::full_window();
            }
            if self.is_talkative() {
                self.tell_lines(index + 1, Some((index, bound)));
            }
        }
    }
}

/// How settled the answer is, for the clock.
#[derive(Default)]
struct Settled {
    best: Option<Move>,
    iterations: u32,
}

impl Settled {
    /// Whether the search may end before its limits: time is better kept for later moves.
    fn is_enough(&mut self, search: &Search<'_>) -> bool {
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
