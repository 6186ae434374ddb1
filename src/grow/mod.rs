//! `deepanalyze grow`.

mod args;
mod batch;
mod batch_table;
mod closing;
mod log_file;
mod older;
mod prepared;
mod roots;
mod single;

use std::path::Path;
use std::process::ExitCode;

use deepanalyze_core::chess::Game;
use deepanalyze_core::quoting;
use deepanalyze_engine::{Engines, dismiss_guard};
use deepanalyze_runner::{ClosingPlan, Job, RunEnd, RunLimits, Schedule, Shutdown, TreePlan};
use deepanalyze_store::{AnalysisRow, Store};
use deepanalyze_view::name_of_game;

use super::args::database::DbArgs;
use super::args::engines::EngineArgs;
use super::args::report::ReportFormat;
use super::args::tree::looking_again;
use super::direct::DirectivesFile;
use super::error::{CliError, INTERRUPTED, exit_code};
use super::printer::{Printer, printing};
use super::progress::Reporter;
use super::starting::{AllEngines, Searchers, start_engines};

pub use args::GrowArgs;
use closing::{closing_plan, division};
use log_file::log_to;
use older::OlderRoot;
use single::{begins_another, go_on, grow_single, tree_of};

/// Runs the command.
pub fn run(mut args: GrowArgs) -> Result<ExitCode, CliError> {
    printing(args.quiet, |printer| {
        let continued = go_on(&mut args)?;
        run_and_tell(&args, continued.as_ref(), printer)
    })
}

fn run_and_tell(
    args: &GrowArgs,
    continued: Option<&AnalysisRow>,
    printer: &Printer,
) -> Result<ExitCode, CliError> {
    let is_batch = args.batch.is_asked(&args.root);
    check(args, is_batch)?;
    let shutdown = Shutdown::on_signals()?;
    let _log = args.log.as_deref().map(log_to).transpose()?;
    if is_batch {
        return batch::run(args, &shutdown, printer);
    }
    let (game, heading) = args.root.game_with_heading()?;
    let directives = args.directed.directives.as_deref();
    let directives = directives.map(DirectivesFile::read).transpose()?;
    let directives = directives.map(|file| file.set_of(game.root())).transpose()?;
    let path = args.db.path_to_grow()?;
    let Some(Ready { mut store, engines, searchers, tree }) =
        ready(args, &path, &shutdown, printer)?
    else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let tree = match continued {
        Some(row) => tree_of(row, engines.profile(), &tree)?,
        None => tree,
    };
    let mut reporter = Reporter::new(printer.clone(), args.pov.get(), args.verbose);
    let directed = match &directives {
        Some(new) => new.clone(),
        None => store.directives_to_begin_with(&game, args.root.origin())?.0,
    };
    let limits = args.limits.run.limits()?;
    let job = Job {
        name: name_of_game(&heading, &game),
        origin: args.root.origin(),
        limits,
        closing: closing_plan(args, limits, RunLimits::default()),
        directives,
        ..job_of(args, game, tree, args.engine.schedule())
    };
    let division = division(&job, &directed);
    reporter.begin(&job, engines.profile(), &searchers, &path, division.as_deref());
    reporter.begin_directed(directed);
    if let Some(note) = begins_another(&store, &job, engines.profile())? {
        reporter.line(&note);
    }
    let made = (&job.tree, job.schedule);
    let older = OlderRoot::of(&store, &job.game, made, engines.profile())?;
    if let Some(older) = &older {
        reporter.line(&older.begin(args.pov.get(), looks_ahead(args, &*engines)));
    }
    let older = older.as_ref();
    let result = grow_single(args, &job, older, &mut store, engines, &shutdown, &mut reporter);
    dismiss_guard();
    reporter.clear();
    let ending = result?;
    Ok(exit_code(ending, false, args.exit_code && ending == RunEnd::Limit))
}

/// The tree of a game, with what the options say of every root alike.
fn job_of(args: &GrowArgs, game: Game, tree: TreePlan, schedule: Schedule) -> Job {
    Job {
        until_stable: args.limits.until_stable,
        until_holds: args.limits.until_holds,
        second_time: args.limits.second_time,
        look_ahead: args.engine.looks_ahead(),
        ..Job::new(game, tree, schedule, args.tree.depth())
    }
}

