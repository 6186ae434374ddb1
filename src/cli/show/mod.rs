//! `deepanalyze show`.

mod every;

use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use shakmaty::Color;

use crate::analysis::{measured_prospects, prospects, stage_courses};
use crate::cli::args::chosen::ChosenArgs;
use crate::cli::args::pov::PovArgs;
use crate::cli::args::side::Side;
use crate::cli::error::CliError;
use crate::cli::output::{Output, WIDTH, is_terminal};
use crate::render::{
    AnnotatedGame, Beside, Drawing, LineError, Report, write_annotated, write_csv, write_dot,
    write_epd, write_game_html, write_games_json, write_html, write_json, write_pgn,
    write_polyglot, write_svg, write_text, write_verdict,
};
use crate::store::Effort;
use crate::tree::Layout;

/// What a picture shows where nothing else is asked for.
const PICTURE_PLIES: u32 = 3;
const PICTURE_MOVES: usize = 4;

/// Show the verdict with its best lines, or the tree; or write it for other programs
///
/// Works while `grow` is running, and needs no engine.
#[derive(Debug, Args)]
pub struct ShowArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Show the verdict of every position of the game, after `grow --pgn FILE --every`: with --format pgn as an
    /// annotated game, with --format html as a page, or with --format json
    #[arg(long, requires = "pgn", conflicts_with_all = ["plies", "line", "max_variations"],
        help_heading = "Output")]
    every: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,
    /// Show this many plies of the tree [default: only the verdict; 3 in pictures; all in other formats]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Output")]
    plies: Option<u32>,
    /// Show the whole tree
    #[arg(long, conflicts_with_all = ["plies", "every"], help_heading = "Output")]
    all: bool,
    /// Show only the best N moves of each position [default: all; 4 in pictures]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Output",
        value_parser = clap::value_parser!(u32).range(1..))]
    max_variations: Option<u32>,
    /// Show only what follows these moves ("e4 e5")
    #[arg(
        long,
        value_name = "MOVES",
        default_value = "",
        hide_default_value = true,
        help_heading = "Output"
    )]
    line: String,
    /// In a Polyglot book: keep moves that lose at most this many centipawns [default: all moves that the
    /// analysis followed]
    #[arg(long, value_name = "CP", allow_negative_numbers = true, help_heading = "Output",
        value_parser = clap::value_parser!(u32).range(0..=30_000))]
    max_loss: Option<u32>,
    /// In PGN and Polyglot: write a repertoire for one side
    ///
    /// Its own moves are the included ones (`deepanalyze direct include`), or the best move where none is
    /// included; of the other side it has all candidates and included moves.
    #[arg(long, value_enum, value_name = "SIDE", help_heading = "Output")]
    side: Option<Side>,
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
    /// For chess programs: variations with comments
    Pgn,
    /// For spreadsheets: one row per move
    Csv,
    /// For test suites: one line per analysed position
    Epd,
    /// An opening book for chess programs
    Polyglot,
    /// A picture of the first plies, for Graphviz
    Dot,
    /// A picture of the first plies
    Svg,
    /// A web page with board, tree and plots; opens from disk in any browser
    Html,
}

impl ShowArgs {
    /// Whether text is to have more than the verdict.
    fn shows_tree(&self) -> bool {
        self.all || self.plies.is_some()
    }
}

/// Runs the command.
pub fn run(args: &ShowArgs) -> Result<ExitCode, CliError> {
    check(args)?;
    let store = args.chosen.open()?;
    let output = Output::to(args.output.as_deref(), &store)?.styled(args.format == Format::Text);
    if args.every {
        let games = every::annotated(args.chosen.root(), &store)?;
        if args.format == Format::Html && games.len() > 1 {
            return Err(CliError::usage("a page shows one game: name it by --game N"));
        }
        output.write(|out| write_games(args, &games, out))?;
        return Ok(ExitCode::SUCCESS);
    }
    // The program ends behind them: freeing a large tree piece by piece takes a tenth of a second.
    let tree = ManuallyDrop::new(args.chosen.load(&store)?);
    let efforts = match args.format {
        Format::Epd => store.efforts(tree.row.id)?,
        _ => Vec::new(),
    };
    let report = Report::new(&tree, &args.line, layout(args)).map_err(line_error)?;
    let report = ManuallyDrop::new(report);
    let prospects = match args.format {
        Format::Text => measured_prospects(&store, &tree, &report.path)?,
        Format::Html => prospects(&store, &tree, &report.path)?,
        // A repertoire is the tree's alone.
        Format::Pgn if args.side.is_none() => prospects(&store, &tree, &report.path)?,
        _ => Vec::new(),
    };
    let courses = match args.format {
        Format::Html => stage_courses(&store, &tree)?,
        _ => Vec::new(),
    };
    let beside = Beside { prospects: &prospects, courses: &courses };
    let page = Page { report: &report, efforts: &efforts, beside };
    let width = output.width().unwrap_or(WIDTH);
    output.write(|out| write(args, &page, width, out))?;
    Ok(ExitCode::SUCCESS)
}

