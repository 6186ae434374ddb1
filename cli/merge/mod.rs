//! `deepanalyze merge`.

mod back;
mod check;
mod one;
mod told;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use deepanalyze_core::chess::FiftyMoves;
use deepanalyze_report::write_json_array;
use deepanalyze_runner::{Shutdown, TableUse};
use deepanalyze_store::Store;

use crate::args::database::{DbArgs, patience_of, tell_of_copy};
use crate::args::engines::{EngineCommand, parse_engine};
use crate::args::report::ReportFormat;
use crate::args::tree::TableFolders;
use crate::error::{CliError, INTERRUPTED};
use crate::output::Output;
use crate::printer::{Printer, printing};

use one::{MergeEnd, merge_one};
use told::MergeTold;

/// How many answers are searched again where nothing is said: with 459 right ones, under 1 % are false with 99 %
/// confidence.
const CHECK: u32 = 459;

/// Take over the answers of other databases, checked by your own engine
///
/// Whoever has the engine can repeat every answer to the bit. So before anything is taken, some of the other's answers,
/// drawn at random, are searched again here, with those that decide which moves of its analyses are the best; one that
/// differs refuses the file. Nothing of your own is changed: where an answer is another here, yours stays, and
/// `deepanalyze list --conflicts` shows both. Trees are then grown from what has come, without an engine. What came from
/// a database can be taken back.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// The other databases; they stay as they are
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
    /// Search nothing again, and take over what cannot be searched again, too: closing searches, directives of new
    /// roots, and answers of engines with several threads, a kept hash, or options that are texts
    #[arg(long, help_heading = "Trust")]
    trust: bool,
    /// Take over answers alone: no analyses, names, notes and directives
    #[arg(long)]
    answers_only: bool,
    /// What the other database is called here [default: the name of its file]
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
    /// Take back what has come from a database of this name, with all that stands behind it in lists; `deepanalyze list
    /// --sources` has the names
    #[arg(long, value_name = "SOURCE", conflicts_with_all = ["files", "trust", "seed", "answers_only", "name"])]
    take_back: Option<String>,
    /// UCI engine that searches answers again; may be repeated [default: whichever of the configured ones, an
    /// installed Stockfish and the built-in one has the name of the answers' engine]
    #[arg(long = "engine", value_name = "[N*]CMD", value_parser = parse_engine, help_heading = "Engine")]
    engine: Vec<EngineCommand>,
    /// Number of engine processes side by side [default: one per processor core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024),
        help_heading = "Engine")]
    engines: Option<u16>,
    #[command(flatten, next_help_heading = "Endgame tables")]
    tables: TableFolders,
    /// What to print
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, help_heading = "Output")]
    format: ReportFormat,
    /// Print no progress
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,
}

/// What every part of the command works with.
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
            Some(source) => back::take_back(&work, source),
            None => merge_all(&work),
        }
    })
}

fn merge_all(work: &MergeWork<'_>) -> Result<ExitCode, CliError> {
    let MergeWork { args, printer, .. } = work;
    if args.name.is_some() && args.files.len() > 1 {
        return Err(CliError::usage("--as names one database, and there are several"));
    }
    let mut store = open(work, &args.db.path_to_grow()?)?;
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
    match end? {
        MergeEnd::Done => Ok(ExitCode::SUCCESS),
        MergeEnd::Interrupted => {
            let words = match told.is_empty() {
                true => "interrupted: nothing was taken",
                false => "interrupted: what was taken is kept; the same command goes on there",
            };
            printer.line(words);
            Ok(ExitCode::from(INTERRUPTED))
        }
    }
}

/// The database that takes, made where there is none.
fn open(work: &MergeWork<'_>, path: &Path) -> Result<Store, CliError> {
    let printer = work.printer.clone();
    let patience = patience_of(work.shutdown.receiver(), move |why| printer.line(why));
    let store = Store::open_with(path, patience)?;
    tell_of_copy(&store, |line| work.printer.line(line));
    Ok(store)
}

fn print(format: ReportFormat, told: &[MergeTold]) -> Result<(), CliError> {
    Output::stdout().write(|out| match format {
        ReportFormat::Json => write_json_array(told, out),
        ReportFormat::Text => told.iter().try_for_each(|one| one.write(out)),
    })
}
