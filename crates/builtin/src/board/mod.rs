//! The position as the search needs it: copied on every move, keys kept up to date.
//!
//! shakmaty gives the bitboards, the attacks and the reading of positions. Its move list is always
//! the whole list and its null move a fresh validation; both cost too much at every node
//! (`docs/engine.md` has the figures), so moves are made and listed here, in stages.

mod generate;
mod play;

use deepanalyze_core::chess::is_chess960;
use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{
    Bitboard, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, File, FromSetup, Piece,
    Position, Role, Setup, Square, attacks,
};

pub use generate::{Safety, Wanted};

/// The parts of a position that have keys of their own.
pub const PARTS: usize = 3;

/// A chess position with its keys and the pieces that give check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    roles: [Bitboard; 6],
    colors: [Bitboard; 2],
    squares: [Option<Role>; 64],
    turn: Color,
    /// The rooks that may castle.
    castling: Bitboard,
    /// True if castling goes onto the rook, as in Chess960.
    chess960: bool,
    en_passant: Option<Square>,
    halfmoves: u16,
    key: u64,
    /// Keys of the pawns, Black's pieces, White's pieces.
    part_keys: [u64; PARTS],
    checkers: Bitboard,
}

impl Board {
    /// Converts a shakmaty position.
    pub fn new(position: &Chess) -> Board {
        let board = Board::from_setup(&position.to_setup(EnPassantMode::PseudoLegal));
        if is_chess960(position) { board.with_chess960() } else { board }
    }

    /// Converts to a Chess960 board: from here on, castling goes onto the rook.
    #[must_use]
    pub fn with_chess960(self) -> Board {
        Board { chess960: true, ..self }
    }

    /// Builds an unchecked position. It must have two kings, and the side to move must not be able
    /// to take one; pawns on the first rank, say, do no harm.
    pub fn from_setup(setup: &Setup) -> Board {
        let mut board = Board {
            roles: [Bitboard::EMPTY; 6],
            colors: [Bitboard::EMPTY; 2],
            squares: [None; 64],
            turn: setup.turn,
            castling: setup.castling_rights & setup.board.rooks() & Bitboard::BACKRANKS,
            chess960: false,
            en_passant: setup.ep_square,
            halfmoves: u16::try_from(setup.halfmoves).unwrap_or(u16::MAX),
            key: 0,
            part_keys: [0; PARTS],
            checkers: Bitboard::EMPTY,
        };
        for (square, piece) in setup.board.clone() {
            board.toggle(square, piece);
        }
        board.key = board.fresh_key();
        board.checkers = board.find_checkers();
        board
    }

    /// Converts to shakmaty without castling rights; `None` if the position is not legal there.
    pub fn position(&self) -> Option<Chess> {
        let mut setup = Setup::empty();
        for square in self.occupied() {
            let color = Color::from_white(self.by_color(Color::White).contains(square));
            setup.board.set_piece_at(square, Piece { color, role: self.role_at(square)? });
        }
        setup.turn = self.turn;
        setup.ep_square = self.en_passant;
        Chess::from_setup(setup, CastlingMode::Chess960).ok()
    }

    /// True if castling goes onto the rook.
    pub fn is_chess960(&self) -> bool {
        self.chess960
    }

    /// True if either side may castle.
    pub fn has_castling_rights(&self) -> bool {
        self.castling.any()
    }

