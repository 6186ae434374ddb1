//! `deepanalyze grow` on many roots: every position of a game, or the positions of a file.

use std::process::ExitCode;

use crate::args::report::ReportFormat;
use crate::args::root::{GameChoice, name_of};
use crate::error::{CliError, FAILURE, INTERRUPTED, NOT_SETTLED, may_pass};
use crate::output::Output;
use crate::printer::Printer;
use crate::progress::{Reporter, followed, kept, time};
use deepanalyze_engine::dismiss_guard;
use deepanalyze_runner::{
    Batch, BatchOutcome, BatchRoot, RootOutcome, RunEnd, RunError, RunFeed, Schedule, Shutdown,
    TreePlan, grow_batch,
};
use deepanalyze_view::{count, describe_games, describe_profile, describe_tables, write_json};

use super::args::GrowArgs;
use super::batch_table::BatchTable;
use super::older::OlderRoots;
use super::roots::BatchRoots;
use super::single::no_verdict;
use super::{Ready, command_line, looks_ahead, ready};

/// Runs `grow` on many roots.
pub fn run(args: &GrowArgs, shutdown: &Shutdown, printer: &Printer) -> Result<ExitCode, CliError> {
    let BatchRoots { roots, tasks, games, left_out } = args.batch.roots(&args.root)?;
    let path = args.db.path_to_grow()?;
    let ready = ready(args, &path, shutdown, printer)?;
    let Some(Ready { mut store, mut engines, searchers, tree }) = ready else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let batch = batch_of(args, roots, tree)?;
    let reporter = Reporter::new(printer.clone(), args.pov.get(), args.verbose);
    let mut reporter = reporter.of_many(batch.roots.len());
    for line in [
        format!("roots     {}", described(args, &batch)),
        format!("engine    {}, {}", describe_profile(engines.profile()), searchers.words),
        format!("tree      {}, to depth {}", batch.tree, batch.depth),
    ]
    .into_iter()
    .chain(
        batch.tree.tables.iter().map(|used| format!("tables    {}", describe_tables(used.tables))),
    )
    .chain(
        batch
            .tree
            .games
            .iter()
            .map(|used| format!("games     {}", describe_games(&used.set, &used.rules))),
    )
    .chain([format!("database  {}", path.display())])
    {
        reporter.line(&line);
    }
    let older = OlderRoots::of(&batch, &store, engines.profile())?;
    if let Some(begin) = older.begin(looks_ahead(args, &*engines)) {
        reporter.line(&begin);
    }
    for why in tasks.iter().filter_map(|task| task.as_ref().err()) {
        reporter.line(&format!("warning: {why}; not checked"));
    }
    let feed = RunFeed::default().telling_every_pass(args.verbose);
    let end = followed(
        &mut reporter,
        &feed,
        |end: &BatchOutcome| end.ending,
        |tell| grow_batch(&batch, &mut store, &mut *engines, shutdown.receiver(), tell),
    )?;
    let profile = engines.profile().clone();
    drop(engines);
    dismiss_guard();
    reporter.clear();
    let end = end?;
    let unread = left_out.errors().iter().map(ToString::to_string).collect();
    let table = BatchTable::of((&batch, &profile), &end, &tasks, unread, &store)?;
    let is_settled = table.is_settled();
    let is_empty = end.searches == 0 && !table.has_verdicts();
    reporter.flush();
    let output = Output::stdout();
    let written = output.write(|out| match args.format {
        ReportFormat::Json => write_json(&table, out),
        ReportFormat::Text => {
            let lines = table.lines(args.pov.get());
            lines.iter().try_for_each(|line| writeln!(out, "{line}"))
        }
    });
    match written {
        // The terminal may be gone.
        Err(_) if end.ending == RunEnd::Interrupted => {}
        written => written?,
    }
    if !args.quiet {
        reporter.line(&totals(&batch, &end, &table));
        let own = table.verdicts();
        older.end(args, own).iter().for_each(|line| reporter.line(line));
        let is_left = end.ending == RunEnd::Interrupted || !is_empty;
        if is_left && end.ending != RunEnd::Settled {
            reporter.line(&kept(&path));
        }
        reporter.line(&format!("see it    {}", see(args)));
    }
    let mut failed = report_failures(&batch, end.outcomes, printer);
    if let Some(error) = left_out.error(games) {
        failed = true;
        error.hint("the other games were analysed").report_to(printer);
    }
    if is_empty && !failed && end.ending != RunEnd::Interrupted {
        return Err(no_verdict(args, 0));
    }
    Ok(match end.ending {
        RunEnd::Interrupted => ExitCode::from(INTERRUPTED),
        _ if failed => ExitCode::from(FAILURE),
        _ if args.exit_code && !is_settled => ExitCode::from(NOT_SETTLED),
        _ => ExitCode::SUCCESS,
    })
}

