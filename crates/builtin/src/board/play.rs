//! Making moves, on a copy.

use shakmaty::{Bitboard, CastlingSide, Color, File, Role, Square, attacks};

use super::{Board, en_passant_key, turn_key};
use crate::moves::Move;

impl Board {
    /// The position after a legal move.
    #[must_use]
    pub fn play(&self, m: Move) -> Board {
        let mut next = self.clone();
        next.apply(m);
        next
    }

    /// The position after passing; must not be in check.
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
        self.lose_rights(from, to, role);
        if m.is_castle() {
            self.castle(m, us);
        } else {
            self.move_man(m, role, us);
        }
        self.turn = !us;
        self.key ^= turn_key();
        self.checkers = self.find_checkers();
    }

    fn move_man(&mut self, m: Move, role: Role, us: Color) {
        let (from, to) = (m.from(), m.to());
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
        }
    }

    /// In Chess960, king and rook may swap squares: both leave first.
    fn castle(&mut self, m: Move, us: Color) {
        let (side, rook) = self.castling_of(m);
        self.toggle(m.from(), us.king());
        self.toggle(rook, us.rook());
        self.toggle(side.king_to(us), us.king());
        self.toggle(side.rook_to(us), us.rook());
    }

    /// Both spellings of castling: onto the rook, and to the king's target.
    pub fn spellings(&self, castling: Move) -> [Move; 2] {
        let (side, rook) = self.castling_of(castling);
        [rook, side.king_to(self.turn)].map(|to| Move::normal(castling.from(), to))
    }

    /// The side on which a move castles, and its rook.
    fn castling_of(&self, m: Move) -> (CastlingSide, Square) {
        let side = CastlingSide::from_king_side(m.from() < m.to());
        let home = match side {
            CastlingSide::KingSide => File::H,
            CastlingSide::QueenSide => File::A,
        };
        if self.chess960 {
            (side, m.to())
        } else {
            (side, Square::from_coords(home, m.from().rank()))
        }
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

    /// Removes castling rights: of a rook that leaves or is taken, and of a king that moves.
    fn lose_rights(&mut self, from: Square, to: Square, role: Role) {
        let mut gone = Bitboard::from(from).with(to);
        if role == Role::King {
            gone |= Bitboard::from_rank(self.turn.backrank());
        }
        gone &= self.castling;
        if gone.any() {
            self.castling ^= gone;
            self.key ^= self.castling_key(gone);
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

    /// The captured role, if any.
    pub fn captured(&self, m: Move) -> Option<Role> {
        match self.role_at(m.to()) {
            None => m.is_en_passant().then_some(Role::Pawn),
            // Castling goes onto its own rook.
            Some(_) if m.is_castle() => None,
            captured => captured,
        }
    }

    /// True if a move captures or promotes.
    pub fn is_tactical(&self, m: Move) -> bool {
        self.captured(m).is_some() || m.promoted().is_some()
    }
}
