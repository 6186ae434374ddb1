//! How broad and how deep a tree grows, and with what where a position is only looked at.

use deepanalyze_core::tree::{Breadth, Widths};
use deepanalyze_engine::Settings;
use deepanalyze_runner::TableUse;
use deepanalyze_runner::session::SessionSettings;

use super::database::DbArgs;
use super::engines::EngineArgs;
use super::tables::TableArgs;
use crate::error::CliError;

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
    pub distance: Widths,
    /// Move distance where White is to move (for a White repertoire: 0+ here, 30+ for Black)
    #[arg(long, value_name = "W", allow_hyphen_values = true)]
    pub distance_white: Option<Widths>,
    /// Move distance where Black is to move
    #[arg(long, value_name = "W", allow_hyphen_values = true)]
    pub distance_black: Option<Widths>,
    /// Follow at least this many moves in the first position, whatever they lose (like MultiPV)
    #[arg(long, value_name = "K", default_value_t = 1, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=218))]
    pub root_moves: u32,
    /// Depth of the tree, in plies
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub depth: u32,
}

impl TreeArgs {
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

/// The trees of another program that looks at positions: a GUI's, or Lichess'.
#[derive(Debug, Clone, clap::Args)]
pub struct SessionArgs {
    #[command(flatten)]
    pub db: DbArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub tree: TreeArgs,
    #[command(flatten)]
    pub tables: TableArgs,
}

impl SessionArgs {
    /// What a session works with.
    pub fn settings(
        &self,
        engines: Settings,
        tables: Option<TableUse>,
    ) -> Result<SessionSettings, CliError> {
        Ok(SessionSettings {
            database: self.db.path_to_grow()?,
            engines,
            schedule: self.engine.schedule(),
            breadth: self.tree.breadth(),
            depth: self.tree.depth,
            look_ahead: self.engine.looks_ahead(),
            tables,
        })
    }
}
