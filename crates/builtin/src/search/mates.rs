//! Mate search: `go mate N`. No selective deepening, no quiescence, no evaluation; mates only.

use crate::board::{Board, Wanted};
use crate::moves::{Move, MoveList};
use crate::score::{INFINITE, MATE};
use crate::table::{BoundKind, NO_EVALUATION, TableEntry};

use super::{SearchedMove, Searcher};

/// Longer mates are out of reach, and exceed the search stack.
const LONGEST: u32 = 50;

impl Searcher<'_> {
    /// Looks for mates in one move, two, ..., `moves`. The answer's score is a mate if one is
    /// found.
    pub(super) fn find_mate(&mut self, board: &Board, moves: u32) {
        for mate in 1..=moves.clamp(1, LONGEST) {
            self.root_depth = 2 * mate as i32 - 1;
            self.seldepth = 0;
            if self.attack_root(board, mate) || self.stopped {
                break;
            }
        }
        self.tell_lines(1, None);
    }

    fn attack_root(&mut self, board: &Board, mate: u32) -> bool {
        for index in 0..self.root_moves.len() {
            let m = self.root_moves[index].m;
            self.tell_current_move(m, index + 1);
            let next = self.enter(board, m, 0);
            let mated = (mate > 1 || next.is_check()) && self.is_mated(&next, mate - 1, 1);
            self.leave();
            if self.stopped {
                return false;
            }
            if mated {
                let mut line = vec![m];
                line.extend(self.frames[1].line.iter().copied());
                let found = SearchedMove {
                    score: MATE - self.root_depth,
                    seldepth: self.seldepth,
                    line,
                    ..self.root_moves[index].clone()
                };
                self.root_moves[index] = found;
                self.root_moves[..=index].rotate_right(1);
                return true;
            }
            // No mate in this few moves; nothing else is known.
            self.root_moves[index].score = -INFINITE;
        }
        false
    }

    /// True if every defence is mated in `mate` more moves.
    fn is_mated(&mut self, board: &Board, mate: u32, ply: usize) -> bool {
        self.frames[ply].line.clear();
        let moves = board.legal_moves();
        if moves.is_empty() {
            return board.is_check();
        }
        if mate == 0 || self.stopped || self.is_drawn(board) {
            return false;
        }
        let key = board.key() ^ u64::from(mate).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let entry = self.table.probe(key);
        if let Some(entry) = entry
            && entry.bound == BoundKind::Upper
        {
            return false;
        }
        let hint = entry.map_or(Move::NONE, |entry| entry.best);
        for m in defences(moves, hint) {
            let next = self.enter(board, m, ply);
            let attacked = self.can_mate(&next, mate, ply + 1);
            self.leave();
            if self.stopped {
                return false;
            }
            if !attacked {
                self.remember(key, m, BoundKind::Upper);
                return false;
            }
            // The line shows the defence that lasts longest.
            if self.frames[ply + 1].line.len() + 1 > self.frames[ply].line.len() {
                self.extend_line(ply, m);
            }
        }
        true
    }

    /// True if some move mates in at most `mate` moves.
    fn can_mate(&mut self, board: &Board, mate: u32, ply: usize) -> bool {
        self.frames[ply].line.clear();
        if self.is_drawn(board) {
            return false;
        }
        for m in attacks(board, mate) {
            let next = self.enter(board, m, ply);
            let mated = (mate > 1 || next.is_check()) && self.is_mated(&next, mate - 1, ply + 1);
            self.leave();
            if self.stopped {
                return false;
            }
            if mated {
                self.extend_line(ply, m);
                return true;
            }
        }
        false
    }

    fn remember(&mut self, key: u64, best: Move, bound: BoundKind) {
        let entry = TableEntry { best, score: 0, evaluation: NO_EVALUATION, depth: 1, bound };
        self.table.store(key, entry);
    }
}

/// The defender's moves, the one that refuted before first.
fn defences(mut moves: MoveList, hint: Move) -> MoveList {
    if let Some(index) = moves.iter().position(|&m| m == hint) {
        moves[..=index].rotate_right(1);
    }
    moves
}

/// The attacker's moves, checks first; the last move before mate must give check.
fn attacks(board: &Board, mate: u32) -> MoveList {
    let mut moves = MoveList::new();
    board.generate(&board.safety(), Wanted::All, &mut moves);
    let mut sorted: Vec<(bool, usize, Move)> = moves
        .iter()
        .map(|&m| {
            let next = board.play(m);
            let freedom = if next.is_check() { next.legal_moves().len() } else { 99 };
            (!next.is_check(), freedom, m)
        })
        .filter(|&(quiet, _, _)| mate > 1 || !quiet)
        .collect();
    sorted.sort_by_key(|&(quiet, freedom, _)| (quiet, freedom));
    sorted.into_iter().map(|(_, _, m)| m).collect()
}
