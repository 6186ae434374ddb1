//! `--pov`: whose side the scores take in what people read.

use clap::{Args, ValueEnum};

use deepanalyze_report::PointOfView;

/// The option, the same for every command that prints scores for people.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Output")]
pub struct PovArgs {
    /// Point of view of the scores
    ///
    /// JSON and CSV always have the mover's, [%eval] in PGN always White's.
    #[arg(long, value_enum, default_value_t)]
    pov: Pov,
}

/// Whose side the scores take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Pov {
    /// White: plus is good for White
    #[default]
    White,
    /// The side that plays the move: plus is good for that side
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
