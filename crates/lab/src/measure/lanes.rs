//! Work of one engine in several lanes, side by side.

use std::path::PathBuf;

use deepanalyze_core::search::Limit;
use deepanalyze_engine::Settings;

use crate::failure::LabFailure;

/// The engine, the openings, and how many lanes there are.
#[derive(Debug, clap::Args)]
pub struct LaneArgs {
    /// The engine's command line
    #[arg(long, default_value = "stockfish")]
    pub engine: String,
    /// Its hash, in MiB
    #[arg(long, default_value_t = 16)]
    pub hash: u32,
    /// The openings, an EPD file
    #[arg(long)]
    pub openings: PathBuf,
    /// Other seeds, other openings
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Lanes side by side, each with an engine of its own
    #[arg(long, default_value_t = 2)]
    pub lanes: usize,
}

impl LaneArgs {
    /// One process of the engine, for searches to this limit.
    pub fn settings(&self, limit: Limit) -> Settings {
        Settings {
            options: vec![("Hash".to_owned(), self.hash.to_string())],
            ..Settings::new(&self.engine, limit)
        }
    }

    /// Runs the same work in every lane; the first error counts.
    pub fn run(&self, lane: impl Fn() -> Result<(), LabFailure> + Sync) -> Result<(), LabFailure> {
        std::thread::scope(|scope| {
            let lanes: Vec<_> = (0..self.lanes.max(1)).map(|_| scope.spawn(&lane)).collect();
            lanes.into_iter().try_for_each(|lane| {
                lane.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
        })
    }
}
