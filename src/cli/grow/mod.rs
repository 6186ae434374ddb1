//! `deepanalyze grow`.

mod another;
mod args;
mod batch;
mod batch_report;
mod batch_table;
mod closing;
mod command_line;
mod duration;
mod log_file;
mod roots;
mod start;
mod until;

use std::process::ExitCode;

use crate::analysis::LinesTold;
use crate::engine::{Engines, dismiss_guard};
use crate::render::name_of_game;
use crate::run::{
    ClosingEnd, End, Exhausted, Keeping, Plan, Publisher, RunEnd, RunOutcome, Shutdown, grow,
};
use crate::store::Store;

use super::direct::read_file;
use super::error::{CliError, INTERRUPTED, NOT_SETTLED};
use super::printer::{Printer, printing};
use super::progress::{Reporter, followed};

use another::begins_another;
use args::Format;
pub use args::GrowArgs;
use closing::close;
use command_line::command_line;
use log_file::log_to;
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
    let plan = Plan {
        name: name_of_game(&heading, &game),
        game,
        breadth: args.tree.breadth(),
        tables,
        depth: args.tree.depth,
        schedule: args.engine.schedule(),
        limits: args.limits.limits()?,
        until_stable: args.limits.until_stable,
        directives,
        look_ahead: args.engine.looks_ahead(),
        told: LinesTold::default(),
        keeping: Keeping::default(),
    };
    reporter.begin(&plan, engines.profile(), &searchers, &path);
    reporter.begin_directed(directed);
    if let Some(note) = begins_another(&store, &plan, engines.profile())? {
        reporter.line(&note);
    }
    let result = grow_and_close(args, &plan, (&mut store, engines), &shutdown, &mut reporter);
    dismiss_guard();
    reporter.clear();
    Ok(exit_code(args, result?))
}

/// Options that need a single position.
fn check_batch(args: &GrowArgs) -> Result<(), CliError> {
    if args.closing.wanted().is_some() {
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
    if args.format == Format::Json {
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

/// Grows the tree and makes the closing search, where one is asked for and the run has come to its own
/// end. Says how all of it ended.
fn grow_and_close(
    args: &GrowArgs,
    plan: &Plan,
    (store, mut engines): (&mut Store, Box<dyn Engines + Send>),
    shutdown: &Shutdown,
    reporter: &mut Reporter,
) -> Result<End, CliError> {
    let publisher = Publisher::new().telling_every_pass(args.verbose);
    let outcome = followed(reporter, publisher, |mut publisher| {
        let outcome = grow(plan, store, &mut *engines, shutdown.receiver(), &mut publisher);
        publisher.end(RunEnd::of(&outcome, |outcome| outcome.ending));
        outcome
    })??;
    drop(engines);
    reporter.clear();
    reporter.end(&outcome, store.path(), show_command(args, &outcome).as_deref());
    if let Some(nothing_left) = nothing_left(plan, &outcome) {
        reporter.line(&nothing_left);
    }
    let wanted = args.closing.wanted().filter(|_| outcome.ending != End::Interrupted);
    let Some(closed) = outcome.analysis.zip(wanted) else {
        return Ok(outcome.ending);
    };
    let closing = close(args, closed, store, shutdown, reporter)
        .map_err(|error| error.about("the tree is kept, but the closing search failed"))?;
    reporter.closed(plan.game.root(), closing);
    let interrupted = matches!(closing, Some(ClosingEnd::Interrupted));
    Ok(if interrupted { End::Interrupted } else { outcome.ending })
}

/// Why a run has ended before its time, and what would go on; nothing where it has not.
fn nothing_left(plan: &Plan, outcome: &RunOutcome) -> Option<String> {
    if outcome.ending != End::Settled {
        return None;
    }
    if let Some(why) = outcome.exhausted.filter(|why| why.end_of_root().is_some()) {
        return Some(format!("nothing is left to do: {why}"));
    }
    let why = match (plan.schedule.has_stages(), outcome.exhausted) {
        (_, Some(Exhausted::Decided)) => Exhausted::Decided.to_string(),
        (true, Some(why)) => why.to_string(),
        _ if plan.limits.is_any() => format!("depth {} is complete", plan.depth),
        _ => return None,
    };
    let deeper = if plan.schedule.has_stages() { "" } else { ", or no --engine-depth," };
    Some(format!(
        "nothing is left to do: {why}; a greater --depth or --distance{deeper} would go on"
    ))
}

/// How to see what was grown, if anything was.
fn show_command(args: &GrowArgs, outcome: &RunOutcome) -> Option<String> {
    let analysis = outcome.analysis?.0.to_string();
    Some(command_line(args, &["show", "--analysis", &analysis]))
}

fn exit_code(args: &GrowArgs, ending: End) -> ExitCode {
    match ending {
        End::Limit if args.exit_code => ExitCode::from(NOT_SETTLED),
        End::Settled | End::Stable | End::Limit => ExitCode::SUCCESS,
        End::Interrupted => ExitCode::from(INTERRUPTED),
    }
}
