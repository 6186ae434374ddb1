//! `deepanalyze grow` on many roots: every position of a game, or the positions of a file.

use std::process::ExitCode;

use crate::args::report::ReportFormat;
use crate::args::root::{GameChoice, name_of};
use crate::direct::DirectivesFile;
use crate::error::{CliError, INTERRUPTED, exit_code, may_pass};
use crate::output::Output;
use crate::printer::Printer;
use crate::progress::{Reporter, followed, how, kept, time};
use crate::show::write_game_tables;
use deepanalyze_core::directives::Directives;
use deepanalyze_engine::dismiss_guard;
use deepanalyze_report::{AnnotatedGame, annotated_games, closing_weights};
use deepanalyze_runner::{
    Job, JobOutcome, Queue, QueueOutcome, RunEnd, RunError, RunFeed, Schedule, Shutdown, TreePlan,
    grow_queue,
};
use deepanalyze_store::{RootOrigin, Store};
use deepanalyze_view::{count, write_json};

use super::args::GrowArgs;
use super::batch_table::BatchTable;
use super::closing::{closing_plan, division_of_many};
use super::older::OlderRoots;
use super::roots::{BatchRoot, BatchRoots};
use super::single::no_verdict;
use super::{Ready, command_line, job_of, looks_ahead, ready};

/// Runs `grow` on many roots.
pub fn run(args: &GrowArgs, shutdown: &Shutdown, printer: &Printer) -> Result<ExitCode, CliError> {
    let BatchRoots { roots, tasks, games, left_out } = args.batch.roots(&args.root)?;
    let directives = args.directed.directives.as_deref().map(DirectivesFile::read).transpose()?;
    let said = |root: &BatchRoot| {
        directives.as_ref().map(|file| file.set_of(root.game.root())).transpose()
    };
    let said: Vec<Option<Directives>> = roots.iter().map(said).collect::<Result<_, _>>()?;
    let path = args.db.path_to_grow()?;
    let ready = ready(args, &path, shutdown, printer)?;
    let Some(Ready { mut store, mut engines, searchers, tree }) = ready else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let queue = queue_of(args, roots.into_iter().zip(said), &tree)?;
    let reporter = Reporter::new(printer.clone(), args.pov.get(), args.verbose);
    let mut reporter = reporter.of_many(queue.jobs.len());
    reporter.line(&format!("roots     {}", described(args, queue.jobs.len())));
    reporter.begin_with(engines.profile(), &searchers, &tree, args.tree.depth(), &path);
    division_of_many(&queue).iter().for_each(|line| reporter.line(line));
    let older = OlderRoots::of(&queue.jobs, &store, engines.profile())?;
    if let Some(begin) = older.begin(looks_ahead(args, &*engines)) {
        reporter.line(&begin);
    }
    for why in tasks.iter().filter_map(|task| task.as_ref().err()) {
        reporter.line(&format!("warning: {why}; not checked"));
    }
    let weights = |store: &Store, roots: &[_]| {
        if args.batch.is_every() {
            closing_weights(&games, queue.jobs.iter().map(|job| &job.game), store)
        } else {
            Ok(vec![1.0; roots.len()])
        }
    };
    let feed = RunFeed::default().telling_every_pass(args.verbose);
    let end = followed(
        &mut reporter,
        &feed,
        |end: &QueueOutcome| end.ending,
        |tell| grow_queue(&queue, &weights, &mut store, &mut *engines, shutdown.receiver(), tell),
    )?;
    let profile = engines.profile().clone();
    drop(engines);
    dismiss_guard();
    reporter.clear();
    let end = end?;
    let unread = left_out.errors().iter().map(ToString::to_string).collect();
    let table = BatchTable::of(&queue.jobs, &profile, &end, &tasks, unread, &store)?;
    let is_settled = table.is_settled();
    let is_empty = end.searches == 0 && !table.has_verdicts();
    reporter.flush();
    let output = Output::stdout();
    let game_count = games.len();
    let is_game = args.batch.is_every() && args.format == ReportFormat::Text;
    let mut annotated = if is_game { annotated_games(games, &store)? } else { Vec::new() };
    annotated.retain(AnnotatedGame::is_analysed);
    let written = output.write(|out| match args.format {
        ReportFormat::Json => write_json(&table, out),
        ReportFormat::Text if is_game => write_game_tables(&annotated, args.pov.get(), out),
        ReportFormat::Text => {
            let lines = table.lines(args.pov.get());
            lines.iter().try_for_each(|line| writeln!(out, "{line}"))
        }
    });
    // The terminal may be gone.
    if end.ending != RunEnd::Interrupted {
        written?;
    }
    if !args.quiet {
        reporter.line(&totals(args, &end, &table));
        let own = table.verdicts();
        older.end(args, own).iter().for_each(|line| reporter.line(line));
        let is_left = end.ending == RunEnd::Interrupted || !is_empty;
        if is_left && end.ending != RunEnd::Settled {
            reporter.line(&kept(&path));
        }
        reporter.line(&format!("see it    {}", see(args)));
    }
    let mut failed = report_failures(&queue.jobs, end.outcomes, printer);
    if let Some(error) = left_out.error(game_count) {
        failed = true;
        error.hint("the other games were analysed").report_to(printer);
    }
    if is_empty && !failed && end.ending != RunEnd::Interrupted {
        return Err(no_verdict(args, 0));
    }
    Ok(exit_code(end.ending, failed, args.exit_code && !is_settled))
}

