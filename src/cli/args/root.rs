//! Which position, and the game before it: the same options for every command.

use std::fs::File;
use std::io::Read;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::chess::{Game, GameError, Heading, PgnError, Remark, read_game, remarks};
use crate::cli::error::CliError;

/// The root of an analysis.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Root")]
pub struct RootArgs {
    /// FEN of the root, or of the position where --moves begin; "startpos" for the initial one
    /// [default: startpos]
    #[arg(long, value_name = "FEN", conflicts_with = "pgn")]
    root: Option<String>,
    /// Moves to the root, in SAN or UCI notation ("e4 e5 Nf3"): the game's earlier positions count
    /// as repetitions
    #[arg(long, value_name = "MOVES", conflicts_with = "pgn")]
    moves: Option<String>,
    /// Take the root and the game before it from a PGN file; "-" reads standard input
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// The game in the PGN file, from 1; "all" for every game of it, with `grow` and `show --every`
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        requires = "pgn",
        allow_negative_numbers = true
    )]
    game: GameChoice,
    /// How many plies of the game to play [default: all]
    #[arg(long, value_name = "K", requires = "pgn", allow_negative_numbers = true)]
    ply: Option<u32>,
}

/// Which game of a PGN file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameChoice {
    /// The game of this number, from 1.
    One(NonZeroU32),
    /// Every game.
    All,
}

impl FromStr for GameChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<GameChoice, String> {
        if text == "all" {
            return Ok(GameChoice::All);
        }
        let number = text.parse().map_err(|_| "a number from 1, or \"all\"".to_owned())?;
        Ok(GameChoice::One(number))
    }
}

/// A game as a file has it.
#[derive(Debug, Clone)]
pub struct WrittenGame {
    /// Its moves up to the root.
    pub game: Game,
    /// Its tags and result.
    pub heading: Heading,
    /// What the file says in front of the first move, and then behind each move.
    pub remarks: Vec<Vec<Remark>>,
}

impl RootArgs {
    /// The PGN file that the root comes from, and which game of it.
    pub fn pgn(&self) -> Option<(&Path, GameChoice)> {
        self.pgn.as_deref().map(|path| (path, self.game))
    }

    /// Whether the user has named a root, and be it the initial position.
    pub fn is_given(&self) -> bool {
        self.root.is_some() || self.moves.is_some() || self.pgn.is_some()
    }

    /// The game up to the root.
    pub fn game(&self) -> Result<Game, CliError> {
        if let Some(path) = &self.pgn {
            let GameChoice::One(number) = self.game else {
                return Err(CliError::usage("--game all is many roots, not one")
                    .hint("it goes with `grow`, and with `show --every --format pgn`"));
            };
            return Ok(self.read(path, &bytes_of(path)?, number)?.game);
        }
        let usage = |error: GameError| CliError::failure(&error).in_usage();
        let start = self.root.as_deref().unwrap_or("startpos");
        let mut game = Game::from_start(start.trim()).map_err(|error| {
            let takes_moves = start.split_whitespace().any(|word| word == "moves");
            let hint = takes_moves.then(|| "moves go into --moves \"e4 e5\"".to_owned());
            usage(error).maybe_hint(hint)
        })?;
        game.play_line(self.moves.as_deref().unwrap_or_default()).map_err(usage)?;
        Ok(game)
    }

    /// The games up to their roots, with what the PGN file that they come from says beside their moves.
    pub fn written_games(&self) -> Result<Vec<WrittenGame>, CliError> {
        let Some(path) = &self.pgn else {
            let (game, heading) = (self.game()?, Heading::default());
            return Ok(vec![WrittenGame { game, heading, remarks: Vec::new() }]);
        };
        let pgn = bytes_of(path)?;
        if let GameChoice::One(number) = self.game {
            return Ok(vec![self.read(path, &pgn, number)?]);
        }
        let mut games = Vec::new();
        for number in (1..).map_while(NonZeroU32::new) {
            match self.try_read(&pgn, number) {
                Err(PgnError::NoSuchGame { .. }) if number.get() > 1 => break,
                read => games.push(read.map_err(|error| in_file(path, error))?),
            }
        }
        Ok(games)
    }

    fn read(&self, path: &Path, pgn: &[u8], number: NonZeroU32) -> Result<WrittenGame, CliError> {
        self.try_read(pgn, number).map_err(|error| in_file(path, error))
    }

    fn try_read(&self, pgn: &[u8], number: NonZeroU32) -> Result<WrittenGame, PgnError> {
        let number = usize::try_from(number.get()).unwrap_or(usize::MAX);
        let ply = self.ply.and_then(|ply| usize::try_from(ply).ok());
        // Of many games, some may be shorter.
        let (game, heading) = match read_game(pgn, number, ply) {
            Err(PgnError::NoSuchPly { .. }) if self.game == GameChoice::All => {
                read_game(pgn, number, None)?
            }
            read => read?,
        };
        let remarks = remarks(pgn, number, &game);
        Ok(WrittenGame { game, heading, remarks })
    }
}

fn in_file(path: &Path, error: PgnError) -> CliError {
    match error {
        PgnError::Io(error) => not_read(path, &error),
        error => CliError::usage(format!("{}: {error}", name_of(path))),
    }
}

/// The contents of a file; "-" is standard input.
pub fn bytes_of(path: &Path) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    let read = match path.as_os_str() == "-" {
        true => std::io::stdin().read_to_end(&mut bytes),
        false => File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    read.map_err(|error| not_read(path, &error))?;
    Ok(bytes)
}

/// What a file is called in messages.
pub fn name_of(path: &Path) -> String {
    match path.as_os_str() == "-" {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    }
}

fn not_read(path: &Path, error: &std::io::Error) -> CliError {
    CliError::missing(format!("cannot read {}: {error}", name_of(path)))
}