    /// Puts a piece on an empty square, or takes it off, keys included.
    fn toggle(&mut self, square: Square, piece: Piece) {
        self.roles[piece.role as usize - 1] ^= square;
        self.colors[piece.color as usize] ^= square;
        let at = &mut self.squares[square.to_usize()];
        *at = if at.is_some() { None } else { Some(piece.role) };
        let key = piece_key(square, piece);
        self.key ^= key;
        let part = if piece.role == Role::Pawn { 0 } else { 1 + piece.color as usize };
        self.part_keys[part] ^= key;
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The Zobrist key, equal to Polyglot's.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Keys of the pawns, Black's pieces, White's pieces.
    pub fn part_keys(&self) -> [u64; PARTS] {
        self.part_keys
    }

    /// Plies since the last capture or pawn move.
    pub fn halfmoves(&self) -> u16 {
        self.halfmoves
    }

    /// True if the side to move is in check.
    pub fn is_check(&self) -> bool {
        self.checkers.any()
    }

    /// All men.
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The men of a side.
    pub fn by_color(&self, color: Color) -> Bitboard {
        self.colors[color as usize]
    }

    /// The men of a kind, of both sides.
    pub fn by_role(&self, role: Role) -> Bitboard {
        self.roles[role as usize - 1]
    }

    /// The men of a kind of one side.
    pub fn pieces(&self, color: Color, role: Role) -> Bitboard {
        self.by_role(role) & self.by_color(color)
    }

    /// The role on a square, if any.
    pub fn role_at(&self, square: Square) -> Option<Role> {
        self.squares[square.to_usize()]
    }

    /// The king's square.
    pub fn king(&self, color: Color) -> Square {
        // Every accepted position has both kings.
        self.pieces(color, Role::King).first().unwrap_or(Square::A1)
    }

    /// True if a side has more than king and pawns.
    pub fn has_pieces(&self, color: Color) -> bool {
        let light = self.by_role(Role::Pawn) | self.by_role(Role::King);
        (self.by_color(color) & !light).any()
    }

    /// The men of both sides that attack a square, sliders seeing through what is not in
    /// `occupied`.
    pub fn attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let queens = self.by_role(Role::Queen);
        let white = self.by_color(Color::White) & attacks::pawn_attacks(Color::Black, square);
        let black = self.by_color(Color::Black) & attacks::pawn_attacks(Color::White, square);
        ((white | black) & self.by_role(Role::Pawn))
            | attacks::knight_attacks(square) & self.by_role(Role::Knight)
            | attacks::king_attacks(square) & self.by_role(Role::King)
            | attacks::rook_attacks(square, occupied) & (self.by_role(Role::Rook) | queens)
            | attacks::bishop_attacks(square, occupied) & (self.by_role(Role::Bishop) | queens)
    }

    fn find_checkers(&self) -> Bitboard {
        self.attackers(self.king(self.turn), self.occupied()) & self.by_color(!self.turn)
    }

    /// True if neither side can ever mate: bare kings, or one minor piece.
    pub fn is_dead(&self) -> bool {
        let heavy = self.by_role(Role::Pawn) | self.by_role(Role::Rook) | self.by_role(Role::Queen);
        if heavy.any() {
            return false;
        }
        let bishops = self.by_role(Role::Bishop);
        let few = self.occupied().count() <= 3;
        let same_color = (bishops & Bitboard::DARK_SQUARES).is_empty()
            || (bishops & Bitboard::LIGHT_SQUARES).is_empty();
        few || (self.by_role(Role::Knight).is_empty() && same_color)
    }
}

// Zobrist keys, from shakmaty's tables: the same as Polyglot's.

fn piece_key(square: Square, piece: Piece) -> u64 {
    Zobrist64::zobrist_for_piece(square, piece).0
}

fn turn_key() -> u64 {
    Zobrist64::zobrist_for_white_turn().0
}

fn en_passant_key(file: File) -> u64 {
    Zobrist64::zobrist_for_en_passant_file(file).0
}

impl Board {
    /// The key of the castling rights of some rooks.
    fn castling_key(&self, rooks: Bitboard) -> u64 {
        rooks.into_iter().fold(0, |key, rook| {
            let color = Color::from_white(rook.rank() == Color::White.backrank());
            let side = CastlingSide::from_king_side(self.king(color) < rook);
            key ^ Zobrist64::zobrist_for_castling_right(color, side).0
        })
    }

    /// The key from scratch, for a new position and for tests.
    fn fresh_key(&self) -> u64 {
        let mut key = self.castling_key(self.castling);
        for square in self.occupied() {
            key ^= self.key_at(square);
        }
        if self.turn == Color::White {
            key ^= turn_key();
        }
        if let Some(square) = self.en_passant {
            key ^= en_passant_key(square.file());
        }
        key
    }

    fn key_at(&self, square: Square) -> u64 {
        let color = Color::from_white(self.by_color(Color::White).contains(square));
        self.role_at(square).map_or(0, |role| piece_key(square, Piece { color, role }))
    }
}

#[cfg(test)]
mod tests;
