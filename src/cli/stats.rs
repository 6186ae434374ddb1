//! `deepanalyze stats`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::render::{TreeFacts, write_stats, write_stats_json};
use crate::session::{Statistics, load};

use super::DbArgs;
use super::choose::choose;
use super::error::CliError;
use super::output::Output;
use super::root::RootArgs;
use super::show::same_file;

/// Print what the searches cost, what the memo spared and what the file takes
///
/// Without a root or --analysis it is about the whole database; with one, about that tree: also its
/// largest circles, and where it contradicts the engine most.
#[derive(Debug, Args)]
pub struct StatsArgs {
    #[command(flatten)]
    root: RootArgs,
    #[command(flatten)]
    db: DbArgs,
    /// The analysis of this number, as `deepanalyze list` gives it [default: the whole database]
    #[arg(long, value_name = "ID", allow_negative_numbers = true, help_heading = "Database",
        conflicts_with_all = ["root", "moves", "pgn"])]
    analysis: Option<i64>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,
    /// How many circles and contradictions of a tree to print
    #[arg(long, value_name = "N", default_value_t = 8, allow_negative_numbers = true,
        help_heading = "Output", value_parser = clap::value_parser!(u16))]
    top: u16,
    /// Write to a file
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

/// Runs the command.
pub fn run(args: &StatsArgs) -> Result<ExitCode, CliError> {
    let store = args.db.open_to_read()?;
    let is_one = args.analysis.is_some() || args.root.is_given();
    let id = is_one.then(|| choose(args.analysis, &args.root, &store)).transpose()?;
    let stats = Statistics::of(&store, id)?;
    let tree = id.map(|id| load(&store, id)).transpose()?;
    let facts = tree.as_ref().map(|tree| TreeFacts::of(tree, usize::from(args.top)));
    if args.output.as_ref().is_some_and(|path| same_file(path, store.path())) {
        return Err(CliError::usage("--output names the database itself"));
    }
    let output = Output { path: args.output.as_ref(), styled: args.format == Format::Text };
    let database = store.path().display().to_string();
    output.write(|out| match args.format {
        Format::Text => write_stats(&stats, &database, facts.as_ref(), out),
        Format::Json => write_stats_json(&stats, &database, facts.as_ref(), out),
    })?;
    Ok(ExitCode::SUCCESS)
}
