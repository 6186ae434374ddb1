//! Threats: what attacks something worth more, or something that nothing guards.

use shakmaty::{Bitboard, Color, Rank, Role};

use super::attack::{Attacks, pawn_attacks};
use super::squares::forward;
use super::tally::Tally;
use super::terms;
use crate::board::Board;

#[inline(always)]
pub fn count<T: Tally>(board: &Board, us: Color, found: &Attacks, tally: &mut T) {
    let (own, enemy) = (us as usize, !us as usize);
    let loose = !found.all[enemy];
    let men = |role| board.pieces(!us, role);
    let minors = men(Role::Knight) | men(Role::Bishop);

    let by_pawn = found.of(us, Role::Pawn);
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        let hit = (men(role) & by_pawn).count() as i32;
        tally.add(terms::THREAT_BY_PAWN + role as usize - 2, hit);
    }
    let by_minor = found.of(us, Role::Knight) | found.of(us, Role::Bishop);
    let by_rook = found.of(us, Role::Rook);
    let rooks = men(Role::Rook);
    let pawns = men(Role::Pawn) & loose;
    for (index, targets) in [pawns, minors, rooks, men(Role::Queen)].into_iter().enumerate() {
        tally.add(terms::THREAT_BY_MINOR + index, (targets & by_minor).count() as i32);
    }
    for (index, targets) in [pawns, minors, rooks & loose, men(Role::Queen)].into_iter().enumerate()
    {
        tally.add(terms::THREAT_BY_ROOK + index, (targets & by_rook).count() as i32);
    }
    let pieces = board.by_color(!us) & !men(Role::Pawn) & !men(Role::King);
    tally.add(terms::HANGING, (pieces & found.all[own] & loose).count() as i32);
    let by_king = found.of(us, Role::King) & board.by_color(!us) & loose;
    tally.add(terms::THREAT_BY_KING, by_king.count() as i32);
    steps(board, us, found, pieces, tally);
    let guarded = found.of(!us, Role::Pawn) | (found.twice[enemy] & !found.twice[own]);
    let restricted = found.all[enemy] & !guarded & found.all[own];
    tally.add(terms::RESTRICTED, restricted.count() as i32);
}

/// Pieces that a pawn could attack after a safe step.
#[inline(always)]
fn steps<T: Tally>(board: &Board, us: Color, found: &Attacks, pieces: Bitboard, tally: &mut T) {
    let (own, enemy) = (us as usize, !us as usize);
    let third = match us {
        Color::White => Rank::Third,
        Color::Black => Rank::Sixth,
    };
    let empty = !board.occupied();
    let single = forward(us, board.pieces(us, Role::Pawn)) & empty;
    let double = forward(us, single & third) & empty;
    let safe = !found.of(!us, Role::Pawn) & (found.all[own] | !found.all[enemy]);
    let hits = pawn_attacks(us, (single | double) & safe) & pieces & !found.of(us, Role::Pawn);
    tally.add(terms::THREAT_BY_STEP, hits.count() as i32);
}
