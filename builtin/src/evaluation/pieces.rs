//! Knights, bishops, rooks, queens: worth, place, mobility, and what suits each. And threats: what attacks something
//! worth more, or something that nothing guards.

use shakmaty::{Bitboard, Color, Rank, Role, Square};

use super::attack::{Attacks, Man, beside, files, forward, front, pawn_attacks, place};
use super::tally::Tally;
use super::terms;
use crate::board::Board;

#[inline(always)]
pub fn count<T: Tally>(board: &Board, us: Color, attacks: &Attacks, tally: &mut T) {
    let usable = usable(board, us);
    for &Man { role, square, reach } in &attacks.men[us as usize] {
        tally.add(terms::MATERIAL + role as usize - 1, 1);
        tally.add(terms::PLACE + (role as usize - 1) * 32 + place(us, square), 1);
        let mobility = match role {
            Role::Knight => terms::KNIGHT_MOBILITY,
            Role::Bishop => terms::BISHOP_MOBILITY,
            Role::Rook => terms::ROOK_MOBILITY,
            _ => terms::QUEEN_MOBILITY,
        };
        tally.add(mobility + (reach & usable).count(), 1);
        match role {
            Role::Knight | Role::Bishop => minor(board, us, role, square, tally),
            Role::Rook => rook(board, us, square, tally),
            _ => {}
        }
    }
    if board.pieces(us, Role::Bishop).count() >= 2 {
        tally.add(terms::BISHOP_PAIR, 1);
    }
    space(board, us, tally);
    tally.add(terms::PINNED, attacks.pinned[us as usize].count() as i32);
}

/// Where a piece has something to do: not where enemy pawns attack, nor on the own king, nor on
/// own pawns that are blocked or at home.
fn usable(board: &Board, us: Color) -> Bitboard {
    let own = board.pieces(us, Role::Pawn);
    let home = match us {
        Color::White => Bitboard::from(Rank::Second) | Rank::Third,
        Color::Black => Bitboard::from(Rank::Seventh) | Rank::Sixth,
    };
    let blocked = own & (forward(!us, board.occupied()) | home);
    let attacked = pawn_attacks(!us, board.pieces(!us, Role::Pawn));
    !(blocked | attacked | board.pieces(us, Role::King))
}

#[inline(always)]
fn minor<T: Tally>(board: &Board, us: Color, role: Role, square: Square, tally: &mut T) {
    let here = Bitboard::from(square);
    let bishop = usize::from(role == Role::Bishop);
    let own_pawns = board.pieces(us, Role::Pawn);
    let guarded = (pawn_attacks(us, own_pawns) & here).any();
    let chasers = beside(front(us, here)) & board.pieces(!us, Role::Pawn);
    let far = match us {
        Color::White => Bitboard::NORTH,
        Color::Black => Bitboard::SOUTH,
    };
    if guarded && chasers.is_empty() && (far & here).any() {
        tally.add(terms::OUTPOST + bishop, 1);
    }
    if (forward(us, here) & board.by_role(Role::Pawn)).any() {
        tally.add(terms::SHIELDED + bishop, 1);
    }
    if role == Role::Bishop {
        let shade =
            if square.is_light() { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES };
        tally.add(terms::BISHOP_PAWNS, (own_pawns & shade).count() as i32);
    }
}

#[inline(always)]
fn rook<T: Tally>(board: &Board, us: Color, square: Square, tally: &mut T) {
    let file = files(square.into());
    if (file & board.by_role(Role::Pawn)).is_empty() {
        tally.add(terms::ROOK_FILE, 1);
    } else if (file & board.pieces(us, Role::Pawn)).is_empty() {
        tally.add(terms::ROOK_FILE + 1, 1);
    }
}

/// Room behind and among the own centre pawns; it matters while there are pieces to place.
fn space<T: Tally>(board: &Board, us: Color, tally: &mut T) {
    let centre = Bitboard(0x3c3c_3c3c_3c3c_3c3c);
    let home = match us {
        Color::White => Bitboard(0xffff_ff00),
        Color::Black => Bitboard(0x00ff_ffff_0000_0000),
    };
    let attacked = pawn_attacks(!us, board.pieces(!us, Role::Pawn));
    let safe = centre & home & !attacked & !board.pieces(us, Role::Pawn);
    tally.add(terms::SPACE, safe.count() as i32);
}

/// Counts what a side attacks of the other.
#[inline(always)]
pub fn count_threats<T: Tally>(board: &Board, us: Color, found: &Attacks, tally: &mut T) {
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
    let to = board.pawn_steps(us, board.pieces(us, Role::Pawn));
    let safe = !found.of(!us, Role::Pawn) & (found.all[own] | !found.all[enemy]);
    let hits = pawn_attacks(us, to & safe) & pieces & !found.of(us, Role::Pawn);
    tally.add(terms::THREAT_BY_STEP, hits.count() as i32);
}
