//! King safety: the pawns before the king, and the danger from pieces.

use shakmaty::{Bitboard, Color, File, Role, Square, attacks};

use super::attack::{Attacks, files, front, place, relative};
use super::tally::Tally;
use super::terms;
use crate::board::Board;

#[inline(always)]
pub fn count<T: Tally>(board: &Board, us: Color, attacks: &Attacks, tally: &mut T) {
    let king = board.king(us);
    tally.add(terms::PLACE + 5 * 32 + place(us, king), 1);
    let file = files(king.into());
    if (file & board.pieces(us, Role::Pawn)).is_empty() {
        let open = (file & board.by_role(Role::Pawn)).is_empty();
        tally.add(terms::KING_FILE + usize::from(open), 1);
    }
    shelter(board, us, king, tally);
    danger(board, us, king, attacks, tally);
}

/// The three files around the king; at the edge, the two and the next.
fn near_files(king: Square) -> [File; 3] {
    let middle = king.file().to_u32().clamp(1, 6);
    [middle - 1, middle, middle + 1].map(File::new)
}

#[inline(always)]
fn shelter<T: Tally>(board: &Board, us: Color, king: Square, tally: &mut T) {
    let rank = Bitboard::from(king.rank());
    let before = front(us, rank) | rank;
    let own = board.pieces(us, Role::Pawn) & before;
    let enemy = board.pieces(!us, Role::Pawn) & before;
    let king_rank = relative(us, king).rank().to_usize();
    for file in near_files(king) {
        let wing = file.to_usize().min(7 - file.to_usize());
        let own_distance = distance(us, king_rank, own & file);
        let enemy_distance = distance(us, king_rank, enemy & file);
        tally.add(terms::SHELTER + wing * 8 + own_distance, 1);
        if own_distance != 0 && enemy_distance == own_distance + 1 {
            tally.add(terms::STORM_BLOCKED + enemy_distance, 1);
        } else {
            tally.add(terms::STORM + wing * 8 + enemy_distance, 1);
        }
    }
}

/// Ranks from the king to the nearest of the pawns, one at least; 0 where there is none.
fn distance(us: Color, king_rank: usize, pawns: Bitboard) -> usize {
    let nearest = match us {
        Color::White => pawns.first(),
        Color::Black => pawns.last(),
    };
    nearest.map_or(0, |square| {
        let rank = relative(us, square).rank().to_usize();
        (rank - king_rank.min(rank)).max(1)
    })
}

#[inline(always)]
fn danger<T: Tally>(board: &Board, us: Color, king: Square, found: &Attacks, tally: &mut T) {
    let (own, enemy) = (us as usize, !us as usize);
    let ring = found.ring[own];
    for man in &found.men[enemy] {
        let reach = man.reach & ring;
        if reach.any() {
            tally.danger(terms::RING_ATTACKER + man.role as usize - 2, 1);
            tally.danger(terms::RING_ATTACKS, reach.count() as i32);
        }
    }
    let guarded_well = found.twice[own] | found.of(us, Role::Pawn);
    let lightly = found.of(us, Role::King) | found.of(us, Role::Queen) | !found.all[own];
    let weak = found.all[enemy] & !found.twice[own] & lightly;
    tally.danger(terms::RING_WEAK, (weak & ring).count() as i32);
    checks(board, us, king, found, weak, tally);
    if board.pieces(!us, Role::Queen).is_empty() {
        tally.danger(terms::NO_QUEEN, 1);
    }
    let flank = flank(us, king);
    let attacked = flank & found.all[enemy];
    let pressed = attacked.count() + (attacked & found.twice[enemy]).count();
    tally.danger(terms::FLANK_ATTACKS, pressed as i32);
    tally.danger(terms::FLANK_GUARDS, (flank & guarded_well).count() as i32);
    let open = near_files(king)
        .into_iter()
        .filter(|&file| (board.pieces(us, Role::Pawn) & file).is_empty());
    tally.danger(terms::OPEN_FLANK, open.count() as i32);
    tally.danger(terms::DANGER_PINNED, found.pinned[own].count() as i32);
    tally.danger(terms::DANGER_BASE, 1);
}

/// The king's own part of the board: its files and its half and one rank more.
fn flank(us: Color, king: Square) -> Bitboard {
    let camp = match us {
        Color::White => Bitboard(0x0000_00ff_ffff_ffff),
        Color::Black => Bitboard(0xffff_ffff_ff00_0000),
    };
    let side = match king.file().to_u32() {
        0..=2 => Bitboard(0x0f0f_0f0f_0f0f_0f0f),
        5..=7 => Bitboard(0xf0f0_f0f0_f0f0_f0f0),
        _ => Bitboard(0x3c3c_3c3c_3c3c_3c3c),
    };
    camp & side
}

#[inline(always)]
fn checks<T: Tally>(
    board: &Board,
    us: Color,
    king: Square,
    found: &Attacks,
    weak: Bitboard,
    tally: &mut T,
) {
    let (own, enemy) = (us as usize, !us as usize);
    let occupied = board.occupied() ^ board.pieces(us, Role::Queen);
    let straight = attacks::rook_attacks(king, occupied);
    let diagonal = attacks::bishop_attacks(king, occupied);
    let safe = !board.by_color(!us) & (!found.all[own] | (weak & found.twice[enemy]));
    let mut unsafe_checks = Bitboard::EMPTY;
    for (role, from) in [
        (Role::Knight, attacks::knight_attacks(king)),
        (Role::Bishop, diagonal),
        (Role::Rook, straight),
        (Role::Queen, straight | diagonal),
    ] {
        let checks = from & found.of(!us, role);
        if (checks & safe).any() {
            let count = (checks & safe).count().min(2);
            tally.danger(terms::SAFE_CHECK + role as usize - 2, count as i32);
        } else if role != Role::Queen {
            unsafe_checks |= checks & !board.by_color(!us);
        }
    }
    tally.danger(terms::UNSAFE_CHECK, unsafe_checks.count() as i32);
}
