//! A side, as the user names it.

use clap::ValueEnum;
use shakmaty::Color;

/// Whose moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Side {
    /// White's moves
    White,
    /// Black's moves
    Black,
}

impl From<Side> for Color {
    fn from(side: Side) -> Color {
        match side {
            Side::White => Color::White,
            Side::Black => Color::Black,
        }
    }
}
