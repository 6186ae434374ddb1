//! `deepanalyze fleet`.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::args::fleet::{AccessArgs, fleet_error};
use crate::error::CliError;
use deepanalyze_fleet::{FleetReport, listen};

/// Show the workers of a fleet: who works, how fast, and what waits
#[derive(Debug, Args)]
pub struct FleetArgs {
    /// Address of the fleet's NATS server ("nats://host:4222")
    #[arg(long, value_name = "URL", help_heading = "Fleet")]
    fleet: String,
    #[command(flatten)]
    access: AccessArgs,
    /// What to print: a table or one JSON object
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

/// Everybody gives a sign of life every two seconds.
const LISTEN: Duration = Duration::from_millis(2500);

/// Runs the command.
pub fn run(args: &FleetArgs) -> Result<ExitCode, CliError> {
    let access = args.access.access(&args.fleet)?;
    let seen = listen(&access, LISTEN).map_err(fleet_error)?;
    let report = FleetReport::of(&seen);
    let mut out = std::io::stdout().lock();
    match args.format {
        Format::Json => writeln!(out, "{}", report.json()?)?,
        Format::Text => report.lines().iter().try_for_each(|line| writeln!(out, "{line}"))?,
    }
    Ok(ExitCode::SUCCESS)
}
