//! `deepanalyze recheck`.

mod table;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_engine::dismiss_guard;
use deepanalyze_report::RootNotes;
use deepanalyze_runner::{
    RecheckOutcome, RecheckPlan, RecheckRoot, RootRecheck, RunEnd, RunFeed, Shutdown, recheck,
};
use deepanalyze_store::{AnalysisRow, Store};
use deepanalyze_view::{
    Stages, count, describe_limit, describe_profile, describe_root, write_json,
};

use crate::args::database::{ChosenArgs, DbArgs, analysis_of};
use crate::args::engines::EngineArgs;
use crate::args::report::{PovArgs, ReportFormat};
use crate::args::times::RunLimitArgs;
use crate::error::{CliError, INTERRUPTED, exit_code};
use crate::fleet::FleetArgs;
use crate::output::Output;
use crate::printer::{Printer, printing};
use crate::progress::{Reporter, followed, how, kept, time};
use crate::starting::{Searchers, start_engines};

use table::RecheckTable;

/// Check with another engine, or a deeper search, whether a best move stays
///
/// The new engine searches single moves at the ends of the tree, those first that could most easily make another move
/// the best, until the best move is safe: no error of the usual size could still change it. That takes a small part
/// of the searches of a new tree, which stays as it is. Every answer is kept: stop at any moment, and the same
/// command goes on.
///
/// Another engine than the tree's looks first at the position itself, for a quarter of the nodes of the closing search,
/// if there is one. Take a changed best move seriously: in four of five cases a whole new tree changed it, too. A best move stays only where the new engine would
/// play it, too; one that is only not refuted changed in a whole new tree in more than a third of the cases, and in one
/// of six with --within 200, which takes four times as long (docs/measurements/recheck.txt).
///
/// Without a position or --analysis, the analysis grown last is checked. With several, each gets an equal part of the
/// remaining time, the last one grown first. `list` and `show` print the result beside the verdict of the tree.
#[derive(Debug, Args)]
#[command(
    mut_arg("engine_depth", |arg| arg.help(DEPTH).long_help(None)),
    mut_arg("engine_nodes", |arg| arg.help(NODES))
)]
pub struct RecheckArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Check every analysis of the database that another engine has made, or the same one with another depth
    #[arg(long, help_heading = "Position",
        conflicts_with_all = ["root", "moves", "pgn", "analysis"])]
    all: bool,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    fleet: FleetArgs,
    /// Stop once no error of this many centipawns in a score could change the best move [default: what two thirds of
    /// the errors found so far stay within]
    #[arg(long, value_name = "CP", allow_negative_numbers = true, help_heading = "Recheck",
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    within: Option<u32>,
    #[command(flatten)]
    limits: RunLimitArgs,
    #[command(flatten)]
    pov: PovArgs,
    /// Format of the output at the end
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, help_heading = "Output")]
    format: ReportFormat,
    /// Exit with status 3 if a limit ends the run before every analysis is checked
    #[arg(long, help_heading = "Output")]
    exit_code: bool,
    /// Print only the result, and errors
    #[arg(long, short, conflicts_with = "verbose", help_heading = "Progress")]
    quiet: bool,
    /// Show every turn of an analysis
    #[arg(long, short, help_heading = "Progress")]
    verbose: bool,
}

const DEPTH: &str =
    "Search each move to this depth, in plies [default: as deep as the searches of the analysis]";
const NODES: &str = "Search this many nodes for each move, instead of to a depth";

/// Runs the command.
pub fn run(args: &RecheckArgs) -> Result<ExitCode, CliError> {
    printing(args.quiet, |printer| run_and_tell(args, printer))
}

fn run_and_tell(args: &RecheckArgs, printer: &Printer) -> Result<ExitCode, CliError> {
    if args.engine.keep_hash {
        return Err(CliError::usage("--keep-hash cannot be used with recheck")
            .hint("each score is to be that of its search alone"));
    }
    let shutdown = Shutdown::on_signals()?;
    let (path, candidates) = {
        let store = args.chosen.open()?;
        (store.path().to_owned(), candidates(args, &store)?)
    };
    let say = |what: &str| printer.line(what);
    let engine = args.engine.without_second();
    let started = start_engines(&engine, &args.fleet, &path, &shutdown, say)?;
    let Some((mut engines, searchers)) = started else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let analyses = to_check(args, candidates, engines.profile())?;
    let plan = RecheckPlan { analyses, within: args.within, limits: args.limits.limits()? };
    let mut store = DbArgs::open_to_run(&path, shutdown.receiver(), printer)?;
    let reporter = Reporter::new(printer.clone(), args.pov.get(), args.verbose);
    let mut reporter = reporter.of_many(plan.analyses.len());
    begin(&reporter, &plan, engines.profile(), &searchers, &path);
    let feed = RunFeed::default();
    let outcome = followed(
        &mut reporter,
        &feed,
        |outcome: &RecheckOutcome| outcome.ending,
        |tell| recheck(&plan, &mut store, &mut *engines, shutdown.receiver(), tell),
    )?;
    let profile = engines.profile().clone();
    drop(engines);
    dismiss_guard();
    reporter.clear();
    let outcome = outcome?;
    let (how, searches) = (how(outcome.ending), count(outcome.searches, "search"));
    reporter.line(&format!("{how}: {searches} in {}", time(outcome.elapsed)));
    if outcome.ending != RunEnd::Settled {
        reporter.line(&kept(&path));
    }
    printer.flush();
    let table = RecheckTable::of(args, &plan, &outcome, &profile);
    Output::stdout().write(|out| match args.format {
        ReportFormat::Text => table.write(args.pov.get(), out),
        ReportFormat::Json => write_json(&table, out),
    })?;
    let has_failed = outcome.roots.iter().any(|root| matches!(root, RootRecheck::Failed(_)));
    let is_short = args.exit_code && outcome.ending == RunEnd::Limit;
    Ok(exit_code(outcome.ending, has_failed, is_short))
}

