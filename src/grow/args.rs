//! The arguments of `deepanalyze grow`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::args::database::DbArgs;
use crate::args::engines::EngineArgs;
use crate::args::games::KnownGamesArgs;
use crate::args::report::{PovArgs, ReportFormat};
use crate::args::root::RootArgs;
use crate::args::times::{RunLimitArgs, parse_duration};
use crate::args::tree::{TableArgs, TreeArgs};
use crate::fleet::FleetArgs;
use deepanalyze_core::search::Limit;
use deepanalyze_runner::{ClosingLimit, ClosingPlan};
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
    pub(super) run: RunLimitArgs,
    /// The second engine's time for its look at all moves [default: a sixth of the closing search's]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, hide = true)]
    pub(super) second_time: Option<Duration>,
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

/// Help of `--for` in this command, which differs from that of others.
const HALVES: &str = "Stop after this time (\"8h\", \"90m\", \"1h 30m\")

There are two halves: first the tree, then a closing search of the position itself, which finds \
hard moves far more often than the tree alone (docs/worth.md). Many positions share both halves. --closing no gives the tree all of the time; so do \
--engine-depth, --engine-nodes, --max-searches, --until-stable and --until-holds, and so do \
included moves, and a root where the opponent is to move (with --played, or the wider distance).";

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits of this run")]
#[group(multiple = false)]
pub(super) struct ClosingArgs {
    /// At the end, search the position itself once more: for this long (10m), to this depth (24d) or with this many
    /// nodes for each engine (1e9n); or never (no)
    ///
    /// In this closing search the first engine searches every move of the position (for a time: with the threads of three
    /// in four engines of this computer, where the engine has `Threads`); the others split the moves between them, the
    /// tree's best first. Another engine's move becomes the verdict only if it is better by 0.30 or more.
    /// The tree does not change; `show` prints both results. Without this option, a run with --for, --until or
    /// --for-each makes closing searches in the second half of its time, and a run without a limit makes one after each
    /// engine depth (docs/worth.md). A repertoire (included moves), and a root where the opponent is to move, have none
    /// unless you ask for it.
    #[arg(long, value_name = "LIMIT", value_parser = parse_closing, allow_hyphen_values = true)]
    closing: Option<ClosingPlan>,
    /// `--closing Nd`
    #[arg(long, value_name = "N", allow_negative_numbers = true, hide = true,
        value_parser = |text: &str| parse_closing(&format!("{text}d")))]
    closing_depth: Option<ClosingPlan>,
    /// `--closing Nn`
    #[arg(long, value_name = "N", allow_negative_numbers = true, hide = true,
        value_parser = |text: &str| parse_closing(&format!("{text}n")))]
    closing_nodes: Option<ClosingPlan>,
    /// `--closing TIME`
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, hide = true,
        value_parser = |text: &str| parse_duration(text).map(ClosingLimit::Time).map(ClosingPlan::Asked))]
    closing_time: Option<ClosingPlan>,
    /// `--closing no`
    #[arg(long, hide = true)]
    no_closing: bool,
}

impl ClosingArgs {
    /// The one that is asked for, or that there is to be none.
    pub(super) fn plan(&self) -> Option<ClosingPlan> {
        let timed = self.closing.or(self.closing_time).or(self.closing_depth);
        timed.or(self.closing_nodes).or(self.no_closing.then_some(ClosingPlan::None))
    }
}

/// Reads `10m`, `24d`, `1e9n`, `no`.
fn parse_closing(text: &str) -> Result<ClosingPlan, String> {
    let text = text.trim();
    let depth = text.strip_suffix('d').and_then(|depth| depth.parse().ok());
    let nodes = text.strip_suffix('n').and_then(|nodes| nodes.parse::<f64>().ok());
    let limit = match (depth, nodes) {
        (None, None) if text == "no" => return Ok(ClosingPlan::None),
        (None, None) => humantime::parse_duration(text).ok().map(ClosingLimit::Time),
        (Some(depth), _) => {
            (1..=255).contains(&depth).then_some(ClosingLimit::Search(Limit::Depth(depth)))
        }
        (_, Some(nodes)) => (1.0..i64::MAX as f64)
            .contains(&nodes)
            .then_some(ClosingLimit::Search(Limit::Nodes(nodes as u64))),
    };
    let wrong = "expected a time (10m), a depth (1d to 255d), nodes (1e9n) or no";
    limit.map(ClosingPlan::Asked).ok_or_else(|| wrong.to_owned())
}

/// Reads `90`.
fn parse_percent(text: &str) -> Result<Percent, String> {
    let percent = text.parse().ok().and_then(Percent::new);
    let most = Percent::MOST;
    percent.ok_or_else(|| format!("invalid percentage {text:?}: expected 1 to {most}"))
}