/// The queue of many roots.
fn queue_of(
    args: &GrowArgs,
    roots: impl Iterator<Item = (BatchRoot, Option<Directives>)>,
    tree: &TreePlan,
) -> Result<Queue, CliError> {
    let (limits, each) = (args.limits.run.limits()?, args.batch.each());
    let has_end = limits.is_any() || each.is_any() || args.limits.until_stable.is_some();
    let schedule = match args.engine.schedule() {
        // Without a limit the last root would wait for ever.
        stages if stages.has_stages() && !has_end => Schedule::Once(stages.first()),
        schedule => schedule,
    };
    let closing = closing_plan(args, limits, each);
    let job = |(BatchRoot { game, label, name }, directives)| Job {
        label,
        name,
        origin: RootOrigin::WRITTEN_GAME,
        limits: each,
        closing,
        directives,
        ..job_of(args, game, tree.clone(), schedule)
    };
    let jobs = roots.map(job).collect();
    Ok(Queue { jobs, limits })
}

fn described(args: &GrowArgs, roots: usize) -> String {
    let positions = count(roots as u64, "position");
    match (args.root.pgn(), &args.batch.epd) {
        (Some((path, GameChoice::One(number))), _) => {
            format!("{positions} of game {number} of {}, the last first", name_of(path))
        }
        (Some((path, GameChoice::All)), _) => {
            format!("{positions} of all games of {}", name_of(path))
        }
        (None, path) => {
            format!("{positions} of {}", path.as_deref().map_or_else(String::new, name_of))
        }
    }
}

fn totals(args: &GrowArgs, end: &QueueOutcome, table: &BatchTable<'_>) -> String {
    let how = how(end.ending);
    let [settled, stable, over, failed] =
        ["settled", "stable", "over", "failed"].map(|state| table.count(state));
    let (roots, until_stable) = (end.outcomes.len(), args.limits.until_stable);
    let open = roots - settled - stable - over - failed;
    let mut text = match until_stable {
        Some(_) => format!("{how}: {stable} of {roots} stable"),
        None => format!("{how}: {settled} of {roots} complete"),
    };
    let complete = if until_stable.is_some() { settled } else { 0 };
    for (count, what) in [
        (complete, "complete before that"),
        (open, "unfinished"),
        (over, "already over"),
        (failed, "failed"),
    ] {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    let time = time(end.elapsed);
    format!("{text}; {} in this run, {time}", count(end.searches, "search"))
}

/// How to see what was grown.
fn see(args: &GrowArgs) -> String {
    let Some((path, number)) = args.root.pgn() else {
        return command_line(args, &["list"]);
    };
    // Standard input cannot be read again.
    let is_gone = path.as_os_str() == "-";
    let path = if is_gone { "FILE".into() } else { path.to_string_lossy() };
    let number = match number {
        GameChoice::One(number) => number.to_string(),
        GameChoice::All => "all".to_owned(),
    };
    let mut words = vec!["export", "pgn", "--pgn", &path, "--every"];
    if number != "1" {
        words.extend(["--game", &number]);
    }
    let command = command_line(args, &words);
    if is_gone { format!("save the game to a FILE, then {command}") } else { command }
}

/// Names the roots that could not be grown, or not be closed; whether there are any.
fn report_failures(jobs: &[Job], outcomes: Vec<JobOutcome>, printer: &Printer) -> bool {
    let mut failed = false;
    for (job, ended) in jobs.iter().zip(outcomes) {
        let (error, what) = match ended {
            JobOutcome::Failed(error) => (error, ""),
            JobOutcome::Grown(grown) => match grown.failed {
                Some(error) => (RunError::Engine(error), ": the closing search failed"),
                None => continue,
            },
            _ => continue,
        };
        failed = true;
        let fen = deepanalyze_core::chess::fen_of(job.game.root());
        let hint = match &error {
            RunError::Engine(error) if !may_pass(&error.reason) => {
                "the other positions were analysed; this one fails again with the same engine and limit"
            }
            _ => "the other positions were analysed; the same command tries this one again",
        };
        CliError::from(error)
            .hint(hint)
            .about(&format!("{} ({fen}){what}", job.label))
            .report_to(printer);
    }
    failed
}
