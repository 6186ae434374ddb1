//! Zobrist keys, from shakmaty's tables: the same as Polyglot's.

use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{CastlingSide, Color, File, Piece, Role, Square};

use super::{Board, right};

pub(super) fn piece(square: Square, piece: Piece) -> u64 {
    Zobrist64::zobrist_for_piece(square, piece).0
}

pub(super) fn turn() -> u64 {
    Zobrist64::zobrist_for_white_turn().0
}

pub(super) fn en_passant(file: File) -> u64 {
    Zobrist64::zobrist_for_en_passant_file(file).0
}

/// The key of a set of castling rights.
pub(super) fn castling(rights: u8) -> u64 {
    let mut key = 0;
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            if rights & right(color, side) != 0 {
                key ^= Zobrist64::zobrist_for_castling_right(color, side).0;
            }
        }
    }
    key
}

impl Board {
    /// The key from nothing, for a new position and for tests.
    pub(super) fn fresh_key(&self) -> u64 {
        let mut key = castling(self.castling);
        for square in self.occupied() {
            key ^= self.piece_key(square);
        }
        if self.turn == Color::White {
            key ^= turn();
        }
        if let Some(square) = self.en_passant {
            key ^= en_passant(square.file());
        }
        key
    }

    /// The pawns' key from nothing.
    pub(super) fn fresh_pawn_key(&self) -> u64 {
        self.by_role(Role::Pawn).into_iter().fold(0, |key, square| key ^ self.piece_key(square))
    }

    fn piece_key(&self, square: Square) -> u64 {
        let color = Color::from_white(self.by_color(Color::White).contains(square));
        self.role_at(square).map_or(0, |role| piece(square, Piece { color, role }))
    }
}
