//! `deepanalyze stats`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::args::chosen::ChosenArgs;
use crate::args::pov::PovArgs;
use deepanalyze_report::{Statistics, load, write_json, write_stats};

use super::error::CliError;
use super::output::Output;

/// Without a root, other commands take the one that was grown last.
const WHICH: &str = "Number of the analysis, from `deepanalyze list` [default: the whole database]";

/// Show engine time, reused results and database size
///
/// For the whole database or, with a position or --analysis, for one tree; then also its largest groups
/// of positions that repeat, and where tree and engine disagree most.
#[derive(Debug, Args)]
#[command(mut_arg("analysis", |arg| arg.help(WHICH)))]
pub struct StatsArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,
    /// Number of repetition groups and disagreements to show
    #[arg(long, value_name = "N", default_value_t = 8, allow_negative_numbers = true,
        help_heading = "Output", value_parser = clap::value_parser!(u16))]
    top: u16,
    #[command(flatten)]
    pov: PovArgs,
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
    let store = args.chosen.open()?;
    let output = Output::to(args.output.as_deref(), &store)?.styled(args.format == Format::Text);
    let id = args.chosen.is_given().then(|| args.chosen.choose(&store)).transpose()?;
    let database = store.path().display().to_string();
    let stats = match id {
        Some(id) => {
            Statistics::of_tree(&store, database, &load(&store, id)?, usize::from(args.top))?
        }
        None => Statistics::of_all(&store, database)?,
    };
    output.write(|out| match args.format {
        Format::Text => write_stats(&stats, args.pov.get(), out),
        Format::Json => write_json(&stats, out),
    })?;
    Ok(ExitCode::SUCCESS)
}
