//! `--pov`: whose side the scores take in what people read.

use clap::{Args, ValueEnum};

use crate::render::PointOfView;

/// The option, the same for every command that prints scores for people.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Output")]
pub struct PovArgs {
    /// Whose side the scores take; JSON and CSV always have the mover's, PGN's [%eval] White's
    #[arg(long, value_enum, default_value_t)]
    pov: Pov,
}

/// Whose side the scores take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Pov {
    /// White, as in other chess programs
    #[default]
    White,
    /// The side that plays the move
    Mover,
}

impl PovArgs {
    /// The point of view.
    pub fn get(self) -> PointOfView {
        match self.pov {
            Pov::Mover => PointOfView::Mover,
            Pov::White => PointOfView::White,
        }
    }
}
