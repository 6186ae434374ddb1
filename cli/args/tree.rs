//! How broad and how deep a tree grows.

use deepanalyze_core::tree::{Breadth, Widths, WidthsError};

/// The tree's breadth and depth.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Tree")]
pub struct TreeArgs {
    /// Move distance in centipawns: follow the moves that are this close to the best
    ///
    /// One number holds for the first two plies and then halves from ply to ply. A list, like 30,20,10,
    /// gives each ply its distance, and the last one halves from there; with a + at the end, like
    /// 30,10+, the last one stays.
    #[arg(long, value_name = "W", default_value = "10", allow_hyphen_values = true)]
    distance: Widths,
    /// Move distance where White is to move (for a White repertoire: 0+ here, 30+ for Black)
    #[arg(long, value_name = "W", allow_hyphen_values = true)]
    distance_white: Option<Widths>,
    /// Move distance where Black is to move
    #[arg(long, value_name = "W", allow_hyphen_values = true)]
    distance_black: Option<Widths>,
    /// Follow at least this many moves in the first position, whatever they lose (like MultiPV)
    #[arg(long, value_name = "K", default_value_t = 1, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=218))]
    root_moves: u32,
    /// Depth of the tree, in plies
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub depth: u32,
}

impl TreeArgs {
    /// How many moves the root has at least.
    pub fn root_moves(&self) -> u32 {
        self.root_moves
    }

    /// The move distance, where both sides have the same.
    pub fn distance(&self) -> String {
        self.distance.to_string()
    }

    /// Gives both sides another move distance.
    ///
    /// # Errors
    ///
    /// Where it is none.
    pub fn set_distance(&mut self, distance: &str) -> Result<(), String> {
        self.distance = distance.parse().map_err(|error: WidthsError| error.to_string())?;
        (self.distance_white, self.distance_black) = (None, None);
        Ok(())
    }

    /// The move distances, and how many moves the root has at least.
    pub fn breadth(&self) -> Breadth {
        let side = |own: &Option<Widths>| own.clone().unwrap_or_else(|| self.distance.clone());
        Breadth {
            white: side(&self.distance_white),
            black: side(&self.distance_black),
            least: self.root_moves,
        }
    }
}
