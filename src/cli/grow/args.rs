//! The arguments of `deepanalyze grow`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use jiff::Zoned;
use jiff::civil::Time;

use crate::cli::args::database::DbArgs;
use crate::cli::args::engines::EngineArgs;
use crate::cli::args::pov::PovArgs;
use crate::cli::args::root::RootArgs;
use crate::cli::error::CliError;
use crate::run::RunLimits;
use crate::search::Limit;
use crate::tree::{Breadth, Widths};

use super::duration::parse_duration;
use super::roots::BatchArgs;
use super::until::{parse_time_of_day, time_until};

/// Build or continue the tree of one position, or of many
///
/// Stop it at any moment, by any means: what was answered is kept, and the same command goes on.
#[derive(Debug, Args)]
pub struct GrowArgs {
    #[command(flatten)]
    pub(super) root: RootArgs,
    #[command(flatten)]
    pub(super) batch: BatchArgs,
    #[command(flatten)]
    pub(super) db: DbArgs,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
    #[command(flatten)]
    pub(super) tree: TreeArgs,
    #[command(flatten)]
    pub(super) limits: LimitArgs,
    #[command(flatten)]
    pub(super) closing: ClosingArgs,
    #[command(flatten)]
    pub(super) pov: PovArgs,
    /// What to print of many roots at their end: a table, or one JSON object on standard output
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub(super) format: Format,
    /// Exit with status 3 where a limit ends the run before the depth is complete
    #[arg(long, help_heading = "Output")]
    pub(super) exit_code: bool,
    /// Print nothing but errors
    #[arg(long, short, conflicts_with = "verbose", help_heading = "Progress")]
    pub(super) quiet: bool,
    /// Print every pass
    #[arg(long, short, help_heading = "Progress")]
    pub(super) verbose: bool,
    /// Append what the engines are told and say to a file
    #[arg(long, value_name = "FILE", help_heading = "Progress")]
    pub(super) log: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Tree")]
pub(super) struct TreeArgs {
    /// Move distance in centipawns: moves this close to the best are followed
    ///
    /// One number counts for plies 0 and 1 and halves from then on; a list, like 30,20,10, is one
    /// distance for each ply, the last of which halves; with a + behind it, like 30,10+, the last one
    /// stays.
    #[arg(long, value_name = "W", default_value = "10", allow_hyphen_values = true)]
    distance: Widths,
    /// The same where White is to move ("0+" for your own side, "30+" for the other's grow a repertoire)
    #[arg(long, value_name = "W", allow_hyphen_values = true)]
    distance_white: Option<Widths>,
    /// The same where Black is to move
    #[arg(long, value_name = "W", allow_hyphen_values = true)]
    distance_black: Option<Widths>,
    /// Follow at least so many moves of the root, whatever the distance (as MultiPV does)
    #[arg(long, value_name = "K", default_value_t = 1, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=218))]
    root_moves: u32,
    /// Depth of the analysis, in plies from the root
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub(super) depth: u32,
    /// Take the directives of a file, as `deepanalyze direct export` writes it, in place of all that the root has
    #[arg(long, value_name = "FILE")]
    pub(super) directives: Option<PathBuf>,
}

impl TreeArgs {
    pub(super) fn breadth(&self) -> Breadth {
        let side = |own: &Option<Widths>| own.clone().unwrap_or_else(|| self.distance.clone());
        Breadth {
            white: side(&self.distance_white),
            black: side(&self.distance_black),
            least: self.root_moves,
        }
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits of this run")]
pub(super) struct LimitArgs {
    /// Stop after this time ("8h", "90m", "1h 30m")
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration,
        allow_hyphen_values = true)]
    time: Option<Duration>,
    /// Stop when the clock says so ("07:00"), today or tomorrow
    #[arg(long, value_name = "TIME", value_parser = parse_time_of_day, conflicts_with = "time",
        allow_hyphen_values = true)]
    until: Option<Time>,
    /// Stop after this many searches
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_searches: Option<u64>,
    /// Start no search once the engines have spent this many nodes
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_nodes: Option<u64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Closing search")]
pub(super) struct ClosingArgs {
    /// Search the root once more at the end, so many plies deep, on a hash that the tree's best lines
    /// have warmed
    ///
    /// After the last pass of a run that no signal has ended: one process goes through the best lines
    /// once more, each from its end to its beginning, and then searches the root, without clearing
    /// its hash in between. The tree stays what it is; `show` prints both. Limits of the run do not
    /// hold for it.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=255), conflicts_with = "keep_hash")]
    closing_depth: Option<u32>,
    /// The same with this many nodes
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..=i64::MAX.unsigned_abs()),
        conflicts_with_all = ["keep_hash", "closing_depth"])]
    closing_nodes: Option<u64>,
}

impl ClosingArgs {
    pub(super) fn limit(&self) -> Option<Limit> {
        self.closing_nodes.map(Limit::Nodes).or(self.closing_depth.map(Limit::Depth))
    }
}

impl LimitArgs {
    pub(super) fn limits(&self) -> Result<RunLimits, CliError> {
        let until = self.until.map(|time| time_until(&Zoned::now(), time)).transpose();
        let until = until.map_err(|error| CliError::failure(&error).about("--until"))?;
        Ok(RunLimits {
            time: self.time.or(until),
            searches: self.max_searches,
            nodes: self.max_nodes,
        })
    }
}
