//! `deepanalyze grow`.

mod args;
mod batch;
mod batch_table;
mod closing;
mod command_line;
mod duration;
mod log_file;
mod roots;
mod single;
mod start;
mod until;

use std::process::ExitCode;

use deepanalyze_engine::dismiss_guard;
use deepanalyze_report::name_of_game;
use deepanalyze_runner::{Plan, RunEnd, Shutdown};

use super::args::report::ReportFormat;
use super::direct::read_file;
use super::error::{CliError, INTERRUPTED, NOT_SETTLED};
use super::printer::{Printer, printing};
use super::progress::Reporter;

pub use args::GrowArgs;
use closing::ClosingPlan;
use log_file::log_to;
use single::{SingleRun, begins_another};
use start::{Ready, ready};

/// Runs the command.
pub fn run(args: &GrowArgs) -> Result<ExitCode, CliError> {
    printing(args.quiet, |printer| run_and_tell(args, printer))
}

fn run_and_tell(args: &GrowArgs, printer: &Printer) -> Result<ExitCode, CliError> {
    args.tables.check()?;
    let is_batch = args.batch.is_asked(&args.root);
    if is_batch { check_batch(args) } else { check_single(args) }?;
    let shutdown = Shutdown::on_signals()?;
    let _log = args.log.as_deref().map(log_to).transpose()?;
    if is_batch {
        return batch::run(args, &shutdown, printer);
    }
    let (game, heading) = args.root.game_with_heading()?;
    let directives = args.directed.directives.as_deref();
    let directives = directives.map(|file| read_file(file, game.root())).transpose()?;
    let path = args.db.path_to_grow()?;
    let Some(Ready { mut store, engines, searchers, tables }) =
        ready(args, &path, &shutdown, printer)?
    else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let mut reporter = Reporter::new(printer.clone(), args.pov.get(), args.verbose);
    let directed = match &directives {
        Some(new) => new.clone(),
        None => store.directives_to_begin_with(&game)?.0,
    };
    let limits = args.limits.limits()?;
    let closing = ClosingPlan::of(args, limits);
    let name = name_of_game(&heading, &game);
    let (breadth, schedule) = (args.tree.breadth(), args.engine.schedule());
    let plan = Plan {
        name,
        tables,
        limits: closing.limits_of_tree(limits),
        until_stable: args.limits.until_stable,
        directives,
        look_ahead: args.engine.looks_ahead(),
        ..Plan::new(game, breadth, schedule, args.tree.depth)
    };
    let division = closing.division();
    reporter.begin(&plan, engines.profile(), &searchers, &path, division.as_deref());
    reporter.begin_directed(directed);
    if let Some(note) = begins_another(&store, &plan, engines.profile())? {
        reporter.line(&note);
    }
    let run = SingleRun {
        args,
        plan: &plan,
        closing,
        store: &mut store,
        shutdown: &shutdown,
        reporter: &mut reporter,
    };
    let result = run.grow_and_close(engines);
    dismiss_guard();
    reporter.clear();
    Ok(exit_code(args, result?))
}

/// Options that need a single position.
fn check_batch(args: &GrowArgs) -> Result<(), CliError> {
    if args.closing.asked().is_some() {
        return Err(CliError::usage("a closing search needs a single position, not a batch"));
    }
    if args.directed.directives.is_some() {
        return Err(CliError::usage("--directives needs a single position, not a batch").hint(
            "each position has its own directives: `deepanalyze direct --help` explains them",
        ));
    }
    Ok(())
}

/// Options that need many positions.
fn check_single(args: &GrowArgs) -> Result<(), CliError> {
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
