//! `deepanalyze merge`.

mod back;
mod check;
mod one;
mod summary;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use deepanalyze_core::chess::FiftyMoves;
use deepanalyze_runner::{Shutdown, TableUse};
use deepanalyze_view::write_json_array;

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
            Some(source) => back::remove(&work, source),
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
            let words = match told.is_empty() {
                true => "interrupted: nothing added",
                false => "interrupted: what was added is kept; run the same command again to go on",
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
