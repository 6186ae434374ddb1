//! `deepanalyze merge`, and undoing one.

mod check;
mod one;
mod summary;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use deepanalyze_core::chess::FiftyMoves;
use deepanalyze_runner::{
    Regrown, Shutdown, TableUse, emptied_trees, grow_trees, half_regrown_trees,
};
use deepanalyze_store::{MergedRemoved, Store, StoreError};
use deepanalyze_view::{count, write_json, write_json_array};

use crate::args::database::DbArgs;
use crate::args::engines::{EngineCommand, parse_engine};
use crate::args::report::ReportFormat;
use crate::args::tree::TableFolders;
use crate::error::{CliError, INTERRUPTED};
use crate::output::Output;
use crate::printer::{Printer, printing};

use one::{MergeEnd, merge_one};
use summary::MergeSummary;

/// Answers to check by default: with 459 right ones, under 1 % are false with 99 % confidence.
const CHECK: u32 = 459;

/// Add the answers of other databases, checked by your own engine
///
/// The same engine repeats every answer exactly. So your engine first searches some of the other database's answers
/// again: a random sample, and those that decide its best moves. If one differs, the file is refused. Your own
/// answers never change: where two differ, yours stays, and `deepanalyze list --conflicts` shows both. Trees are then
/// grown from the new answers, without an engine. Notes come where you have none, directives with --trust where you
/// have none; yours stay. --take-back removes all that came from a database.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// The other databases; they are not changed
    #[arg(required_unless_present = "take_back", value_name = "OTHER")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    db: DbArgs,
    /// Number of answers to search again
    #[arg(long, value_name = "N", default_value_t = CHECK, conflicts_with = "trust",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000), help_heading = "Trust")]
    check: u32,
    /// Draw the same answers as a check with this seed [default: another one every time]
    #[arg(long, value_name = "N", conflicts_with = "trust", help_heading = "Trust")]
    seed: Option<u64>,
    /// Search nothing again, and add what cannot be searched again, too: closing searches, directives of
    /// positions where you have none, and answers of engines with several threads, a kept hash, or text options
    #[arg(long, help_heading = "Trust")]
    trust: bool,
    /// Add only answers: no analyses, names, notes or directives
    #[arg(long)]
    answers_only: bool,
    /// Name for the answers of the other database [default: the name of its file]
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
    /// Remove the answers that came from this source, and those that depend on them; `deepanalyze list --sources`
    /// shows the names
    #[arg(long, value_name = "SOURCE", conflicts_with_all = ["files", "trust", "seed", "answers_only", "name"])]
    take_back: Option<String>,
    /// UCI engine that searches answers again; may be repeated [default: the configured engine, an installed
    /// Stockfish or the built-in one, whichever gave the answers]
    #[arg(long = "engine", value_name = "[N*]CMD", value_parser = parse_engine, help_heading = "Engine")]
    engine: Vec<EngineCommand>,
    /// Number of engine processes [default: one per processor core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024),
        help_heading = "Engine")]
    engines: Option<u16>,
    #[command(flatten, next_help_heading = "Tablebases")]
    tables: TableFolders,
    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, help_heading = "Output")]
    format: ReportFormat,
    /// Print no progress
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,
}

/// Context of the command's parts.
struct MergeWork<'a> {
    args: &'a MergeArgs,
    shutdown: &'a Shutdown,
    printer: &'a Printer,
    tables: Option<TableUse>,
}

/// Runs the command.
pub fn run(args: &MergeArgs) -> Result<ExitCode, CliError> {
    let shutdown = Shutdown::on_signals()?;
    printing(args.quiet, |printer| {
        let warn = |why| printer.line(format!("warning: {why}"));
        let files = args.tables.files_if_there(warn)?;
        let tables = files.map(|files| TableUse::new(files.into(), FiftyMoves::default()));
        let work = MergeWork { args, shutdown: &shutdown, printer, tables };
        match &args.take_back {
            Some(source) => remove(&work, source),
            None => merge_all(&work),
        }
    })
}

