//! Static exchange evaluation: the material a capture wins after all recaptures.

use shakmaty::{Bitboard, Role, Square, attacks};

use super::board::Board;
use super::moves::Move;

/// A man's value in an exchange, in centipawns; the king is never lost.
pub const fn worth(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 320,
        Role::Bishop => 330,
        Role::Rook => 500,
        Role::Queen => 950,
        Role::King => 0,
    }
}

/// Material won by a move's capture and promotion, before any answer.
pub fn prize(board: &Board, m: Move) -> i32 {
    board.captured(m).map_or(0, worth) + m.promoted().map_or(0, worth)
}

/// True if the exchange that a move begins wins at least `threshold` for its side.
pub fn wins(board: &Board, m: Move, threshold: i32) -> bool {
    if m.is_castle() {
        return threshold <= 0;
    }
    let pawn = m.promoted().map_or(0, |_| worth(Role::Pawn));
    let mut balance = prize(board, m) - pawn - threshold;
    if balance < 0 {
        return false;
    }
    let placed = m.promoted().unwrap_or_else(|| board.mover(m));
    balance -= worth(placed);
    if balance >= 0 {
        return true;
    }
    let to = m.to();
    let mut occupied = (board.occupied() ^ m.from()) | to;
    if m.is_en_passant() {
        occupied ^= Square::from_coords(to.file(), m.from().rank());
    }
    take_back(board, to, occupied, balance)
}

/// Plays the recaptures, least attacker first, until one side would rather stop.
fn take_back(board: &Board, to: Square, mut occupied: Bitboard, mut balance: i32) -> bool {
    let queens = board.by_role(Role::Queen);
    let diagonal = board.by_role(Role::Bishop) | queens;
    let straight = board.by_role(Role::Rook) | queens;
    let mut attackers = board.attackers(to, occupied);
    let us = board.turn();
    let mut side = !us;
    loop {
        attackers &= occupied;
        let own = attackers & board.by_color(side);
        let Some((role, from)) = least(board, own) else {
            break;
        };
        if role == Role::King && (attackers & board.by_color(!side)).any() {
            break;
        }
        occupied ^= from;
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= attacks::bishop_attacks(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= attacks::rook_attacks(to, occupied) & straight;
        }
        side = !side;
        balance = -balance - 1 - worth(role);
        if balance >= 0 {
            break;
        }
    }
    side != us
}

fn least(board: &Board, attackers: Bitboard) -> Option<(Role, Square)> {
    Role::ALL.into_iter().find_map(|role| {
        let square = (attackers & board.by_role(role)).first()?;
        Some((role, square))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::parse_fen;

    #[test]
    fn exchanges_are_played_out() {
        for (fen, uci, value) in [
            ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
            ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -220),
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100),
            ("4k3/2p5/8/3p4/8/8/3Q4/4K3 w - - 0 1", "d2d5", 100),
            ("4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1", "d2d5", 100 - 950),
            ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100),
            ("4k3/8/8/8/8/8/4p3/1K6 b - - 0 1", "e2e1q", 850),
            ("4k3/8/8/8/8/8/4p3/R5K1 b - - 0 1", "e2e1q", -100),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100),
            ("4k3/8/4p3/3p4/8/3N4/8/4K3 w - - 0 1", "d3f4", 0),
            ("4k3/8/4p3/3p4/8/3N4/8/4K3 w - - 0 1", "d3c5", 0),
            ("4k3/4b3/4p3/3p4/8/3N4/8/4K3 w - - 0 1", "d3c5", -320),
        ] {
            let board = Board::new(&parse_fen(fen).unwrap());
            let moves = board.legal_moves();
            let m = *moves.iter().find(|m| m.to_string() == uci).unwrap();
            assert!(wins(&board, m, value), "{fen} {uci}");
            assert!(!wins(&board, m, value + 1), "{fen} {uci}");
        }
    }
}
