//! `deepanalyze games`: sets of games that people have played.

mod adding;
mod human;
pub use adding::{left_out_lines, unjudged_words};
mod list;
mod opening;
pub use opening::{listening, open_set};
mod table;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};

use deepanalyze_core::chess::PositionKey;
use deepanalyze_games::{GameSetError, SetInfo};

use crate::args::games::{GameFilterArgs, all_sets, set_place};
use crate::args::human::HumanArgs;
use crate::args::report::ReportFormat;
use crate::args::root::RootArgs;
use crate::error::CliError;
use crate::manage::confirmed;
use crate::output::{Output, WIDTH, stdout};
use crate::printer::{Printer, printing};

/// Make sets of games, and see what people play in a position
///
/// A set says how often each move was played in each position, by whom, and with what result. It is made from
/// files of games in PGN, and kept in one file. SET is its name, or a path.
#[derive(Debug, Args)]
pub struct GamesArgs {
    #[command(subcommand)]
    action: GamesAction,
}

#[derive(Debug, Subcommand)]
enum GamesAction {
    Add(adding::AddArgs),
    List(ListArgs),
    Show(Box<ShowArgs>),
    Remove(RemoveArgs),
}

/// List your sets: name, games, positions and moves, size, years, and what they were made from
#[derive(Debug, Args)]
struct ListArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, help_heading = "Output")]
    format: ReportFormat,
}

/// Show what was played in a position: each move with its games, share, results, rating and last year
///
/// With --human, also how likely each move is by a net, which sees the moves before it: with --moves or --pgn it is
/// asked what people play in that game, with a FEN alone what they play in that position.
#[derive(Debug, Args)]
struct ShowArgs {
    /// The set, or a PGN file [default: the only set; none with --human]
    set: Option<PathBuf>,
    #[command(flatten)]
    root: RootArgs,
    /// Then these moves ("e4 e5")
    #[arg(
        long,
        value_name = "MOVES",
        default_value = "",
        hide_default_value = true,
        help_heading = "Position"
    )]
    line: String,
    #[command(flatten)]
    human: HumanArgs,
    #[command(flatten)]
    filter: GameFilterArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, help_heading = "Output")]
    format: ReportFormat,
}

/// Remove a set, after asking; the files that it was made from stay
#[derive(Debug, Args)]
struct RemoveArgs {
    /// The set
    set: PathBuf,
    /// Remove without asking
    #[arg(long, short)]
    yes: bool,
}

/// Runs the command.
pub fn run(args: &GamesArgs) -> Result<ExitCode, CliError> {
    match &args.action {
        GamesAction::Add(args) => adding::run(args),
        GamesAction::List(args) => list::run(args.format),
        GamesAction::Show(args) => printing(false, |printer| show(args, printer)),
        GamesAction::Remove(args) => remove(args),
    }
}

fn show(args: &ShowArgs, printer: &Printer) -> Result<ExitCode, CliError> {
    let mut game = args.root.game()?;
    game.play_line(&args.line).map_err(|error| CliError::failure(&error).in_usage())?;
    if args.set.is_none() && args.human.is_named() && !args.filter.filter().is_empty() {
        return Err(CliError::usage("the filters of games need a set, beside --human")
            .hint("`deepanalyze games show SET --human NET` tells both"));
    }
    if args.human.has_weight() {
        return Err(CliError::usage("--human-weight is for trees: `deepanalyze grow --human NET`"));
    }
    let likely = human::Likely::of(&args.human, &game)?;
    let output = Output::stdout().styled(args.format == ReportFormat::Text);
    let width = output.width().unwrap_or(WIDTH);
    let place = match (&args.set, &likely) {
        (Some(set), _) => set_place(set)?,
        (None, Some(likely)) => {
            return output.write(|out| match args.format {
                ReportFormat::Text => human::write_text(likely, &game, out),
                ReportFormat::Json => human::write_json(likely, &game, out),
            });
        }
        (None, None) => only_set()?,
    };
    let shutdown = listening(Some(&place))?;
    let set = open_set(&place, &args.filter.filter(), shutdown.receiver(), printer)?;
    let set = set.ok_or_else(CliError::interrupted)?;
    left_out_lines(&set).into_iter().for_each(|line| printer.line(line));
    printer.flush();
    let here = set.table(&PositionKey::of(game.root()))?;
    output.write(|out| match args.format {
        ReportFormat::Text => {
            table::write_text(set.identity(), &game, &here, width, out)?;
            match &likely {
                Some(likely) => writeln!(out).and_then(|()| human::write_text(likely, &game, out)),
                None => Ok(()),
            }
        }
        ReportFormat::Json => table::write_json(&set, &game, &here, likely.as_ref(), out),
    })
}

fn only_set() -> Result<PathBuf, CliError> {
    let mut sets = all_sets()?;
    match (sets.pop(), sets.len()) {
        (Some(only), 0) => Ok(only),
        (Some(_), _) => Err(CliError::usage("no set given, and there are several")
            .hint("`deepanalyze games list` shows all sets")),
        (None, _) => Err(CliError::missing("no sets of games yet")
            .hint("`deepanalyze games add SET FILE` makes one")),
    }
}

fn remove(args: &RemoveArgs) -> Result<ExitCode, CliError> {
    let place = set_place(&args.set)?;
    let info = match SetInfo::read(&place) {
        Ok(info) => Some(info),
        // A set that cannot be read is one to remove.
        Err(
            GameSetError::Damaged(_) | GameSetError::Newer { .. } | GameSetError::Sqlite { .. },
        ) => None,
        Err(GameSetError::NoSet(_)) if is_empty(&place) => None,
        Err(error) => return Err(error.into()),
    };
    let mut out = stdout();
    let what = describe(&place, info.as_ref());
    if !confirmed(args.yes, "Remove", &what)? {
        writeln!(out, "nothing removed")?;
        return Ok(ExitCode::SUCCESS);
    }
    deepanalyze_games::remove(&place)?;
    writeln!(out, "removed {what}")?;
    Ok(ExitCode::SUCCESS)
}

/// True if a file is empty.
fn is_empty(place: &Path) -> bool {
    place.metadata().is_ok_and(|file| file.is_file() && file.len() == 0)
}

/// `club (1,234 games)`.
fn describe(place: &Path, info: Option<&SetInfo>) -> String {
    match info {
        Some(info) => {
            format!("{} ({})", info.name, deepanalyze_view::count(info.games, "game"))
        }
        None => place.display().to_string(),
    }
}
