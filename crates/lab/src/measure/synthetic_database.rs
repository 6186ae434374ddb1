//! Makes a database of any size without an engine: synthetic answers, the real tree and store.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a tool for measurements")]

#[path = "../../../../tests/support/synthetic.rs"]
mod synthetic;

use std::path::PathBuf;

/// Make a database of any size without an engine
#[derive(Debug, clap::Args)]
pub struct SyntheticArgs {
    /// The database; it goes on where it was
    db: PathBuf,
    /// Stop at this number of analysed positions
    #[arg(long, default_value_t = 100_000)]
    positions: u64,
    /// Move distance in centipawns; a small one never gives a large tree
    #[arg(long, default_value_t = 250)]
    distance: u32,
    /// Root
    #[arg(long, default_value = "startpos")]
    root: String,
    /// Other seeds, other scores
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the command.
pub fn run(args: &SyntheticArgs) {
    let growth = synthetic::grow(&args.db, &args.root, args.distance, args.seed, |growth| {
        growth.analysed() >= args.positions
    });
    println!(
        "{} positions, {} searches, {} passes, depth {} being settled",
        growth.analysed(),
        growth.searches(),
        growth.passes(),
        growth.depth(),
    );
}
