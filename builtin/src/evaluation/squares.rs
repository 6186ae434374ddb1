//! Squares as a side sees them: places in tables, and sets that are moved or filled.

use shakmaty::{Bitboard, Color, Square};

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
