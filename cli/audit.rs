//! `deepanalyze audit`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use shakmaty::Color;

use crate::args::chosen::ChosenArgs;
use crate::args::pov::PovArgs;
use crate::args::side::Side;
use deepanalyze_report::audited;
use deepanalyze_report::{Audited, write_audit, write_audit_json};

use super::error::CliError;
use super::output::Output;

/// Check a repertoire: which of your moves lose something, which replies you have no answer to
///
/// Your repertoire is what you have included (`deepanalyze direct include`), with all its
/// transpositions. The audit names your moves that are worse than the best one, replies within the
/// move distance that you have no answer to, and positions that are not analysed yet; the most
/// expensive first, then the earliest. The exit status is 0, whatever is found.
#[derive(Debug, Args)]
pub struct AuditArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Side of the repertoire
    #[arg(long, value_enum, help_heading = "Output")]
    side: Side,
    /// Name only your moves that lose more than this many centipawns
    #[arg(long, value_name = "CP", default_value_t = 0, allow_negative_numbers = true,
        help_heading = "Output", value_parser = clap::value_parser!(u32).range(0..=30_000))]
    losing: u32,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,
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
pub fn run(args: &AuditArgs) -> Result<ExitCode, CliError> {
    let store = args.chosen.open()?;
    let output = Output::to(args.output.as_deref(), &store)?.styled(args.format == Format::Text);
    let tree = args.chosen.load(&store)?;
    let side = Color::from(args.side);
    let audit = audited(&tree, side, args.losing).map_err(|illegal| {
        CliError::missing(format!("the directives of analysis {}: {illegal}", tree.row.id.0))
            .hint("`deepanalyze verify` shows what is damaged")
    })?;
    let audited = Audited { tree: &tree, side, most_lost: args.losing, audit: &audit };
    let width = output.width();
    output.write(|out| match args.format {
        Format::Text => write_audit(&audited, args.pov.get(), width, out),
        Format::Json => write_audit_json(&audited, out),
    })?;
    Ok(ExitCode::SUCCESS)
}
