//! Making moves, on a copy.

use shakmaty::{Bitboard, Color, Piece, Role, Square, attacks};

use super::{Board, castling_key, en_passant_key, turn_key};
use crate::moves::Move;

/// The castling rights that are gone once a piece has left or reached the square.
fn rights_lost(square: Square) -> u8 {
    match square {
        Square::E1 => 3,
        Square::H1 => 1,
        Square::A1 => 2,
        Square::E8 => 12,
        Square::H8 => 4,
        Square::A8 => 8,
        _ => 0,
    }
}

/// The rook's way when the king castles to a square.
fn castling_rook(king_to: Square) -> (Square, Square) {
    match king_to {
        Square::G1 => (Square::H1, Square::F1),
        Square::C1 => (Square::A1, Square::D1),
        Square::G8 => (Square::H8, Square::F8),
        _ => (Square::A8, Square::D8),
    }
}

impl Board {
    /// The position after a legal move.
    #[must_use]
    pub fn play(&self, m: Move) -> Board {
        let mut next = self.clone();
        next.apply(m);
        next
    }

    /// The position after passing; no one may be in check.
    #[must_use]
    pub fn pass(&self) -> Board {
        let mut next = self.clone();
        next.forget_en_passant();
        next.halfmoves = next.halfmoves.saturating_add(1);
        next.turn = !next.turn;
        next.key ^= turn_key();
        next
    }

    fn apply(&mut self, m: Move) {
        let us = self.turn;
        let (from, to) = (m.from(), m.to());
        let role = self.role_at(from).unwrap_or(Role::Pawn);
        self.forget_en_passant();
        self.halfmoves = self.halfmoves.saturating_add(1);
        if let Some(captured) = self.role_at(to) {
            self.toggle(to, captured.of(!us));
            self.halfmoves = 0;
        }
        self.toggle(from, role.of(us));
        let placed = m.promoted().unwrap_or(role);
        self.toggle(to, placed.of(us));
        if role == Role::Pawn {
            self.halfmoves = 0;
            self.pawn_specials(m, us);
        } else if m.is_castle() {
            let (rook_from, rook_to) = castling_rook(to);
            let rook: Piece = Role::Rook.of(us);
            self.toggle(rook_from, rook);
            self.toggle(rook_to, rook);
        }
        self.lose_rights(rights_lost(from) | rights_lost(to));
        self.turn = !us;
        self.key ^= turn_key();
        self.checkers = self.find_checkers();
    }

    fn pawn_specials(&mut self, m: Move, us: Color) {
        let (from, to) = (m.from(), m.to());
        if m.is_en_passant() {
            let captured = Square::from_coords(to.file(), from.rank());
            self.toggle(captured, Role::Pawn.of(!us));
        } else if from.rank().distance(to.rank()) == 2 {
            let middle = attacks::between(from, to).first();
            let takers = self.pieces(!us, Role::Pawn);
            self.en_passant =
                middle.filter(|&square| (attacks::pawn_attacks(us, square) & takers).any());
            if let Some(square) = self.en_passant {
                self.key ^= en_passant_key(square.file());
            }
        }
    }

    fn forget_en_passant(&mut self) {
        if let Some(square) = self.en_passant.take() {
            self.key ^= en_passant_key(square.file());
        }
    }

    fn lose_rights(&mut self, lost: u8) {
        let gone = self.castling & lost;
        if gone != 0 {
            self.castling &= !gone;
            self.key ^= castling_key(gone);
        }
    }

    /// The squares from which each kind of piece of the side to move would give check.
    pub fn check_squares(&self) -> [Bitboard; 6] {
        let king = self.king(!self.turn);
        let bishop = attacks::bishop_attacks(king, self.occupied());
        let rook = attacks::rook_attacks(king, self.occupied());
        [
            attacks::pawn_attacks(!self.turn, king),
            attacks::knight_attacks(king),
            bishop,
            rook,
            bishop | rook,
            Bitboard::EMPTY,
        ]
    }

    /// The piece that moves.
    pub fn mover(&self, m: Move) -> Role {
        self.role_at(m.from()).unwrap_or(Role::Pawn)
    }

    /// What a move captures.
    pub fn captured(&self, m: Move) -> Option<Role> {
        if m.is_en_passant() { Some(Role::Pawn) } else { self.role_at(m.to()) }
    }

    /// Whether a move captures or promotes.
    pub fn is_tactical(&self, m: Move) -> bool {
        self.captured(m).is_some() || m.promoted().is_some()
    }
}
