//! `deepanalyze log`, `stats` and `audit`: reports on one analysis.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use shakmaty::Color;

use crate::args::database::ChosenArgs;
use crate::args::games::OtherGamesArgs;
use crate::args::report::{ReportArgs, ReportFormat, SIDES, one_of};
use deepanalyze_report::{
    Audited, Log, Statistics, audited, games_audited, stages, write_audit, write_audit_json,
    write_audit_pgn, write_log, write_log_json, write_stats,
};
use deepanalyze_view::{PeopleAsked, SOUND, load, load_tree, write_json};

use super::error::CliError;
use super::printer::{Printer, printing};

/// Show how the verdict came about: what each depth found, and which moves changed it
///
/// For each change it names the first move where the new best line differs from the old one.
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
    let tree = load(&store, args.chosen.choose(&store)?)?;
    let stages = stages(&tree);
    let log = Log { tree: &tree, stages: &stages };
    let layout = (args.report.pov(), output.width());
    output.write(|out| match args.report.format {
        ReportFormat::Text => write_log(&log, layout, args.passes, out),
        ReportFormat::Json => write_log_json(&log, out),
    })
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
            Statistics::of_tree(&store, database, &load_tree(&store, id)?, usize::from(args.top))?
        }
        None => Statistics::of_all(&store, database)?,
    };
    output.write(|out| match args.report.format {
        ReportFormat::Text => write_stats(&stats, args.report.pov(), output.width(), out),
        ReportFormat::Json => write_json(&stats, out),
    })
}

/// Check a repertoire: which of your moves lose something, which replies you have no answer to
///
/// Your repertoire is what you have included (`deepanalyze direct include`), with all its
/// transpositions. The audit names your moves that are worse than the best one, replies within the
/// move distance that you have no answer to, and positions that are not analysed yet; the most
/// expensive first, then the earliest. Where a line ends, it counts the replies; --ends lists them.
///
/// Where the analysis knows what people play (`deepanalyze grow --games`), it also says how many of
/// their games stay in the tree, where the others leave it, and which of your moves score less than
/// others; without a repertoire, for the moves that score most. What these opponents play most comes
/// first then. The exit status is 0, whatever is found.
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
    /// Also list the replies at the ends of your lines, where no reply is prepared
    #[arg(long, help_heading = "Output")]
    ends: bool,
    #[command(flatten)]
    games: OtherGamesArgs,
    /// List this many replies without an answer, and own moves that score less (with games)
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true,
        help_heading = "Output", value_parser = clap::value_parser!(u16))]
    top: u16,
    /// With games: never advise a move that loses more than this many centipawns
    #[arg(long, value_name = "CP", default_value_t = SOUND, allow_negative_numbers = true,
        help_heading = "Output", value_parser = clap::value_parser!(u32).range(0..=30_000))]
    sound: u32,
    #[command(flatten)]
    report: ReportArgs<AuditFormat>,
}

/// How an audit is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AuditFormat {
    /// For people
    Text,
    /// For programs
    Json,
    /// For chess programs: a game for each finding
    Pgn,
}

/// Runs `deepanalyze audit`.
pub fn audit(args: &AuditArgs) -> Result<ExitCode, CliError> {
    printing(false, |printer| audit_and_tell(args, printer))
}

fn audit_and_tell(args: &AuditArgs, printer: &Printer) -> Result<ExitCode, CliError> {
    let store = args.chosen.open()?;
    let output = args.report.output(&store)?;
    let mut tree = args.chosen.load(&store)?;
    args.games.count(&mut tree, &store, printer)?;
    let audit = audited(&tree, args.side, args.losing);
    let asked = PeopleAsked { side: args.side, sound: args.sound };
    let games = games_audited(&tree, &audit, asked, usize::from(args.top));
    let (side, most_lost, games, ends) = (args.side, args.losing, games.as_ref(), args.ends);
    let audited = Audited { tree: &tree, side, most_lost, audit: &audit, games, ends };
    let (width, pov) = (output.width(), args.report.pov());
    output.write(|out| match args.report.format {
        AuditFormat::Text => write_audit(&audited, pov, width, out),
        AuditFormat::Json => write_audit_json(&audited, out),
        AuditFormat::Pgn => write_audit_pgn(&audited, pov, out),
    })
}
