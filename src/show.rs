//! `deepanalyze show`.

use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use shakmaty::Color;

use crate::args::database::{ChosenArgs, speaking};
use crate::args::report::{PovArgs, SIDES, one_of};
use crate::error::CliError;
use crate::export::{formats_with, of_format, parse_format};
use crate::output::{Output, WIDTH, is_terminal};
use crate::printer::tell;
use deepanalyze_core::chess::Game;
use deepanalyze_report::{
    AnnotatedGame, CARDS, CLEAR, PeopleWanted, PrintError, PrintOptions, TreeFormat, TreeReport,
    annotated_games, write_annotated, write_game_html, write_game_text, write_games_json,
};
use deepanalyze_store::{AnalysisId, Store};
use deepanalyze_view::{PointOfView, SOUND, load};

/// Show the verdict with its best lines, or the tree
///
/// Works while `grow` is running, and needs no engine. `deepanalyze export` writes the same for other programs.
#[derive(Debug, Args)]
#[command(mut_args(|arg| of_format(arg, TreeFormat::Text)))]
pub struct ShowArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Show the whole game with the verdict of every position, after `grow --pgn FILE --every`
    #[arg(long, requires = "pgn", conflicts_with_all = ["plies", "all", "line", "max_variations", "max_loss", "side",
        "people", "counts", "sort", "write_out_transpositions", "cards", "all_moves", "clear"], help_heading = "Output")]
    every: bool,
    /// The format, which `export` has as its command
    #[arg(long, default_value = "text", value_parser = parse_format, help_heading = "Output")]
    format: TreeFormat,
    /// Show this many plies of the tree [default: only the verdict; 3 in pictures; 8 of conditional moves; all in other
    /// formats]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Output")]
    plies: Option<u32>,
    /// Show the whole tree
    #[arg(long, conflicts_with = "plies", help_heading = "Output")]
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
    /// analysis followed]; in flash cards: name those that teach a move which loses more [default: 100]
    #[arg(long, value_name = "CP", allow_negative_numbers = true, help_heading = "Output",
        value_parser = clap::value_parser!(u32).range(0..=30_000))]
    max_loss: Option<u32>,
    /// In PGN, studies and Polyglot: write a repertoire for one side; in flash cards, conditional moves and with --people:
    /// whose moves these are [default: in these three, the side to move]
    ///
    /// In a repertoire its own moves are the included ones (`deepanalyze direct include`), or the best move where
    /// none is included; of the other side it has all candidates and included moves. With --people the default is
    /// the side to move at the root.
    #[arg(long, value_parser = one_of(SIDES), value_name = "SIDE", help_heading = "Output")]
    side: Option<Color>,
    /// Show how many points moves score against people
    ///
    /// Needs an analysis with --games or --human: the other side plays as in those games or by the net, and the best moves
    /// where they end.
    /// Also shows how likely a game is to reach each move.
    #[arg(long, help_heading = "Output")]
    people: bool,
    /// With --people: never advise a move that loses more than this many centipawns
    #[arg(long, value_name = "CP", default_value_t = SOUND, allow_negative_numbers = true, requires = "people",
        help_heading = "Output", value_parser = clap::value_parser!(u32).range(0..=30_000))]
    sound: u32,
    /// Write the number of games with each move into the comments
    #[arg(long, help_heading = "Output")]
    counts: bool,
    /// List the moves within the distance, those drawn least often first
    ///
    /// Uses the engine's win, draw and loss chances at the end of each move's best line. Moves without them come
    /// last.
    #[arg(long, value_name = "BY", value_parser = ["draws"], conflicts_with_all = ["plies", "all"],
        help_heading = "Output")]
    sort: Option<String>,
    /// Repeat the moves after a transposition in every line, for programs that cannot follow "see
    /// 3. Nf3 d5"
    #[arg(long, help_heading = "Output")]
    write_out_transpositions: bool,
    /// Write at most this many cards, the likeliest positions first [default: 1000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Output",
        value_parser = clap::value_parser!(u32).range(1..))]
    cards: Option<u32>,
    /// Also ask for the moves that the tree has chosen where you have included none
    #[arg(long, help_heading = "Output")]
    all_moves: bool,
    /// Answer only where the next best move is this much worse [default: 30]
    #[arg(long, value_name = "CP", allow_negative_numbers = true, help_heading = "Output",
        value_parser = clap::value_parser!(u32).range(0..=30_000))]
    clear: Option<u32>,
    #[command(flatten)]
    pov: PovArgs,
    /// Write to a file
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

/// Moves named in a warning, at most.
const MOST_NAMED: usize = 10;

impl ShowArgs {
    fn printing(&self) -> PrintOptions<'_> {
        PrintOptions {
            format: self.format,
            plies: self.plies,
            all: self.all,
            moves: self.max_variations.map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
            line: &self.line,
            max_loss: self.max_loss,
            side: if self.people { None } else { self.side },
            cards: self.cards.map_or(CARDS, |n| usize::try_from(n).unwrap_or(usize::MAX)),
            all_moves: self.all_moves,
            clear: self.clear.unwrap_or(CLEAR),
            write_out: self.write_out_transpositions,
            pov: self.pov.get(),
            people: self.people.then_some(PeopleWanted { side: self.side, sound: self.sound }),
            counts: self.counts,
            by_draws: self.sort.is_some(),
        }
    }
}

