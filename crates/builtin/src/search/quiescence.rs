//! Search beyond the depth: none, or captures and promotions until the position is quiet.
//!
//! Plain search follows Redmann and Wortmann: after a tactical move, at most `QuiescenceDepth`
//! plies more, with the static value as a bound. The full search always looks on; beyond that
//! many plies it only finishes exchanges on the square last taken.

use crate::board::{Board, Wanted};
use crate::exchange;
use crate::history::MAX_PLY;
use crate::moves::{Move, MoveList};
use crate::ordering::Picker;
use crate::score::{GREATEST_EVALUATION, INFINITE, MATE_BOUND, from_table, mated_in, to_table};
use crate::table::{BoundKind, TableEntry};

use super::Searcher;
use super::node::SearchNode;

impl Searcher<'_> {
    /// A node without depth left.
    pub(super) fn leaf(&mut self, board: &Board, node: SearchNode) -> i32 {
        if self.options.speculation {
            return if self.options.quiescence {
                self.quiescence(board, node, 0)
            } else {
                self.static_score(board, node.ply)
            };
        }
        if !board.has_more_moves_than(&board.safety(), 0) {
            return Self::end_score(board, node.ply);
        }
        if self.options.quiescence && node.tactical {
            self.plain_quiescence(board, node, self.options.quiescence_depth)
        } else {
            self.evaluate(board, node.ply)
        }
    }

    /// The evaluation, or the mate that the position is.
    fn static_score(&mut self, board: &Board, ply: usize) -> i32 {
        if board.is_check() && !board.has_more_moves_than(&board.safety(), 0) {
            return mated_in(ply);
        }
        let evaluation = self.evaluate(board, ply);
        self.corrected(board, evaluation)
    }

    /// The seed's: `left` plies of tactical moves, of all evasions in check.
    fn plain_quiescence(&mut self, board: &Board, node: SearchNode, left: i32) -> i32 {
        let (mut alpha, beta) = node.window;
        let check = board.is_check();
        let wanted = if check { Wanted::All } else { Wanted::Tactical };
        let mut moves = MoveList::new();
        board.generate(&board.safety(), wanted, &mut moves);
        if check && moves.is_empty() {
            return mated_in(node.ply);
        }
        let stand = self.evaluate(board, node.ply);
        if left <= 0 || node.ply >= MAX_PLY {
            return stand;
        }
        let mut best = if check { -INFINITE } else { stand };
        alpha = alpha.max(best);
        moves.sort_by_key(|&m| std::cmp::Reverse(exchange::prize(board, m)));
        for m in moves {
            if alpha >= beta || self.stopped {
                break;
            }
            let next = self.enter(board, m, node.ply);
            let child = SearchNode { window: (-beta, -alpha), ply: node.ply + 1, ..node };
            best = best.max(-self.plain_quiescence(&next, child, left - 1));
            self.leave();
            alpha = alpha.max(best);
        }
        best
    }

    /// The full search's quiescence, `depth` plies after its beginning.
    pub(super) fn quiescence(&mut self, board: &Board, node: SearchNode, depth: i32) -> i32 {
        self.frames[node.ply].line.clear();
        if self.stopped || (depth > 0 && self.is_drawn(board)) {
            return 0;
        }
        if node.ply >= MAX_PLY {
            return self.evaluate(board, node.ply);
        }
        // At this ply no file is read.
        if let Some((score, _)) = self.look_up(board, MAX_PLY).filter(|_| depth > 0) {
            return score;
        }
        let entry = self.table.probe(board.key());
        if let Some(score) = entry.and_then(|entry| bounded(entry, &node)) {
            return score;
        }
        let raw = self.static_evaluation(board, entry, node.ply);
        let stand = if board.is_check() { -INFINITE } else { self.corrected(board, raw) };
        if stand >= node.window.1 {
            if entry.is_none() {
                self.keep_quiet(board, raw, stand, BoundKind::Lower, Move::NONE, node.ply);
            }
            return stand;
        }
        let best = self.try_tactical(board, &node, depth, stand, entry.map(|entry| entry.best));
        let Some((best, best_move)) = best else {
            return mated_in(node.ply);
        };
        if self.stopped {
            return 0;
        }
        self.keep_quiet(board, raw, best, BoundKind::of(best, node.window), best_move, node.ply);
        best
    }

    /// Searches the tactical moves; `None` if the side to move is mated.
    fn try_tactical(
        &mut self,
        board: &Board,
        node: &SearchNode,
        depth: i32,
        stand: i32,
        hint: Option<Move>,
    ) -> Option<(i32, Move)> {
        let check = board.is_check();
        let beta = node.window.1;
        let mut alpha = node.window.0.max(stand);
        let (mut best, mut best_move) = (stand, Move::NONE);
        let safety = board.safety();
        let hint = hint
            .filter(|&m| m.is_some() && (check || board.is_tactical(m)))
            .filter(|&m| board.is_legal(&safety, m))
            .unwrap_or(Move::NONE);
        let mut picker = if check {
            Picker::new(hint, [Move::NONE; 3], self.before(node.ply))
        } else {
            Picker::tactical(hint)
        };
        let late = depth >= self.options.quiescence_depth;
        let recapture = late.then(|| self.before(node.ply)[0].to());
        let mut mated = check;
        while let Some(m) = picker.next(board, &safety, &self.own.histories) {
            mated = false;
            // Neither mated nor lost by the tablebases.
            let holds = best >= -GREATEST_EVALUATION;
            if picker.is_at_bad_captures() && holds {
                break;
            }
            if check && holds && !board.is_tactical(m) {
                // One way out that does not lose is enough of the quiet ones.
                picker.skip_quiets();
                continue;
            }
            if !check && is_futile(board, m, stand, alpha, recapture) {
                continue;
            }
            let next = self.enter(board, m, node.ply);
            let child = SearchNode { window: (-beta, -alpha), ply: node.ply + 1, ..*node };
            let score = -self.quiescence(&next, child, depth + 1);
            self.leave();
            if self.stopped {
                break;
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = m;
                    self.extend_line(node.ply, m);
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }
        (!mated).then_some((best, best_move))
    }

    fn keep_quiet(
        &mut self,
        board: &Board,
        evaluation: i32,
        score: i32,
        bound: BoundKind,
        best: Move,
        ply: usize,
    ) {
        let entry = TableEntry { best, score: to_table(score, ply), evaluation, depth: 0, bound };
        self.table.store(board.key(), entry);
    }
}

/// The score that an entry gives a node of the quiescence search.
fn bounded(entry: TableEntry, node: &SearchNode) -> Option<i32> {
    let score = from_table(entry.score, node.ply);
    let open = node.window.1 - node.window.0 > 1;
    (!open && entry.bound.decides(score, node.window)).then_some(score)
}

/// True if a capture cannot bring the score up to alpha, or is beyond the depth and not a
/// recapture.
fn is_futile(
    board: &Board,
    m: Move,
    stand: i32,
    alpha: i32,
    recapture: Option<Option<shakmaty::Square>>,
) -> bool {
    if let Some(square) = recapture
        && square != Some(m.to())
    {
        return true;
    }
    let gain = exchange::prize(board, m);
    let hope = stand + 130;
    alpha < MATE_BOUND && (hope + gain <= alpha || (hope <= alpha && !exchange::wins(board, m, 1)))
}
