//! `deepanalyze engine`.

use std::io::BufReader;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::error::CliError;

/// Run the built-in UCI engine, for any chess program
#[derive(Debug, Args)]
pub struct EngineArgs {
    #[command(subcommand)]
    command: Option<EngineCommand>,
}

#[derive(Debug, Subcommand)]
enum EngineCommand {
    /// Measure its speed on a fixed set of positions
    Bench,
}

/// Runs the command.
pub fn run(args: &EngineArgs) -> Result<ExitCode, CliError> {
    match args.command {
        None => deepanalyze_builtin::uci::run(BufReader::new(std::io::stdin()), std::io::stdout()),
        Some(EngineCommand::Bench) => deepanalyze_builtin::bench::run(std::io::stdout())?,
    }
    Ok(ExitCode::SUCCESS)
}