/// The engine, and the second one if closing searches are made.
fn engine_of(args: &GrowArgs) -> Result<EngineArgs, CliError> {
    let plan = closing_plan(args, args.limits.run.limits()?, args.batch.each());
    match plan {
        ClosingPlan::None if args.engine.has_second() => {
            Err(CliError::usage("--second has no effect: this run makes no closing search")
                .hint("--closing 10m makes one at the end"))
        }
        ClosingPlan::None => Ok(args.engine.without_second()),
        _ => Ok(args.engine.clone()),
    }
}

/// True if engines of this run search ahead: one alone never has time to.
fn looks_ahead(args: &GrowArgs, engines: &dyn Engines) -> bool {
    args.engine.looks_ahead() && engines.up() > 1
}

/// Refuses options that contradict one another, and those of many positions with a single one.
fn check(args: &GrowArgs, is_batch: bool) -> Result<(), CliError> {
    args.tables.check()?;
    let ends = args.limits.run.limits()?.is_any() || args.limits.until_stable.is_some();
    let is_endless = args.engine.schedule().has_stages() && !ends;
    let is_closed = matches!(args.closing.plan(), Some(ClosingPlan::Asked(_)));
    let (what, hint) = match () {
        () if is_closed && args.engine.keep_hash => (
            "--closing cannot be used with --keep-hash",
            "a closing search begins with an empty hash",
        ),
        () if is_batch => return Ok(()),
        () if args.limits.until_holds.is_some() && is_endless => (
            "--until-holds needs a run that ends",
            "give it a limit, like --for 1h, or one engine depth, like --engine-depth 14",
        ),
        () if args.format == ReportFormat::Json => (
            "--format json needs many positions: --every, --game all or --epd",
            "`deepanalyze export json` writes one tree",
        ),
        () if args.batch.each().is_any() => (
            "--for-each and --searches-each need many positions: --every, --game all or --epd",
            "the limits of a single position are --for and --max-searches",
        ),
        () => return Ok(()),
    };
    Err(CliError::usage(what).hint(hint))
}

/// Resources of a run.
struct Ready {
    store: Store,
    engines: AllEngines,
    searchers: Searchers,
    tree: TreePlan,
}

/// The database and the engines, ready to work; nothing where a signal comes first.
fn ready(
    args: &GrowArgs,
    path: &Path,
    shutdown: &Shutdown,
    printer: &Printer,
) -> Result<Option<Ready>, CliError> {
    // A new database is made only once there is an engine to fill it; one that cannot be used is
    // refused before engines are started.
    let tables = args.tables.tables()?;
    let games = args.games.games(shutdown.receiver(), printer)?;
    let open = || DbArgs::open_to_run(path, shutdown.receiver(), printer);
    let mut existing = path.exists().then(open).transpose()?;
    if let Some((store, tables)) = existing.as_mut().zip(tables.as_ref()) {
        let mut say = |count| printer.line(looking_again(count));
        tables.look_again(store, shutdown.receiver(), &mut say)?;
    }
    let say = |what: &str| printer.line(what);
    let engine = engine_of(args)?;
    let Some((engines, searchers)) = start_engines(&engine, &args.fleet, path, shutdown, say)?
    else {
        return Ok(None);
    };
    let store = match existing {
        Some(store) => store,
        None => open()?,
    };
    if let Some(tables) = &tables {
        for complaint in tables.files.take_complaints() {
            printer.line(format!("warning: {complaint}"));
        }
    }
    let tree = TreePlan { tables, games, ..args.tree.plan() };
    Ok(Some(Ready { store, engines, searchers, tree }))
}

/// A command of this program, the database named where it was named here.
fn command_line(args: &GrowArgs, command: &[&str]) -> String {
    let db = args.db.named();
    let database = db.iter().flat_map(|db| ["--db", db]);
    quoting::join(["deepanalyze"].into_iter().chain(command.iter().copied()).chain(database))
}
