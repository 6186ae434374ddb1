//! `deepanalyze log`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::args::chosen::ChosenArgs;
use crate::args::pov::PovArgs;
use deepanalyze_report::{Log, stages, write_log, write_log_json};

use super::error::CliError;
use super::output::Output;

/// Show how the verdict came about: what each depth found, and which moves changed it
///
/// The move that is named is the first one where a move's new best line differs from its old one, or the
/// first one after the end of the old line, if the new line only goes on from there.
#[derive(Debug, Args)]
pub struct LogArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,
    /// Show every pass that changed the best move or its score, too; JSON always has them
    #[arg(long, help_heading = "Output")]
    passes: bool,
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
pub fn run(args: &LogArgs) -> Result<ExitCode, CliError> {
    let store = args.chosen.open()?;
    let output = Output::to(args.output.as_deref(), &store)?.styled(args.format == Format::Text);
    let tree = args.chosen.load(&store)?;
    let stages = stages(&tree);
    let log = Log { tree: &tree, stages: &stages };
    output.write(|out| match args.format {
        Format::Text => write_log(&log, args.pov.get(), args.passes, out),
        Format::Json => write_log_json(&log, out),
    })?;
    Ok(ExitCode::SUCCESS)
}
