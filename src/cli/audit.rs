//! `deepanalyze audit`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use shakmaty::Color;

use crate::analysis::audited;
use crate::cli::args::chosen::ChosenArgs;
use crate::cli::args::pov::PovArgs;
use crate::cli::args::side::Side;
use crate::render::{Audited, write_audit, write_audit_json};

use super::error::CliError;
use super::output::Output;

/// Price a repertoire by the tree: what own moves lose, which replies have no answer
///
/// The repertoire is what is included at the root (`deepanalyze direct include`): the positions that
/// included moves lead to, whatever their order. Findings are own moves that lose against the best move,
/// replies within the move distance that have no included answer, and positions that the tree has not
/// reached yet. What costs most comes first, then what is nearest to the root. Exit status 0, whatever is
/// found.
#[derive(Debug, Args)]
pub struct AuditArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Whose repertoire it is
    #[arg(long, value_enum, help_heading = "Output")]
    side: Side,
    /// Name own moves that lose more than this many centipawns; with 0, all that lose anything
    #[arg(long, value_name = "CP", default_value_t = 0, allow_negative_numbers = true,
        help_heading = "Output", value_parser = clap::value_parser!(u32).range(0..=30_000))]
    losing: u32,
    /// What to print
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
            .hint("`deepanalyze verify` says what is damaged")
    })?;
    let audited = Audited { tree: &tree, side, most_lost: args.losing, audit: &audit };
    let width = output.width();
    output.write(|out| match args.format {
        Format::Text => write_audit(&audited, args.pov.get(), width, out),
        Format::Json => write_audit_json(&audited, out),
    })?;
    Ok(ExitCode::SUCCESS)
}