/// Runs the command.
pub fn run(args: &ShowArgs) -> Result<ExitCode, CliError> {
    check(args)?;
    let store = args.chosen.open()?;
    let output =
        Output::to(args.output.as_deref(), &store)?.styled(args.format == TreeFormat::Text);
    let output = output.binary(args.format == TreeFormat::Polyglot);
    if args.every {
        let (games, left_out) = args.chosen.root.written_games()?;
        let games = annotated_games(games, &store)?;
        if !games.iter().any(AnnotatedGame::is_analysed) {
            return Err(CliError::missing(format!(
                "no position of this game is analysed in {}",
                store.path().display()
            ))
            .hint("`deepanalyze grow --pgn FILE --every` analyses all of them"));
        }
        if args.format == TreeFormat::Html && games.len() > 1 {
            return Err(CliError::usage("an HTML page shows one game; choose it with --game N"));
        }
        output.write(|out| write_games(args, &games, out))?;
        return left_out.error(games.len()).map_or(Ok(ExitCode::SUCCESS), Err);
    }
    // The program ends behind them: freeing a large tree piece by piece takes a tenth of a second.
    let tree = ManuallyDrop::new(load(&store, args.chosen.choose(&store)?)?);
    let printed = TreeReport::read(&store, &tree, args.printing());
    let printed = printed.map_err(|error| print_error(error, &tree.game, &store))?;
    let printed = ManuallyDrop::new(printed);
    let width = output.width().unwrap_or(WIDTH);
    output.write(|out| printed.write(width, out))?;
    warn_of_moves(
        "moves that you included are not in the book, because they lose more than --max-loss",
        &printed.included_and_left_out(),
    );
    warn_of_moves("cards teach moves that lose more than --max-loss", &printed.losing_cards());
    if let Some(left_out) = printed.left_out() {
        tell!("warning: {left_out}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Moves of the user that need a second look.
fn warn_of_moves(what: &str, moves: &[String]) {
    if moves.is_empty() {
        return;
    }
    let mut named = moves.get(..moves.len().min(MOST_NAMED)).unwrap_or_default().join(", ");
    if moves.len() > MOST_NAMED {
        named += &format!(" and {} more", moves.len() - MOST_NAMED);
    }
    tell!("warning: {what}: {named}");
}

/// Games with the verdicts on their positions.
fn write_games(args: &ShowArgs, games: &[AnnotatedGame], out: &mut dyn Write) -> io::Result<()> {
    let pov = args.pov.get();
    match (args.format, games) {
        (TreeFormat::Json, _) => write_games_json(games, out),
        (TreeFormat::Html, [game]) => write_game_html(game, pov, out),
        (TreeFormat::Pgn, _) => one_by_one(games, out, write_annotated),
        _ => write_game_tables(games, pov, out),
    }
}

/// Writes games as tables of their moves.
///
/// # Errors
///
/// The errors of `out`.
pub fn write_game_tables(
    games: &[AnnotatedGame],
    pov: PointOfView,
    out: &mut dyn Write,
) -> io::Result<()> {
    one_by_one(games, out, |game, out| write_game_text(game, pov, out))
}

/// Writes games with a blank line between them.
fn one_by_one(
    games: &[AnnotatedGame],
    out: &mut dyn Write,
    write: impl Fn(&AnnotatedGame, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    games.iter().enumerate().try_for_each(|(index, game)| {
        if index > 0 {
            writeln!(out)?;
        }
        write(game, out)
    })
}

/// Refuses options that mean nothing in the format.
fn check(args: &ShowArgs) -> Result<(), CliError> {
    let given = [
        (args.every, "every"),
        (args.write_out_transpositions, "write_out_transpositions"),
        (args.max_loss.is_some(), "max_loss"),
        (args.cards.is_some(), "cards"),
        (args.all_moves, "all_moves"),
        (args.clear.is_some(), "clear"),
        (args.people, "people"),
        (args.sort.is_some(), "sort"),
        (args.counts, "counts"),
        (args.side.is_some(), "side"),
    ];
    for (_, option) in given.into_iter().filter(|(is_given, _)| *is_given) {
        let formats = formats_with(option).unwrap_or_default();
        if !formats.contains(&args.format) {
            let named = TreeFormat::ALL.iter().filter(|(.., format)| formats.contains(format));
            let names: Vec<_> = named
                .skip_while(|(name, ..)| *name == "text")
                .map(|(name, ..)| format!("`export {name}`"))
                .collect();
            let (option, names) = (option.replace('_', "-"), names.join(", "));
            return Err(CliError::usage(format!("--{option} is an option of {names}")));
        }
    }
    let for_people = formats_with("people").unwrap_or_default();
    if args.side.is_some() && !args.people && for_people.contains(&args.format) {
        return Err(CliError::usage("--side needs --people here").hint(
            "`deepanalyze export pgn`, polyglot, anki, study and conditional write one side's moves",
        ));
    }
    if args.format == TreeFormat::Polyglot && is_terminal(args.output.as_deref()) {
        return Err(CliError::usage("a Polyglot book cannot be shown in a terminal")
            .hint("name a file with -o, or redirect it"));
    }
    Ok(())
}

fn print_error(error: PrintError, game: &Game, store: &Store) -> CliError {
    match error {
        PrintError::Line(error) => CliError::failure(&error).in_usage(),
        PrintError::Store(error) => error.into(),
        PrintError::NoGames(_) => {
            CliError::missing(error.to_string()).hint(match with_games(game, store) {
                Ok(Some(AnalysisId(id))) => {
                    format!("analysis {id} of this position has games: use --analysis {id}")
                }
                _ => "`deepanalyze grow --games SET` makes an analysis with games".to_owned(),
            })
        }
    }
}

/// The analysis of a root that knows what people play, the last one grown where there are several.
fn with_games(game: &Game, store: &Store) -> Result<Option<AnalysisId>, CliError> {
    let mut rows = store.analyses_of(game)?.into_iter();
    rows.find(|row| row.settings.games.is_some()).map(|row| speaking(row, store)).transpose()
}
