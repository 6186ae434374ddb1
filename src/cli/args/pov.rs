//! `--pov`: whose side the scores take.

use clap::ValueEnum;

use crate::render::PointOfView;

/// Whose side the scores take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Pov {
    /// The side that plays the move
    Mover,
    /// White
    White,
}

impl From<Pov> for PointOfView {
    fn from(pov: Pov) -> PointOfView {
        match pov {
            Pov::Mover => PointOfView::Mover,
            Pov::White => PointOfView::White,
        }
    }
}
