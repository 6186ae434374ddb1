//! `deepanalyze grow`.

mod args;
mod batch;
mod batch_table;
mod closing;
mod going_on;
mod log_file;
mod older;
mod prepared;
mod roots;
mod single;

use std::path::Path;
use std::process::ExitCode;

use deepanalyze_core::quoting;
use deepanalyze_engine::{Engines, dismiss_guard};
use deepanalyze_runner::{Job, RunEnd, RunLimits, Shutdown, TreePlan};
use deepanalyze_store::{AnalysisRow, Store};
use deepanalyze_view::name_of_game;

use super::args::database::{finish_update, patience_of};
use super::args::report::ReportFormat;
use super::args::tree::looking_again;
use super::direct::DirectivesFile;
use super::error::{CliError, INTERRUPTED, NOT_SETTLED};
use super::printer::{Printer, printing};
use super::progress::Reporter;
use super::starting::{AllEngines, Searchers, start_engines};

pub use args::GrowArgs;
use closing::{closing_plan, division};
use going_on::{go_on, tree_of};
use log_file::log_to;
use older::OlderRoot;
use single::{SingleRun, begins_another};

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
    args.tables.check()?;
    let is_batch = args.batch.is_asked(&args.root);
    if !is_batch {
        check_single(args)?;
    }
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
    let limits = args.limits.limits()?;
    let closing = closing_plan(args, limits, RunLimits::default());
    let name = name_of_game(&heading, &game);
    let job = Job {
        name,
        origin: args.root.origin(),
        limits,
        closing,
        until_stable: args.limits.until_stable,
        until_holds: args.limits.until_holds,
        directives,
        look_ahead: args.engine.looks_ahead(),
        ..Job::new(game, tree, args.engine.schedule(), args.tree.depth())
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
    let run = SingleRun {
        args,
        job: &job,
        older: older.as_ref(),
        store: &mut store,
        shutdown: &shutdown,
        reporter: &mut reporter,
    };
    let result = run.grow(engines);
    dismiss_guard();
    reporter.clear();
    Ok(exit_code(args, result?))
}

/// Whether engines of this run search ahead: one alone never has time to.
fn looks_ahead(args: &GrowArgs, engines: &dyn Engines) -> bool {
    args.engine.looks_ahead() && engines.up() > 1
}

/// Options that need many positions, and those that a single one must have.
fn check_single(args: &GrowArgs) -> Result<(), CliError> {
    let ends = args.limits.limits()?.is_any() || args.limits.until_stable.is_some();
    if args.limits.until_holds.is_some() && args.engine.schedule().has_stages() && !ends {
        return Err(CliError::usage("--until-holds needs a run that ends")
            .hint("give it a limit, like --for 1h, or one engine depth, like --engine-depth 14"));
    }
    if args.format == ReportFormat::Json {
        return Err(CliError::usage(
            "--format json needs many positions: --every, --game all or --epd",
        )
        .hint("`deepanalyze show --format json` writes one tree"));
    }
    if args.batch.each().is_any() {
        return Err(CliError::usage(
            "--for-each and --searches-each need many positions: --every, --game all or --epd",
        )
        .hint("the limits of a single position are --for and --max-searches"));
    }
    Ok(())
}

fn exit_code(args: &GrowArgs, ending: RunEnd) -> ExitCode {
    match ending {
        RunEnd::Limit if args.exit_code => ExitCode::from(NOT_SETTLED),
        RunEnd::Settled | RunEnd::Stable | RunEnd::Limit => ExitCode::SUCCESS,
        RunEnd::Interrupted => ExitCode::from(INTERRUPTED),
    }
}

/// What a run works with.
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
    let open = || {
        let printer = printer.clone();
        Store::open_with(path, patience_of(shutdown.receiver(), move |why| printer.line(why)))
    };
    let mut existing = path.exists().then(open).transpose()?;
    if let Some(store) = &mut existing {
        finish_update(store, shutdown.receiver(), |line| printer.line(line))?;
    }
    if let Some((store, tables)) = existing.as_mut().zip(tables.as_ref()) {
        let mut say = |count| printer.line(looking_again(count));
        tables.look_again(store, shutdown.receiver(), &mut say)?;
    }
    let say = |what: &str| printer.line(what);
    let Some((engines, searchers)) =
        start_engines((&args.engine, &args.fleet), path, shutdown, say)?
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
    let mut words = vec!["deepanalyze".to_owned()];
    words.extend(command.iter().take(1).map(|word| (*word).to_owned()));
    if let Some(db) = args.db.named() {
        words.extend(["--db".to_owned(), db]);
    }
    words.extend(command.iter().skip(1).map(|word| (*word).to_owned()));
    quoting::join(words.iter().map(String::as_str))
}
