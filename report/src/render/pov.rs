//! Whose side scores take: White's in all that people read, unless they ask for the mover's.

use shakmaty::Color;

use deepanalyze_core::chess::Score;

/// For which side scores are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PointOfView {
    /// The side that plays the scored move.
    Mover,
    /// White.
    #[default]
    White,
}

impl PointOfView {
    /// Whose scores these are, in words.
    pub fn whose(self) -> &'static str {
        match self {
            PointOfView::Mover => "for the side that plays the move",
            PointOfView::White => "for White",
        }
    }
}

/// A value or score of the mover's as the chosen point of view has it.
pub fn seen(value: impl Into<Score>, mover: Color, pov: PointOfView) -> Score {
    let score = value.into();
    match (pov, mover) {
        (PointOfView::White, Color::Black) => -score,
        _ => score,
    }
}
