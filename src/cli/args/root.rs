//! Which position, and the game before it: the same options for every command.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::chess::{Game, GameError, Heading, PgnError, read_game};
use crate::cli::error::CliError;

/// The root of an analysis.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Position")]
pub struct RootArgs {
    /// Position as a FEN; with --moves, the position before them [default: startpos, the initial one]
    #[arg(long, value_name = "FEN", conflicts_with = "pgn")]
    root: Option<String>,
    /// Moves that lead to the position ("e4 e5 Nf3"); earlier positions count as repetitions
    #[arg(long, value_name = "MOVES", conflicts_with = "pgn")]
    moves: Option<String>,
    /// Take the position, and the game before it, from a PGN file; "-" reads standard input
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Which game of the PGN file
    #[arg(long, value_name = "N", default_value_t = 1, requires = "pgn",
        allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    game: u32,
    /// Take the position after this many plies of the game [default: after its last move]
    #[arg(long, value_name = "K", requires = "pgn", allow_negative_numbers = true)]
    ply: Option<u32>,
}

impl RootArgs {
    /// The PGN file that the root comes from, and the number of the game in it.
    pub fn pgn(&self) -> Option<(&Path, u32)> {
        self.pgn.as_deref().map(|path| (path, self.game))
    }

    /// Whether the user has named a root, and be it the initial position.
    pub fn is_given(&self) -> bool {
        self.root.is_some() || self.moves.is_some() || self.pgn.is_some()
    }

    /// The game up to the root.
    pub fn game(&self) -> Result<Game, CliError> {
        if let Some(path) = &self.pgn {
            return Ok(self.read(path, &bytes_of(path)?)?.0);
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

    /// The game up to the root, with the tags and the result of the PGN file that it comes from.
    pub fn game_with_heading(&self) -> Result<(Game, Heading), CliError> {
        let Some(path) = &self.pgn else {
            return Ok((self.game()?, Heading::default()));
        };
        let pgn = bytes_of(path)?;
        self.read(path, &pgn)
    }

    fn read(&self, path: &Path, pgn: &[u8]) -> Result<(Game, Heading), CliError> {
        let number = usize::try_from(self.game).unwrap_or(usize::MAX);
        let ply = self.ply.and_then(|ply| usize::try_from(ply).ok());
        read_game(pgn, number, ply).map_err(|error| match error {
            PgnError::Io(error) => not_read(path, &error),
            error => CliError::usage(format!("{}: {error}", name_of(path))),
        })
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