/// Says what is going to be done.
fn begin(
    reporter: &Reporter,
    plan: &RecheckPlan,
    profile: &Profile,
    searchers: &Searchers,
    path: &Path,
) {
    let limits = limits(plan);
    let limits = limits.into_iter().map(describe_limit).collect::<Vec<_>>().join(" or ");
    reporter.line(&format!("checking  {}", count(plan.analyses.len() as u64, "root")));
    reporter.line(&format!("engine    {}, {limits}, {}", profile.engine, searchers.words));
    let options = profile.described_options().into_iter();
    let options: Vec<String> = options.map(|(name, value)| format!("{name}={value}")).collect();
    if !options.is_empty() {
        reporter.line(&format!("options   {}", options.join(", ")));
    }
    reporter.line(&format!("database  {}", path.display()));
}

/// An analysis that may be checked, and what people call its root.
struct Candidate {
    row: AnalysisRow,
    name: String,
}

/// The analyses named by the user, the last one grown first; of stages the one whose verdict is
/// shown.
fn candidates(args: &RecheckArgs, store: &Store) -> Result<Vec<Candidate>, CliError> {
    let notes = RootNotes::read(store)?;
    let named = |row: AnalysisRow, stages: &Stages| {
        let described = || row.game().map_or_else(|| row.root.clone(), |game| describe_root(&game));
        let name = notes.of(stages).name.unwrap_or_else(described);
        Candidate { row, name }
    };
    if args.chosen.is_analysis() || !(args.all || args.chosen.is_given()) {
        let row = analysis_of(args.chosen.choose(store)?.0, store)?;
        let stages = Stages::of(store, row.clone())?;
        return Ok(vec![named(row, &stages)]);
    }
    let mut all = Stages::all(store)?;
    if !args.all {
        // Says so where the root has no analysis.
        let chosen = analysis_of(args.chosen.choose(store)?.0, store)?;
        let of_root = store.analyses_of(&args.chosen.root.game()?)?;
        let is_here = |row: &AnalysisRow| {
            row.id == chosen.id || of_root.iter().any(|other| other.id == row.id)
        };
        all.retain(|stages| stages.rows().iter().any(is_here));
    }
    let speaking = all.iter().filter_map(|stages| Some((stages.speaking()?.clone(), stages)));
    Ok(speaking.map(|(row, stages)| named(row, stages)).collect())
}

/// The candidates searched by another profile than the one that is to check them.
///
/// # Errors
///
/// If no candidate is left.
fn to_check(
    args: &RecheckArgs,
    candidates: Vec<Candidate>,
    engine: &Profile,
) -> Result<Vec<RecheckRoot>, CliError> {
    let first = candidates.first().map(|one| (one.row.id.0, describe_profile(&one.row.profile)));
    let root = |Candidate { row, name }| {
        let limit = args.engine.limit().unwrap_or(row.profile.limit);
        let is_own = row.profile == Profile { limit, ..engine.clone() };
        (!is_own).then_some(RecheckRoot { row, name, limit })
    };
    let roots: Vec<RecheckRoot> = candidates.into_iter().filter_map(root).collect();
    if !roots.is_empty() {
        return Ok(roots);
    }
    let Some((id, profile)) = first else {
        return Err(
            CliError::missing("there is no analysis to check").hint("`deepanalyze grow` makes one")
        );
    };
    Err(CliError::usage(format!("analysis {id} already consists of these searches ({profile})"))
        .hint("--engine CMD takes another engine; --engine-depth N or --engine-nodes N a deeper search"))
}

/// The limits of all new searches.
fn limits(plan: &RecheckPlan) -> BTreeSet<Limit> {
    plan.analyses.iter().map(|root| root.limit).collect()
}
