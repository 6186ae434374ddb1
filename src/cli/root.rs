//! Which position, and the game before it: the same options for every command.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::chess::{Game, GameError, Heading, PgnError, game_from_pgn, heading_from_pgn};

use super::error::CliError;

/// The root of an analysis.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Root")]
pub struct RootArgs {
    /// FEN of the root, or of the position where --moves begin; "startpos" for the initial one
    #[arg(long, value_name = "FEN", default_value = "startpos", conflicts_with = "pgn")]
    root: String,
    /// Moves to the root, in SAN or UCI notation ("e4 e5 Nf3"): the game's earlier positions count
    /// as repetitions
    #[arg(long, value_name = "MOVES", conflicts_with = "pgn")]
    moves: Option<String>,
    /// Take the root and the game before it from a PGN file
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// The game in the PGN file, from 1
    #[arg(long, value_name = "N", default_value_t = 1, requires = "pgn",
        allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    game: u32,
    /// How many plies of the game to play [default: all]
    #[arg(long, value_name = "K", requires = "pgn", allow_negative_numbers = true)]
    ply: Option<u32>,
}

impl RootArgs {
    /// The PGN file that the root comes from, and the number of the game in it.
    pub fn pgn(&self) -> Option<(&Path, u32)> {
        self.pgn.as_deref().map(|path| (path, self.game))
    }

    /// The game up to the root.
    pub fn game(&self) -> Result<Game, CliError> {
        if let Some(path) = &self.pgn {
            return self.read_pgn(path);
        }
        let usage = |error: GameError| CliError::failure(&error).in_usage();
        let mut game = Game::from_start(self.root.trim()).map_err(|error| {
            let takes_moves = self.root.split_whitespace().any(|word| word == "moves");
            let hint = takes_moves.then(|| "moves go into --moves \"e4 e5\"".to_owned());
            usage(error).maybe_hint(hint)
        })?;
        game.play_line(self.moves.as_deref().unwrap_or_default()).map_err(usage)?;
        Ok(game)
    }

    /// The tags and the result of the game in the PGN file; none where the root comes from elsewhere.
    pub fn heading(&self) -> Result<Heading, CliError> {
        let Some(path) = &self.pgn else {
            return Ok(Heading::default());
        };
        let number = usize::try_from(self.game).unwrap_or(usize::MAX);
        File::open(path)
            .and_then(|file| heading_from_pgn(file, number))
            .map_err(|error| CliError::missing(format!("cannot read {}: {error}", path.display())))
    }

    fn read_pgn(&self, path: &Path) -> Result<Game, CliError> {
        let unread = |error: std::io::Error| {
            CliError::missing(format!("cannot read {}: {error}", path.display()))
        };
        let named = |error: PgnError| match error {
            PgnError::Io(error) => unread(error),
            error => CliError::usage(format!("{}: {error}", path.display())),
        };
        let file = File::open(path).map_err(unread)?;
        let number = usize::try_from(self.game).unwrap_or(usize::MAX);
        let ply = self.ply.and_then(|ply| usize::try_from(ply).ok());
        game_from_pgn(file, number, ply).map_err(named)
    }
}
