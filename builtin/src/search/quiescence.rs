//! What happens beyond the depth: nothing, or captures and promotions until the position is quiet.
//!
//! Plain search follows Redmann and Wortmann: after a tactical move, at most `QuiescenceDepth`
//! plies more, with the static value as a bound. The full search always looks on; beyond that
//! many plies it only finishes exchanges on the square last taken.

use crate::board::{Board, Wanted};
use crate::exchange;
use crate::history::MAX_PLY;
use crate::moves::{Move, MoveList};
use crate::ordering::Picker;
use crate::score::{INFINITE, MATE_BOUND, from_table, mated_in, to_table};
use crate::table::{Bound, Entry, NO_EVALUATION};

use super::Search;
use super::node::Node;

impl Search<'_> {
    /// A node without depth left.
    pub(super) fn leaf(&mut self, board: &Board, node: Node) -> i32 {
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
            self.evaluate(board)
        }
    }

    /// The evaluation, or the mate that the position is.
    fn static_score(&mut self, board: &Board, ply: usize) -> i32 {
        if board.is_check() && !board.has_more_moves_than(&board.safety(), 0) {
            return mated_in(ply);
        }
        let evaluation = self.evaluate(board);
        self.corrected(board, evaluation)
    }

    /// The seed's: so many plies of tactical moves, of all evasions in check.
    fn plain_quiescence(&mut self, board: &Board, node: Node, left: i32) -> i32 {
        let (mut alpha, beta) = node.window;
        let check = board.is_check();
        let wanted = if check { Wanted::All } else { Wanted::Tactical };
        let mut moves = MoveList::new();
        board.generate(&board.safety(), wanted, &mut moves);
        if check && moves.is_empty() {
            return mated_in(node.ply);
        }
        let stand = self.evaluate(board);
        if left <= 0 || node.ply >= MAX_PLY {
            return stand;
        }
        let mut best = if check { -INFINITE } else { stand };
        alpha = alpha.max(best);
        moves.sort_by_key(|&m| {
            let victim = board.captured(m).map_or(0, exchange::worth);
            std::cmp::Reverse(victim + m.promoted().map_or(0, exchange::worth))
        });
        for m in moves {
            if alpha >= beta || self.is_stopped() {
                break;
            }
            let next = self.enter(board, m, node.ply);
            let child = Node { window: (-beta, -alpha), ply: node.ply + 1, ..node };
            best = best.max(-self.plain_quiescence(&next, child, left - 1));
            self.leave();
            alpha = alpha.max(best);
        }
        best
    }

    /// The full search's quiescence, `depth` plies after its beginning.
    pub(super) fn quiescence(&mut self, board: &Board, node: Node, depth: i32) -> i32 {
        self.clear_line(node.ply);
        if self.is_stopped() || (depth > 0 && self.is_drawn(board)) {
            return 0;
        }
        if node.ply >= MAX_PLY {
            return self.evaluate(board);
        }
        // So far from the root no file is read.
        if let Some((score, _)) = self.look_up(board, MAX_PLY).filter(|_| depth > 0) {
            return score;
        }
        let entry = self.memory.table.probe(board.key());
        if let Some(score) = entry.and_then(|entry| bounded(entry, &node)) {
            return score;
        }
        let raw = match entry {
            _ if board.is_check() => NO_EVALUATION,
            Some(entry) if entry.evaluation != NO_EVALUATION => entry.evaluation,
            _ => self.evaluate(board),
        };
        let stand = if board.is_check() { -INFINITE } else { self.corrected(board, raw) };
        if stand >= node.window.1 {
            if entry.is_none() {
                self.keep_quiet(board, raw, stand, Bound::Lower, Move::NONE, node.ply);
            }
            return stand;
        }
        let best = self.try_tactical(board, &node, depth, stand, entry.map(|entry| entry.best));
        let Some((best, best_move)) = best else {
            return mated_in(node.ply);
        };
        if self.is_stopped() {
            return 0;
        }
        let bound = match best {
            s if s >= node.window.1 => Bound::Lower,
            s if s > node.window.0 => Bound::Exact,
            _ => Bound::Upper,
        };
        self.keep_quiet(board, raw, best, bound, best_move, node.ply);
        best
    }

    /// Tries what quiescence tries; nothing where the side to move is mated.
    fn try_tactical(
        &mut self,
        board: &Board,
        node: &Node,
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
        let recapture = late.then(|| self.last_square(node.ply));
        let mut mated = check;
        while let Some(m) = picker.next(board, &safety, &self.memory.histories) {
            mated = false;
            if picker.is_at_bad_captures() && best > -MATE_BOUND {
                break;
            }
            if check && best > -MATE_BOUND && !board.is_tactical(m) {
                // One way out that does not lose is enough of the quiet ones.
                picker.skip_quiets();
                continue;
            }
            if !check && is_futile(board, m, stand, alpha, recapture) {
                continue;
            }
            let next = self.enter(board, m, node.ply);
            let child = Node { window: (-beta, -alpha), ply: node.ply + 1, ..*node };
            let score = -self.quiescence(&next, child, depth + 1);
            self.leave();
            if self.is_stopped() {
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
        bound: Bound,
        best: Move,
        ply: usize,
    ) {
        let entry = Entry { best, score: to_table(score, ply), evaluation, depth: 0, bound };
        self.memory.table.store(board.key(), entry);
    }
}

/// The score that an entry gives a node of the quiescence search.
fn bounded(entry: Entry, node: &Node) -> Option<i32> {
    let score = from_table(entry.score, node.ply);
    let open = node.window.1 - node.window.0 > 1;
    let holds = match entry.bound {
        Bound::Exact => !open,
        Bound::Lower => score >= node.window.1 && !open,
        Bound::Upper => score <= node.window.0 && !open,
        Bound::None => false,
    };
    holds.then_some(score)
}

/// Whether a capture cannot bring the score up to alpha, or is beyond the depth and not a
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
    let gain =
        board.captured(m).map_or(0, exchange::worth) + m.promoted().map_or(0, exchange::worth);
    let hope = stand + 150;
    alpha < MATE_BOUND && (hope + gain <= alpha || (hope <= alpha && !exchange::wins(board, m, 1)))
}
