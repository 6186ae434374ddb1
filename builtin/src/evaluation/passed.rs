//! Passed pawns: how far, how free, and whose king is near.

use shakmaty::{Bitboard, Color, Role, Square};

use super::attack::Attacks;
use super::pawns::Pawns;
use super::squares::{files, forward, front, relative};
use super::tally::Tally;
use super::terms;
use crate::board::Board;

#[inline(always)]
pub fn count<T: Tally>(board: &Board, us: Color, pawns: &Pawns, found: &Attacks, tally: &mut T) {
    for square in pawns.passed[us as usize] {
        one(board, us, square, found, tally);
    }
}

fn one<T: Tally>(board: &Board, us: Color, square: Square, found: &Attacks, tally: &mut T) {
    let (own, enemy) = (us as usize, !us as usize);
    let pawn = Bitboard::from(square);
    let rank = relative(us, square).rank().to_usize();
    let step = forward(us, pawn);
    let way = front(us, pawn);
    tally.add(terms::PASSED + rank, 1);
    if (step & board.occupied()).any() {
        tally.add(terms::PASSED_BLOCKED + rank, 1);
    } else {
        if (step & (!found.all[enemy] | found.all[own])).any() {
            tally.add(terms::PASSED_SAFE_STEP + rank, 1);
        }
        if (way & (board.by_color(!us) | found.all[enemy])).is_empty() {
            tally.add(terms::PASSED_FREE_WAY + rank, 1);
        }
    }
    let behind = front(!us, pawn) & files(pawn);
    if (behind & board.pieces(us, Role::Rook)).any() {
        tally.add(terms::ROOK_BEHIND_PASSED, 1);
    } else if (behind & board.pieces(!us, Role::Rook)).any() {
        tally.add(terms::ROOK_BEHIND_PASSED + 1, 1);
    }
    if rank >= 3 {
        let weight = rank as i32 - 2;
        let goal = step.first().unwrap_or(square);
        let near = |color| board.king(color).distance(goal).min(5) as i32;
        tally.add(terms::PASSED_OWN_KING, weight * near(us));
        tally.add(terms::PASSED_ENEMY_KING, weight * near(!us));
    }
}
