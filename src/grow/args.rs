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
use deepanalyze_runner::{ClosingLimit, RunLimits};
use deepanalyze_view::Percent;

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
    /// Go on with this analysis of `deepanalyze list`: its position, tree and engine depth
    #[arg(long, value_name = "ID", allow_negative_numbers = true, help_heading = "Position",
        conflicts_with_all = ["root", "moves", "pgn", "epd", "distance", "distance_white", "distance_black",
            "root_moves", "draw_value", "avoid_draws", "engine_depth", "engine_nodes", "fifty", "keep_hash",
            "played", "played_white", "played_black"])]
    pub(super) analysis: Option<i64>,
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
    /// With many positions: print a table or one JSON object at the end
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, help_heading = "Output")]
    pub(super) format: ReportFormat,
    /// Exit with status 3 if a limit ends the run before the analysis is complete
    #[arg(long, help_heading = "Output")]
    pub(super) exit_code: bool,
    /// Print only the verdict, and errors
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
    /// Stop once the best move is this likely to stay, in per cent [default: 90]
    ///
    /// The chance that it is still the best move when the engine searches two plies deeper, as counted in finished
    /// analyses. It is checked whenever a depth is complete, and reaches 90 in the third stage at the earliest; where
    /// two moves are equally good it never does, so give --for, too. With many positions, each is analysed until
    /// then.
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent, num_args = 0..=1,
        default_missing_value = "90", allow_negative_numbers = true,
        conflicts_with_all = ["engine_depth", "engine_nodes", "keep_hash"])]
    pub(super) until_stable: Option<Percent>,
    /// At the end, search deeper the scores that could change the best move by an error of up to this many centipawns
    ///
    /// When the tree is complete, the scores at its ends that could most easily make another move the best are
    /// searched two plies deeper (with --engine-nodes: with four times the nodes), until no error of this size could,
    /// or a limit is reached. In stages, the tree gets half of each limit. The tree and its verdict do not change;
    /// `show` prints the result beside them ("recheck").
    #[arg(long, value_name = "CP", allow_negative_numbers = true, conflicts_with = "keep_hash",
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) until_holds: Option<u32>,
}

/// What is to be said of `--for` beside what it says everywhere.
const HALVES: &str = "Stop after this time (\"8h\", \"90m\", \"1h 30m\")

There are two halves: first the tree, then a closing search of the position itself, which finds \
hard moves far more often than the tree alone (docs/worth.md). Many positions share both halves. --no-closing gives the tree all of the time; so do \
--engine-depth, --engine-nodes, --max-searches, --max-nodes, --until-stable, --until-holds and --keep-hash, and so do \
included moves, and a root where the opponent is to move (with --played, or the wider distance).";

#[derive(Debug, Args)]
#[command(next_help_heading = "Closing search")]
pub(super) struct ClosingArgs {
    /// At the end, search the position itself once more, to this depth (the closing search)
    ///
    /// The first engine searches every move of the position; the others split the moves between them, the tree's best
    /// first, and all of them know the tree's best lines from their hash tables. Another engine's move becomes the
    /// verdict only if it is better by 0.10 or more. The tree does not change; `show` prints both results. Without
    /// these options, a run with --for, --until or --for-each makes closing searches in the second half of its time, and
    /// a run without a limit makes one after each engine depth (docs/worth.md). A repertoire (included moves), and a root
    /// where the opponent is to move, have none unless you ask for it.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=255), conflicts_with = "keep_hash")]
    closing_depth: Option<u32>,
    /// Closing search with this many nodes for each engine
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..=i64::MAX.unsigned_abs()),
        conflicts_with_all = ["keep_hash", "closing_depth"])]
    closing_nodes: Option<u64>,
    /// Closing search for this long ("10m")
    ///
    /// At most a quarter of it is spent on the tree's best lines.
    #[arg(long, value_name = "TIME", value_parser = parse_duration, allow_hyphen_values = true,
        conflicts_with_all = ["keep_hash", "closing_depth", "closing_nodes"])]
    closing_time: Option<Duration>,
    /// Skip the closing search; spend all of the time on the tree
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
    percent.ok_or_else(|| format!("invalid percentage {text:?}: expected 1 to {most}"))
}

impl LimitArgs {
    pub(super) fn limits(&self) -> Result<RunLimits, CliError> {
        self.run.limits()
    }
}
