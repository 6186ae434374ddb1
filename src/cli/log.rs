//! `deepanalyze log`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::analysis::{complete_verdicts, stages};
use crate::cli::args::chosen::ChosenArgs;
use crate::cli::args::pov::PovArgs;
use crate::render::{Log, write_log, write_log_json};

use super::error::CliError;
use super::output::Output;

/// Print how the verdict came about: what each depth found, and what changed each move
///
/// A move's value has changed between two depths because of the first move at which its best lines
/// differ, or, where the newer line goes on from the older one, by what follows that one's end.
#[derive(Debug, Args)]
pub struct LogArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,
    /// Print every pass that changed the best move or its value, too; JSON always has them
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
    let mut tree = args.chosen.load(&store)?;
    complete_verdicts(&mut tree).map_err(|missing| {
        CliError::missing(format!("analysis {}: {missing}", tree.row.id.0))
            .hint("`deepanalyze verify` says what is damaged")
    })?;
    let stages = stages(&tree);
    let log = Log { tree: &tree, stages: &stages };
    output.write(|out| match args.format {
        Format::Text => write_log(&log, args.pov.get(), args.passes, out),
        Format::Json => write_log_json(&log, out),
    })?;
    Ok(ExitCode::SUCCESS)
}
