//! `deepanalyze log`, `stats` and `audit`: reports on one analysis.

use std::process::ExitCode;

use clap::Args;
use shakmaty::Color;

use crate::args::database::ChosenArgs;
use crate::args::report::{ReportArgs, ReportFormat, SIDES, one_of};
use deepanalyze_report::{
    Audited, Log, Statistics, audited, load, stages, write_audit, write_audit_json, write_json,
    write_log, write_log_json, write_stats,
};

use super::error::CliError;

/// Show how the verdict came about: what each depth found, and which moves changed it
///
/// The move that is named is the first one where a move's new best line differs from its old one, or the
/// first one after the end of the old line, if the new line only goes on from there.
#[derive(Debug, Args)]
pub struct LogArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Show every pass that changed the best move or its score, too; JSON always has them
    #[arg(long, help_heading = "Output")]
    passes: bool,
    #[command(flatten)]
    report: ReportArgs,
}

/// Runs `deepanalyze log`.
pub fn log(args: &LogArgs) -> Result<ExitCode, CliError> {
    let store = args.chosen.open()?;
    let output = args.report.output(&store)?;
    let tree = args.chosen.load(&store)?;
    let stages = stages(&tree);
    let log = Log { tree: &tree, stages: &stages };
    output.write(|out| match args.report.format {
        ReportFormat::Text => write_log(&log, args.report.pov(), args.passes, out),
        ReportFormat::Json => write_log_json(&log, out),
    })?;
    Ok(ExitCode::SUCCESS)
}

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
    /// Number of repetition groups and disagreements to show
    #[arg(long, value_name = "N", default_value_t = 8, allow_negative_numbers = true,
        help_heading = "Output", value_parser = clap::value_parser!(u16))]
    top: u16,
    #[command(flatten)]
    report: ReportArgs,
}

/// Runs `deepanalyze stats`.
pub fn stats(args: &StatsArgs) -> Result<ExitCode, CliError> {
    let store = args.chosen.open()?;
    let output = args.report.output(&store)?;
    let id = args.chosen.is_given().then(|| args.chosen.choose(&store)).transpose()?;
    let database = store.path().display().to_string();
    let stats = match id {
        Some(id) => {
            Statistics::of_tree(&store, database, &load(&store, id)?, usize::from(args.top))?
        }
        None => Statistics::of_all(&store, database)?,
    };
    output.write(|out| match args.report.format {
        ReportFormat::Text => write_stats(&stats, args.report.pov(), out),
        ReportFormat::Json => write_json(&stats, out),
    })?;
    Ok(ExitCode::SUCCESS)
}

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
    #[arg(long, value_parser = one_of(SIDES), help_heading = "Output")]
    side: Color,
    /// Name only your moves that lose more than this many centipawns
    #[arg(long, value_name = "CP", default_value_t = 0, allow_negative_numbers = true,
        help_heading = "Output", value_parser = clap::value_parser!(u32).range(0..=30_000))]
    losing: u32,
    #[command(flatten)]
    report: ReportArgs,
}

/// Runs `deepanalyze audit`.
pub fn audit(args: &AuditArgs) -> Result<ExitCode, CliError> {
    let store = args.chosen.open()?;
    let output = args.report.output(&store)?;
    let tree = args.chosen.load(&store)?;
    let audit = audited(&tree, args.side, args.losing).map_err(|illegal| {
        CliError::missing(format!("the directives of analysis {}: {illegal}", tree.row.id.0))
            .hint("`deepanalyze verify` shows what is damaged")
    })?;
    let audited = Audited { tree: &tree, side: args.side, most_lost: args.losing, audit: &audit };
    let width = output.width();
    output.write(|out| match args.report.format {
        ReportFormat::Text => write_audit(&audited, args.report.pov(), width, out),
        ReportFormat::Json => write_audit_json(&audited, out),
    })?;
    Ok(ExitCode::SUCCESS)
}