/// Games with the verdicts on their positions.
fn write_games(args: &ShowArgs, games: &[AnnotatedGame], out: &mut dyn Write) -> io::Result<()> {
    match (args.format, games) {
        (Format::Json, _) => return write_games_json(games, out),
        (Format::Html, [game]) => return write_game_html(game, args.pov.get(), out),
        _ => {}
    }
    games.iter().enumerate().try_for_each(|(index, game)| {
        // A blank line stands between games.
        let blank = if index == 0 { Ok(()) } else { writeln!(out) };
        blank.and_then(|()| write_annotated(game, args.pov.get(), out))
    })
}

/// What is printed.
struct Page<'a> {
    report: &'a Report<'a>,
    /// What each answer cost; only for EPD.
    efforts: &'a [Effort],
    /// What lies behind the first moves, and how the verdict went; only for people.
    beside: Beside<'a>,
}

fn write(args: &ShowArgs, page: &Page<'_>, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let (pov, Page { report, efforts, beside }) = (args.pov.get(), page);
    let prospects = beside.prospects;
    match args.format {
        Format::Text if args.shows_tree() => write_text(report, prospects, (pov, width), out),
        Format::Text => write_verdict(report, prospects, (pov, width), out),
        Format::Json => write_json(report, out),
        Format::Pgn => write_pgn(report, prospects, pov, out),
        Format::Csv => write_csv(report, out),
        Format::Epd => write_epd(report, args.plies, efforts, out),
        Format::Polyglot => write_polyglot(report, args.max_loss, args.side.is_some(), out),
        Format::Dot => write_dot(&Drawing::new(report, pov), out),
        Format::Svg => write_svg(&Drawing::new(report, pov), out),
        Format::Html => write_html(report, *beside, pov, out),
    }
}

/// Options that do not go together.
fn check(args: &ShowArgs) -> Result<(), CliError> {
    if args.every && ![Format::Pgn, Format::Html, Format::Json].contains(&args.format) {
        let needs = "--every shows a whole game: it needs --format pgn, html or json";
        return Err(CliError::usage(needs));
    }
    if args.max_loss.is_some() && args.format != Format::Polyglot {
        return Err(CliError::usage("--max-loss needs --format polyglot"));
    }
    let is_book = [Format::Pgn, Format::Polyglot].contains(&args.format) && !args.every;
    if args.side.is_some() && !is_book {
        return Err(CliError::usage("--side needs --format pgn or polyglot"));
    }
    if args.format == Format::Polyglot && is_terminal(args.output.as_deref()) {
        return Err(CliError::usage("a Polyglot book cannot be shown in a terminal")
            .hint("name a file with -o, or redirect it"));
    }
    Ok(())
}

fn layout(args: &ShowArgs) -> Layout {
    let moves = args.max_variations.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let best_line_first = [Format::Pgn, Format::Text].contains(&args.format);
    let layout =
        Layout { plies: args.plies, moves, side: args.side.map(Color::from), best_line_first };
    match args.format {
        Format::Text if !args.shows_tree() => Layout { plies: Some(1), ..layout },
        Format::Dot | Format::Svg if !args.all => Layout {
            plies: layout.plies.or(Some(PICTURE_PLIES)),
            moves: layout.moves.or(Some(PICTURE_MOVES)),
            ..layout
        },
        // Its positions are cut, their lines are not.
        Format::Epd => Layout { plies: None, ..layout },
        _ => layout,
    }
}

fn line_error(error: LineError) -> CliError {
    CliError::failure(&error).in_usage()
}
