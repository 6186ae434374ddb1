//! The arguments of `deepanalyze grow`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::args::database::DbArgs;
use crate::args::engines::EngineArgs;
use crate::args::known_games::KnownGamesArgs;
use crate::args::limits::RunLimitArgs;
use crate::args::report::{PovArgs, ReportFormat};
use crate::args::root::RootArgs;
use crate::args::times::parse_duration;
use crate::args::tree::{TableArgs, TreeArgs};
use crate::error::CliError;
use crate::fleet::FleetArgs;
use deepanalyze_core::search::Limit;
use deepanalyze_report::Percent;
use deepanalyze_runner::{ClosingLimit, RunLimits};

use super::roots::BatchArgs;

/// Analyse a position, a game or many positions, or go on with it
///
/// Stop at any moment, with Ctrl-C or by switching the computer off: every answer is kept, and the
/// same command goes on. Without a limit it works until you stop it.
#[derive(Debug, Args)]
#[command(mut_arg("time", |arg| arg.long_help(HALVES)))]
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
    pub(super) fleet: FleetArgs,
    #[command(flatten)]
    pub(super) tree: TreeArgs,
    #[command(flatten)]
    pub(super) tables: TableArgs,
    #[command(flatten)]
    pub(super) games: KnownGamesArgs,
    #[command(flatten)]
    pub(super) directed: DirectedArgs,
    #[command(flatten)]
    pub(super) limits: LimitArgs,
    #[command(flatten)]
    pub(super) closing: ClosingArgs,
    #[command(flatten)]
    pub(super) pov: PovArgs,
    /// With many positions: what to print at the end, a table or one JSON object on standard output
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, help_heading = "Output")]
    pub(super) format: ReportFormat,
    /// Exit with status 3 if a limit ends the run before the analysis is complete
    #[arg(long, help_heading = "Output")]
    pub(super) exit_code: bool,
    /// Print nothing but errors
    #[arg(long, short, conflicts_with = "verbose", help_heading = "Progress")]
    pub(super) quiet: bool,
    /// Show every pass, and what idle engines search ahead
    #[arg(long, short, help_heading = "Progress")]
    pub(super) verbose: bool,
    /// Append everything said to and by the engines to a file
    #[arg(long, value_name = "FILE", help_heading = "Progress")]
    pub(super) log: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Tree")]
pub(super) struct DirectedArgs {
    /// Replace the position's directives by those of a file from `deepanalyze direct export`
    #[arg(long, value_name = "FILE")]
    pub(super) directives: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits of this run")]
pub(super) struct LimitArgs {
    #[command(flatten)]
    run: RunLimitArgs,
    /// Stop once the best move is so likely to stay, in per cent [default: 90]
    ///
    /// The chance is that the best move is still the best when the engine searches two plies deeper, as it was in
    /// analyses whose outcome is known (docs/measurements/worth.md). It is looked at whenever a depth is complete, and comes to
    /// 90 in the third stage at the earliest; to where two moves are worth the same, never: give --for, too. With many
    /// positions each of them is grown until then.
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent, num_args = 0..=1,
        default_missing_value = "90", allow_negative_numbers = true,
        conflicts_with_all = ["engine_depth", "engine_nodes", "keep_hash"])]
    pub(super) until_stable: Option<Percent>,
    /// At the end, search deeper what could change the best move if it was off by so many centipawns
    ///
    /// When the tree is done, the scores at its ends that could make another move the best are searched again two plies deeper
    /// (with --engine-nodes: with four times the nodes), those first that could most easily, until none that is off by no more
    /// than this can, or a limit is reached. Where the engine depth grows in stages, the tree has half of each limit for that.
    /// The tree and its verdict stay as they are; `show` tells the result beside them ("recheck"), as of `deepanalyze
    /// recheck`.
    #[arg(long, value_name = "CP", allow_negative_numbers = true, conflicts_with = "keep_hash",
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) until_holds: Option<u32>,
}

/// What is to be said of `--for` beside what it says everywhere.
const HALVES: &str = "Stop after this time (\"8h\", \"90m\", \"1h 30m\")

Of a single position the tree has the first half of it. In the second half the engines search the position itself once more \
(the closing search, below), which finds hard moves far more often than the tree alone (docs/measurements/worth.md). All of \
it ends in time: searches that are not over then are left out. --no-closing gives the tree all of the time; so does \
--engine-depth, --engine-nodes, --max-searches, --max-nodes, --until-stable or --keep-hash, and so do many positions. \
With --until-holds there is no closing search unless one is asked for.";

#[derive(Debug, Args)]
#[command(next_help_heading = "Closing search")]
pub(super) struct ClosingArgs {
    /// At the end, search the first position once more to this depth, after the tree's best lines
    ///
    /// The first engine has all moves of the first position; the others share them out among themselves, the best
    /// of them first. Each goes through the tree's best lines behind its moves, from their ends back to their
    /// beginnings, and then searches the first position with these moves, keeping its hash tables all the while.
    /// The first engine's move counts, unless the best of the others is better by 10 centipawns or more
    /// (docs/measurements/worth.md says what that is worth); what the others chose is told behind it ("next"). Engines of a
    /// fleet take part, too. The tree stays as it is; `show` prints both results. The limits of the run do not apply to
    /// this search, and a run that was stopped by Ctrl-C leaves it out; what it had found until then is kept. Where none of
    /// these options is given, a run with --for or --until has one in the second half of its time, and a run without any
    /// limit one after each engine depth, as long as the tree took.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=255), conflicts_with = "keep_hash")]
    closing_depth: Option<u32>,
    /// The same, with this many nodes for each engine instead of a depth
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..=i64::MAX.unsigned_abs()),
        conflicts_with_all = ["keep_hash", "closing_depth"])]
    closing_nodes: Option<u64>,
    /// The same, for this time ("10m") instead of a depth
    ///
    /// Going through the tree's lines takes no more than a quarter of it.
    #[arg(long, value_name = "TIME", value_parser = parse_duration, allow_hyphen_values = true,
        conflicts_with_all = ["keep_hash", "closing_depth", "closing_nodes"])]
    closing_time: Option<Duration>,
    /// No closing search: the tree has all of the time
    #[arg(long, conflicts_with_all = ["closing_depth", "closing_nodes", "closing_time"])]
    no_closing: bool,
}

impl ClosingArgs {
    /// The one that is asked for.
    pub(super) fn asked(&self) -> Option<ClosingLimit> {
        let limit = self.closing_nodes.map(Limit::Nodes).or(self.closing_depth.map(Limit::Depth));
        limit.map(ClosingLimit::Search).or(self.closing_time.map(ClosingLimit::Time))
    }

    /// Whether none is wanted.
    pub(super) fn is_refused(&self) -> bool {
        self.no_closing
    }
}

/// Reads `90`.
fn parse_percent(text: &str) -> Result<Percent, String> {
    let percent = text.parse().ok().and_then(Percent::new);
    let most = Percent::MOST;
    percent.ok_or_else(|| {
        format!("{text:?} is not a chance in per cent from 1 to {most}, the greatest that is told")
    })
}

impl LimitArgs {
    pub(super) fn limits(&self) -> Result<RunLimits, CliError> {
        self.run.limits()
    }
}
