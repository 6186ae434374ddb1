//! The boards of a game that a net sees.

use deepanalyze_core::chess::Game;
use shakmaty::{Bitboard, Board, Chess, Color, Position, Square};

/// A position with those before it: a net sees the last eight boards.
///
/// The answer for a position alone is another one than for the position at the end of its game, by
/// 0.1 to 0.15 of all probability on average.
#[derive(Debug, Clone)]
pub struct Past {
    /// From the first known one to the root's.
    pub(crate) boards: Vec<Seen>,
    root: Chess,
}

/// A position of the past, as nets tell them apart.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    turn: Color,
    pub board: Board,
    /// Rooks that may castle.
    rights: Bitboard,
    en_passant: Option<Square>,
    /// True if an equal position was seen before.
    pub is_repetition: bool,
}

impl Past {
    /// A position alone.
    ///
    /// Before the start position of chess the net sees empty boards; before any other one that
    /// position itself, with a pawn that has just moved two squares (the en passant square tells,
    /// even where no pawn can take) back on its first square.
    pub fn of_position(position: &Chess) -> Past {
        let first = Seen::of(position, position.maybe_ep_square());
        Past { boards: vec![first], root: position.clone() }
    }

    /// A game from its start to its root.
    pub fn of_game(game: &Game) -> Past {
        let mut past = Past::of_position(game.start());
        game.positions().for_each(|position| past.add(position));
        past
    }

    /// Adds the position behind one more move, which becomes the root.
    pub fn add(&mut self, position: Chess) {
        let mut seen = Seen::of(&position, position.pseudo_legal_ep_square());
        seen.is_repetition = self.boards.iter().any(|earlier| earlier.is_equal(&seen));
        self.boards.push(seen);
        self.root = position;
    }

    /// The position asked about.
    pub fn root(&self) -> &Chess {
        &self.root
    }
}

impl Seen {
    fn of(position: &Chess, en_passant: Option<Square>) -> Seen {
        Seen {
            turn: position.turn(),
            board: position.board().clone(),
            rights: position.castles().castling_rights(),
            en_passant,
            is_repetition: false,
        }
    }

    fn is_equal(&self, other: &Seen) -> bool {
        self.turn == other.turn
            && self.board == other.board
            && self.rights == other.rights
            && self.en_passant == other.en_passant
    }

    /// The board that stands for all before this one, the first known.
    pub fn before(&self) -> Board {
        let start = Seen::of(&Chess::default(), None);
        if self.is_equal(&start) {
            return Board::empty();
        }
        let mut board = self.board.clone();
        if let Some(square) = self.en_passant {
            // Beside the square passed over, on the ranks 2 and 4, or 5 and 7.
            let (home, now) = (square.xor(Square::A4), square.xor(Square::A2));
            if let Some(pawn) = board.remove_piece_at(now) {
                board.set_piece_at(home, pawn);
            }
        }
        board
    }
}
