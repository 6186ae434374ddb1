//! A move in sixteen bits, as tables keep it.

use shakmaty::{Role, Square};

/// A move: from and to (six bits each) and flags (four bits).
///
/// Castling goes from the king's square to the square where the king ends, as UCI writes it; on a board of Chess960, to
/// the rook's square.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Move(u16);

const CASTLE: u16 = 1 << 12;
const EN_PASSANT: u16 = 2 << 12;
const PROMOTION: u16 = 4 << 12;

impl Move {
    /// No move.
    pub const NONE: Move = Move(0);

    /// A move without anything special.
    pub fn normal(from: Square, to: Square) -> Move {
        Move((from.to_u32() | to.to_u32() << 6) as u16)
    }

    /// Castling, by the king's square and where it goes: onto its rook in Chess960.
    pub fn castle(from: Square, to: Square) -> Move {
        Move(Move::normal(from, to).0 | CASTLE)
    }

    /// A capture en passant.
    pub fn en_passant(from: Square, to: Square) -> Move {
        Move(Move::normal(from, to).0 | EN_PASSANT)
    }

    /// A promotion to a knight, bishop, rook or queen.
    pub fn promotion(from: Square, to: Square, role: Role) -> Move {
        let kind = (role as u16).saturating_sub(2) & 3;
        Move(Move::normal(from, to).0 | PROMOTION | kind << 12)
    }

    /// The move of a table entry; it may be illegal.
    pub fn from_bits(bits: u16) -> Move {
        Move(bits)
    }

    /// The bits for a table.
    pub fn bits(self) -> u16 {
        self.0
    }

    /// The origin square.
    pub fn from(self) -> Square {
        Square::new(u32::from(self.0 & 63))
    }

    /// The target square.
    pub fn to(self) -> Square {
        Square::new(u32::from(self.0 >> 6 & 63))
    }

    /// True if this is a move.
    pub fn is_some(self) -> bool {
        self != Move::NONE
    }

    /// True if it castles.
    pub fn is_castle(self) -> bool {
        self.0 & 0xf000 == CASTLE
    }

    /// True if it captures en passant.
    pub fn is_en_passant(self) -> bool {
        self.0 & 0xf000 == EN_PASSANT
    }

    /// The promoted role, if any.
    pub fn promoted(self) -> Option<Role> {
        if self.0 & PROMOTION == 0 {
            return None;
        }
        Some(match self.0 >> 12 & 3 {
            0 => Role::Knight,
            1 => Role::Bishop,
            2 => Role::Rook,
            _ => Role::Queen,
        })
    }
}

impl std::fmt::Display for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.is_some() {
            return f.write_str("0000");
        }
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promoted() {
            Some(role) => write!(f, "{}", role.char()),
            None => Ok(()),
        }
    }
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// The moves of one position; no position has more than 218.
pub type MoveList = arrayvec::ArrayVec<Move, 256>;