fn merge_all(work: &MergeWork<'_>) -> Result<ExitCode, CliError> {
    let MergeWork { args, printer, .. } = work;
    if args.name.is_some() && args.files.len() > 1 {
        return Err(CliError::usage("--as takes a single database"));
    }
    let path = args.db.path_to_grow()?;
    let mut store = DbArgs::open_to_run(&path, work.shutdown.receiver(), printer)?;
    let mut told = Vec::new();
    let mut end = Ok(MergeEnd::Done);
    for file in &args.files {
        match merge_one(work, &mut store, file) {
            Ok((end_of_it, of_it)) => {
                told.extend(of_it);
                end = Ok(end_of_it);
            }
            Err(error) => end = Err(error),
        }
        if !matches!(end, Ok(MergeEnd::Done)) {
            break;
        }
    }
    printer.clear();
    printer.flush();
    print(args.format, &told)?;
    told.iter().flat_map(MergeSummary::hints).for_each(|hint| printer.line(hint));
    match end? {
        MergeEnd::Done => Ok(ExitCode::SUCCESS),
        MergeEnd::Interrupted => {
            let words = if told.is_empty() {
                "interrupted: nothing added"
            } else {
                "interrupted: what was added is kept; run the same command again to go on"
            };
            printer.line(words);
            Ok(ExitCode::from(INTERRUPTED))
        }
    }
}

fn print(format: ReportFormat, told: &[MergeSummary]) -> Result<ExitCode, CliError> {
    Output::stdout().write(|out| match format {
        ReportFormat::Json => write_json_array(told, out),
        ReportFormat::Text => told.iter().try_for_each(|one| one.write(out)),
    })
}

/// Default reason.
const WHY: &str = "by hand";

/// JSON object of a removal.
#[derive(Debug, Serialize)]
struct RemovalSummary<'a> {
    source: &'a str,
    #[serde(flatten)]
    gone: MergedRemoved,
    grown: u64,
}

/// Invalidates the answers of a source, and grows the trees based on them again from what is left.
fn remove(work: &MergeWork<'_>, source: &str) -> Result<ExitCode, CliError> {
    let path = work.args.db.path()?;
    if !path.exists() {
        return Err(deepanalyze_store::StoreError::Missing(path).into());
    }
    let mut store = DbArgs::open_to_run(&path, work.shutdown.receiver(), work.printer)?;
    let (taken, before) = match store.remove_merged(source, WHY) {
        // A kill, or an interrupt, may have come before all trees were grown again.
        Err(StoreError::Invalidated { name, .. }) => (MergedRemoved::default(), Some(name)),
        taken => match taken? {
            Some(taken) => (taken, None),
            None => return Err(unknown(source, &store)),
        },
    };
    let trees = match before {
        Some(_) => half_regrown_trees(&store)?,
        None => emptied_trees(&store)?,
    };
    let all = trees.len();
    let mut tell = |done| work.printer.status(format!("grown {done} of {all} trees again"));
    let control = work.shutdown.receiver();
    let grown = grow_trees(&mut store, &trees, work.tables.as_ref(), control, &mut tell)?;
    if !grown.is_interrupted {
        store.note_grown()?;
    }
    work.printer.clear();
    work.printer.flush();
    if let Some(name) = before.filter(|_| grown.changed == 0 && !grown.is_interrupted) {
        return Err(CliError::missing(format!("the answers of {name} were removed before")));
    }
    print_removed(work, source, taken, grown)?;
    if grown.is_interrupted {
        work.printer.line("interrupted: run the same command again to grow the other trees");
    }
    Ok(if grown.is_interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

fn unknown(source: &str, store: &Store) -> CliError {
    CliError::missing(format!("no answers of {source} in {}", store.path().display()))
        .hint("`deepanalyze list --sources` has the names of all sources")
}

fn print_removed(
    work: &MergeWork<'_>,
    source: &str,
    gone: MergedRemoved,
    grown: Regrown,
) -> Result<ExitCode, CliError> {
    let MergedRemoved { taken, analyses, closings, directives, notes } = gone;
    Output::stdout().write(|out| {
        if work.args.format == ReportFormat::Json {
            return write_json(&RemovalSummary { source, gone, grown: grown.grown }, out);
        }
        let (answers, trees) = (count(taken.answers, "answer"), count(taken.trees, "tree"));
        writeln!(out, "{source}: {answers} removed; nothing more is taken from it")?;
        if taken.answers == 0 && grown.changed > 0 {
            let trees = count(grown.changed, "tree");
            writeln!(out, "  {trees} grown on: that was interrupted before")?;
        }
        if taken.trees > 0 {
            writeln!(out, "  {trees} used them; {} grown again without", grown.grown)?;
        }
        if analyses > 0 {
            writeln!(out, "  deleted {} that came with it", count(analyses, "analysis"))?;
        }
        let others = [(closings, "closing search"), (directives, "directive"), (notes, "note")];
        for (number, what) in others.into_iter().filter(|(number, _)| *number > 0) {
            writeln!(out, "  deleted {} that came with it", count(number, what))?;
        }
        summary::write_not_grown(&grown, out)
    })
}
