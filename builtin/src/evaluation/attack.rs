//! Squares as a side sees them, in places of tables and in sets that are moved or filled; which of them each side
//! attacks, and with what.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use crate::board::Board;

/// Both sides' attacks, indexed by colour.
pub struct Attacks {
    /// By role.
    pub by: [[Bitboard; 6]; 2],
    /// By anything.
    pub all: [Bitboard; 2],
    /// By two or more.
    pub twice: [Bitboard; 2],
    /// Pieces pinned to their king.
    pub pinned: [Bitboard; 2],
    /// The squares around the king, and those before them.
    pub ring: [Bitboard; 2],
    /// Knights, bishops, rooks and queens, with what each attacks.
    pub men: [arrayvec::ArrayVec<Man, 16>; 2],
}

/// A knight, bishop, rook or queen.
#[derive(Clone, Copy)]
pub struct Man {
    pub role: Role,
    pub square: Square,
    pub reach: Bitboard,
}

/// The squares that a side's pawns attack.
pub fn pawn_attacks(us: Color, pawns: Bitboard) -> Bitboard {
    beside(forward(us, pawns))
}

impl Attacks {
    /// The attacks in a position.
    #[inline(always)]
    pub fn new(board: &Board) -> Attacks {
        let mut found = Attacks {
            by: [[Bitboard::EMPTY; 6]; 2],
            all: [Bitboard::EMPTY; 2],
            twice: [Bitboard::EMPTY; 2],
            pinned: [Bitboard::EMPTY; 2],
            ring: [Bitboard::EMPTY; 2],
            men: [arrayvec::ArrayVec::new(), arrayvec::ArrayVec::new()],
        };
        for us in Color::ALL {
            found.add_side(board, us);
        }
        found
    }

    #[inline(always)]
    fn add_side(&mut self, board: &Board, us: Color) {
        let king = board.king(us);
        let near = attacks::king_attacks(king);
        self.ring[us as usize] = near | forward(us, near) | king;
        self.pinned[us as usize] = board.pinned(us, king);
        self.add(us, Role::King, near);
        let pawns = forward(us, board.pieces(us, Role::Pawn));
        let left = Bitboard((pawns & Bitboard(!0x0101_0101_0101_0101)).0 >> 1);
        let right = Bitboard((pawns & Bitboard(!0x8080_8080_8080_8080)).0 << 1);
        self.add(us, Role::Pawn, left);
        self.add(us, Role::Pawn, right);
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            for square in board.pieces(us, role) {
                let reach = self.reach(board, us, role, square);
                self.add(us, role, reach);
                // No side has more than fifteen of them.
                let _ = self.men[us as usize].try_push(Man { role, square, reach });
            }
        }
    }

    #[inline(always)]
    fn add(&mut self, us: Color, role: Role, squares: Bitboard) {
        self.twice[us as usize] |= self.all[us as usize] & squares;
        self.all[us as usize] |= squares;
        self.by[us as usize][role as usize - 1] |= squares;
    }

    /// What a piece attacks: sliders see through their own queens and rooks, pinned pieces move
    /// on their line.
    #[inline(always)]
    fn reach(&self, board: &Board, us: Color, role: Role, square: Square) -> Bitboard {
        let queens = board.pieces(us, Role::Queen);
        let occupied = board.occupied();
        let reach = match role {
            Role::Knight => attacks::knight_attacks(square),
            Role::Bishop => attacks::bishop_attacks(square, occupied ^ queens),
            Role::Rook => {
                attacks::rook_attacks(square, occupied ^ queens ^ board.pieces(us, Role::Rook))
            }
            _ => attacks::queen_attacks(square, occupied),
        };
        if self.pinned[us as usize].contains(square) {
            reach & attacks::ray(board.king(us), square)
        } else {
            reach
        }
    }

    /// A role's attacks.
    pub fn of(&self, us: Color, role: Role) -> Bitboard {
        self.by[us as usize][role as usize - 1]
    }
}

/// A square's place in tables that know neither colours nor wings.
pub fn place(us: Color, square: Square) -> usize {
    let square = relative(us, square);
    square.rank().to_usize() * 4 + wing(square)
}

/// The square as seen from the side's own end of the board.
pub fn relative(us: Color, square: Square) -> Square {
    match us {
        Color::White => square,
        Color::Black => square.flip_vertical(),
    }
}

/// The file's distance from the nearer edge, 0 to 3.
pub fn wing(square: Square) -> usize {
    let file = square.file().to_usize();
    file.min(7 - file)
}

/// One step forward.
#[inline]
pub fn forward(us: Color, squares: Bitboard) -> Bitboard {
    match us {
        Color::White => Bitboard(squares.0 << 8),
        Color::Black => Bitboard(squares.0 >> 8),
    }
}

/// The squares to the left and right.
pub fn beside(squares: Bitboard) -> Bitboard {
    let not_a = Bitboard(!0x0101_0101_0101_0101);
    let not_h = Bitboard(!0x8080_8080_8080_8080);
    Bitboard((squares & not_h).0 << 1) | Bitboard((squares & not_a).0 >> 1)
}

/// All squares in front, on the same files.
pub fn front(us: Color, squares: Bitboard) -> Bitboard {
    let mut fill = forward(us, squares);
    fill |= forward(us, fill);
    fill |= forward(us, forward(us, fill));
    fill | forward(us, forward(us, forward(us, forward(us, fill))))
}

/// The whole files.
pub fn files(squares: Bitboard) -> Bitboard {
    squares | front(Color::White, squares) | front(Color::Black, squares)
}