/// What is to be grown of many roots.
fn batch_of(args: &GrowArgs, roots: Vec<BatchRoot>, tree: TreePlan) -> Result<Batch, CliError> {
    let (limits, each) = (args.limits.limits()?, args.batch.each());
    let until_stable = args.limits.until_stable;
    let has_end = limits.is_any() || each.is_any() || until_stable.is_some();
    let schedule = match args.engine.schedule() {
        // Without a limit the last root would wait for ever.
        stages if stages.has_stages() && !has_end => Schedule::Once(stages.first()),
        schedule => schedule,
    };
    Ok(Batch {
        roots,
        tree,
        depth: args.tree.depth(),
        schedule,
        limits,
        each,
        until_stable,
        look_ahead: args.engine.looks_ahead(),
    })
}

fn described(args: &GrowArgs, batch: &Batch) -> String {
    let positions = count(batch.roots.len() as u64, "position");
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

fn totals(batch: &Batch, end: &BatchOutcome, table: &BatchTable<'_>) -> String {
    let how = match end.ending {
        RunEnd::Settled | RunEnd::Stable => "done",
        RunEnd::Limit => "limit reached",
        RunEnd::Interrupted => "interrupted",
    };
    let [settled, stable, over, failed] =
        ["settled", "stable", "over", "failed"].map(|state| table.count(state));
    let open = batch.roots.len() - settled - stable - over - failed;
    let mut text = match batch.until_stable {
        Some(_) => format!("{how}: {stable} of {} stable", batch.roots.len()),
        None => format!("{how}: {settled} of {} complete", batch.roots.len()),
    };
    let complete = if batch.until_stable.is_some() { settled } else { 0 };
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
    // What came by standard input cannot be read again.
    let is_gone = path.as_os_str() == "-";
    let path = if is_gone { "FILE".into() } else { path.to_string_lossy() };
    let number = match number {
        GameChoice::One(number) => number.to_string(),
        GameChoice::All => "all".to_owned(),
    };
    let mut words = vec!["show", "--pgn", &path, "--every", "--format", "pgn"];
    if number != "1" {
        words.extend(["--game", &number]);
    }
    let command = command_line(args, &words);
    if is_gone { format!("save the game to a FILE, then {command}") } else { command }
}

/// Names the roots that could not be grown; whether there are any.
fn report_failures(batch: &Batch, outcomes: Vec<RootOutcome>, printer: &Printer) -> bool {
    let mut failed = false;
    for (root, ended) in batch.roots.iter().zip(outcomes) {
        if let RootOutcome::Failed(error) = ended {
            failed = true;
            let fen = deepanalyze_core::chess::fen_of(root.game().root());
            let hint = match &error {
                RunError::Engine(error) if !may_pass(&error.reason) => {
                    "the other positions were analysed; this one fails again with the same engine and limit"
                }
                _ => "the other positions were analysed; the same command tries this one again",
            };
            CliError::from(error)
                .hint(hint)
                .about(&format!("{} ({fen})", root.name))
                .report_to(printer);
        }
    }
    failed
}
