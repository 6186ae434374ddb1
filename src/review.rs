//! `deepanalyze review`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use shakmaty::Color;

use crate::args::database::ChosenArgs;
use crate::args::report::{ReportArgs, SIDES, one_of};
use crate::args::root::{LeftOut, games_of_file, name_of, not_read};
use crate::error::CliError;
use crate::output::WIDTH;
use deepanalyze_core::chess::{AskedPlayer, WrittenGame};
use deepanalyze_report::{
    EngineScores, GamesOfPlayer, PlayerNames, ReviewAsked, review, write_review, write_review_json,
    write_review_page, write_review_pgn,
};
use deepanalyze_view::{count, load_tree};

/// Compare your games with your repertoire: where they left it, who left it, and the right move
///
/// Your repertoire: your included moves (`deepanalyze direct include`), or where none is included all moves that lose
/// at most --sound, and every opponent's move in the tree. A game that comes back to it has not left it. The places
/// where most games left it come first, then a line for each game.
#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// PGN file with the games, also compressed (.gz, .bz2, .zst); "-" reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only the games of this player: a name as in the file, with White or Black
    #[arg(long, value_name = "NAME", help_heading = "Games")]
    player: Option<String>,
    /// With --player: only the games with this side; without it, every game of the file is this side's
    #[arg(long, value_parser = one_of(SIDES), value_name = "SIDE", help_heading = "Games")]
    side: Option<Color>,
    /// Centipawns that your own moves may lose, where you have included none
    #[arg(long, value_name = "CP", default_value_t = 30, allow_negative_numbers = true,
        help_heading = "Games", value_parser = clap::value_parser!(u32).range(0..=30_000))]
    sound: u32,
    #[command(flatten)]
    chosen: ChosenArgs,
    #[command(flatten)]
    report: ReportArgs<ReviewFormat>,
}

/// Output format of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReviewFormat {
    /// For people
    Text,
    /// For programs
    Json,
    /// The games, each with a comment where it left, and what was to be played as a variation
    Pgn,
    /// A web page with a board for each place; opens from disk in any browser
    Html,
}

/// Runs the command.
pub fn run(args: &ReviewArgs) -> Result<ExitCode, CliError> {
    if args.player.is_none() && args.side.is_none() {
        return Err(CliError::usage("no player given")
            .hint("use --player NAME, or --side white or black for all games of the file"));
    }
    let store = args.chosen.open()?;
    let output = args.report.output(&store)?;
    let (games, also, left_out) = games_of(args)?;
    let tree = load_tree(&store, args.chosen.choose(&store)?)?;
    let asked = ReviewAsked { player: args.player.clone(), also, sound: args.sound };
    let engine = EngineScores::Kept(&store, &tree.row);
    let review = review(&tree, games, asked, &engine)?;
    let (pov, width) = (args.report.pov(), output.width().unwrap_or(WIDTH));
    output.write(|out| match args.report.format {
        ReviewFormat::Text => write_review(&review, pov, width, out),
        ReviewFormat::Json => write_review_json(&review, out),
        ReviewFormat::Pgn => write_review_pgn(&review, pov, out),
        ReviewFormat::Html => write_review_page(&review, pov, out),
    })?;
    left_out.error(review.games.len()).map_or(Ok(ExitCode::SUCCESS), Err)
}

/// Games, each with the player's side.
type PlayersGames = Vec<(WrittenGame, Color)>;
/// Names that may be the player's, with the number of their games.
type OtherNames = Vec<(String, u64)>;

/// Reads the games that are asked for, and those of them that cannot be read.
fn games_of(args: &ReviewArgs) -> Result<(PlayersGames, OtherNames, LeftOut), CliError> {
    let (path, bytes) = (&args.file, games_of_file(&args.file)?);
    let found = GamesOfPlayer::read(&bytes[..], args.player.as_deref(), args.side);
    let found = found.map_err(|error| not_read(path, &error))?;
    let mut left_out = LeftOut::of(path);
    found.bad.into_iter().for_each(|error| left_out.push(error));
    match (found.games.is_empty(), left_out.error(0)) {
        (true, Some(error)) => Err(error),
        (true, None) => Err(no_game(args, &found.names, found.all)),
        (false, _) => Ok((found.games, found.also, left_out)),
    }
}

fn no_game(args: &ReviewArgs, names: &PlayerNames, all: usize) -> CliError {
    let file = name_of(Path::new(&args.file));
    let Some(player) = args.player.as_deref().filter(|_| all > 0) else {
        return CliError::missing(format!("there is no game in {file}"));
    };
    if let Some(side) = args.side.filter(|_| names.has(&AskedPlayer::new(player))) {
        let side = side.fold_wb("White", "Black");
        return CliError::missing(format!("{player} never plays {side} in {file}"));
    }
    CliError::missing(format!(
        "none of the {} in {file} is a game of {player}",
        count(all as u64, "game")
    ))
    .maybe_hint(names.near_words(player))
}
