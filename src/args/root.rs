//! The position and the game before it: the same options for every command.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::error::CliError;
use deepanalyze_core::chess::{
    Game, GameError, Games, Heading, PgnError, PositionKey, WrittenGame, fen_of, written_game,
};
use deepanalyze_core::reading::{MIB, read_file, read_to};
use deepanalyze_games::{GameSetError, read_pgn};
use deepanalyze_store::RootOrigin;
use deepanalyze_view::count;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

/// The root of an analysis.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Position")]
pub struct RootArgs {
    /// Position as a FEN; with --moves, the position before them [default: startpos, the initial one]
    #[arg(long, value_name = "FEN", conflicts_with = "pgn")]
    root: Option<String>,
    /// Moves that lead to the position ("e4 e5 Nf3"); a third occurrence on the board is a draw
    #[arg(long, value_name = "MOVES", conflicts_with = "pgn")]
    moves: Option<String>,
    /// Take the position, and the game before it, from a PGN file; "-" reads standard input
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Number of the game in the PGN file; "all" for every game, with `grow` and `show --every`
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        requires = "pgn",
        allow_negative_numbers = true
    )]
    game: GameChoice,
    /// Take the position after this many plies of the game [default: after its last move]
    #[arg(long, value_name = "K", requires = "pgn", allow_negative_numbers = true)]
    ply: Option<u32>,
}

/// The root of a game, and the moves that lead to it, as two databases know them alike: the clocks of a start do not count.
pub fn root_key(game: &Game) -> (PositionKey, Vec<UciMove>) {
    (PositionKey::of(game.start()), game.moves().to_vec())
}

/// A game of a PGN file, or all.
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

impl RootArgs {
    /// The PGN file that the root comes from, and which game of it.
    pub fn pgn(&self) -> Option<(&Path, GameChoice)> {
        self.pgn.as_deref().map(|path| (path, self.game))
    }

    /// How the root is given: as a position of a game, or by itself.
    pub fn origin(&self) -> RootOrigin {
        match (&self.pgn, &self.moves) {
            (None, None) => RootOrigin::Study,
            _ => RootOrigin::WRITTEN_GAME,
        }
    }

    /// The root of a game.
    pub fn of_game(game: &Game) -> RootArgs {
        let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
        RootArgs {
            root: Some(fen_of(game.start())),
            moves: Some(moves.join(" ")),
            pgn: None,
            game: GameChoice::One(NonZeroU32::MIN),
            ply: None,
        }
    }

    /// The options of a command line that name the root of a game.
    pub fn words_of(game: &Game) -> Vec<String> {
        let mut words = Vec::new();
        if *game.start() != Chess::default() {
            words.extend(["--root".to_owned(), fen_of(game.start())]);
        }
        if !game.moves().is_empty() {
            let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
            words.extend(["--moves".to_owned(), moves.join(" ")]);
        }
        words
    }

    /// True if the user has named a root, even the initial position.
    pub fn is_given(&self) -> bool {
        self.root.is_some() || self.moves.is_some() || self.pgn.is_some()
    }

    /// The game up to the root.
    pub fn game(&self) -> Result<Game, CliError> {
        Ok(self.game_with_heading()?.0)
    }

    /// The game up to the root, with its tags where it comes from a PGN file.
    pub fn game_with_heading(&self) -> Result<(Game, Heading), CliError> {
        if let Some(path) = &self.pgn {
            let GameChoice::One(number) = self.game else {
                return Err(CliError::usage(
                    "--game all names many positions; this command takes one",
                )
                .hint("it works with `grow`, and with `export pgn --every`"));
            };
            let WrittenGame { game, heading, .. } = self.read(path, &bytes_of(path)?, number)?;
            return Ok((game, heading));
        }
        let usage = |error: GameError| CliError::failure(&error).in_usage();
        let start = self.root.as_deref().unwrap_or("startpos");
        let mut game = Game::from_start(start.trim()).map_err(|error| {
            let takes_moves = start.split_whitespace().any(|word| word == "moves");
            let hint = takes_moves.then(|| "moves go into --moves \"e4 e5\"".to_owned());
            usage(error).maybe_hint(hint)
        })?;
        game.play_line(self.moves.as_deref().unwrap_or_default()).map_err(usage)?;
        Ok((game, Heading::default()))
    }

    /// The games up to their roots, with what the PGN file that they come from says beside their moves.
    /// Of all games of a file, those that cannot be read are left out.
    pub fn written_games(&self) -> Result<(Vec<WrittenGame>, LeftOut), CliError> {
        let Some(path) = &self.pgn else {
            let (game, heading) = self.game_with_heading()?;
            let game = WrittenGame { number: 1, game, heading, remarks: Vec::new() };
            return Ok((vec![game], LeftOut::default()));
        };
        let pgn = bytes_of(path)?;
        match self.game {
            GameChoice::One(number) => {
                Ok((vec![self.read(path, &pgn, number)?], LeftOut::default()))
            }
            GameChoice::All => self.all(path, &pgn),
        }
    }

    fn all(&self, path: &Path, pgn: &[u8]) -> Result<(Vec<WrittenGame>, LeftOut), CliError> {
        let (mut games, mut left_out) = (Vec::new(), LeftOut::of(path));
        let mut texts = Games::new(pgn).peekable();
        while let Some(text) = texts.next() {
            let text = text.map_err(|error| not_read(path, &error))?;
            let read = match text.main_line(self.last_ply()) {
                Err(PgnError::NoSuchPly { .. }) => text.main_line(None),
                read => read,
            };
            match read {
                Ok(game) => games.push(game),
                Err(error) => left_out.errors.push(text.wrong(error, texts.peek().is_none())),
            }
        }
        if !games.is_empty() {
            return Ok((games, left_out));
        }
        let mut errors = left_out.errors.into_iter();
        Err(match (errors.next(), errors.len()) {
            (None, _) => in_file(path, PgnError::NoSuchGame { number: 1, found: 0 }),
            (Some(error), 0) => in_file(path, error),
            (Some(error), more) => {
                let first = in_file(path, error).message();
                let all = format!("none of the {} games can be read", more + 1);
                CliError::usage(format!("{all}; the first: {first}"))
            }
        })
    }

    fn read(&self, path: &Path, pgn: &[u8], number: NonZeroU32) -> Result<WrittenGame, CliError> {
        let number = usize::try_from(number.get()).unwrap_or(usize::MAX);
        written_game(pgn, number, self.last_ply()).map_err(|error| in_file(path, error))
    }

    /// The ply of the root.
    fn last_ply(&self) -> Option<usize> {
        self.ply.and_then(|ply| usize::try_from(ply).ok())
    }
}

/// Games of a file that cannot be read, while others can.
#[derive(Debug, Default)]
pub struct LeftOut {
    file: String,
    errors: Vec<PgnError>,
}

impl LeftOut {
    /// None yet.
    pub fn of(path: &Path) -> LeftOut {
        LeftOut { file: name_of(path), errors: Vec::new() }
    }

    /// Another one.
    pub fn push(&mut self, error: PgnError) {
        self.errors.push(error);
    }

    /// The error of each.
    pub fn errors(&self) -> &[PgnError] {
        &self.errors
    }

    /// An error with the reason for each unreadable game, if any; `read` is the number of readable
    /// ones.
    pub fn error(&self, read: usize) -> Option<CliError> {
        if self.errors.is_empty() {
            return None;
        }
        let (file, bad) = (&self.file, self.errors.len());
        let all = count((bad + read) as u64, "game");
        let head = format!("{file}: {bad} of {all} cannot be read and are left out");
        let head = if bad == 1 { head.replace(" are ", " is ") } else { head };
        let each = self.errors.iter().map(|error| format!("{file}: {error}"));
        Some(CliError::several([head].into_iter().chain(each).collect()))
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
    bytes_to(path, 2048 * MIB)
}

/// Reads a file of games, which may be compressed.
pub fn games_of_file(path: &Path) -> Result<Vec<u8>, CliError> {
    refuse_pipe(path)?;
    read_pgn(path, 2048 * MIB).map_err(|error| match error {
        GameSetError::Io { source, .. } => not_read(path, &source),
        error => error.into(),
    })
}

/// Reads a file of at most this many bytes.
pub fn bytes_to(path: &Path, most: u64) -> Result<Vec<u8>, CliError> {
    refuse_pipe(path)?;
    let read = if path.as_os_str() == "-" {
        read_to(std::io::stdin(), most)
    } else {
        read_file(path, most)
    };
    read.map_err(|error| not_read(path, &error))
}

fn refuse_pipe(path: &Path) -> Result<(), CliError> {
    if is_named_pipe(path) {
        Err(CliError::missing(format!("{} is a pipe, not a file", name_of(path)))
            .hint("\"-\" reads standard input"))
    } else {
        Ok(())
    }
}

/// Opening one waits for a writer, which may never come.
fn is_named_pipe(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        path.symlink_metadata().is_ok_and(|found| found.file_type().is_fifo())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Name of a file in messages.
pub fn name_of(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() }
}

/// A file that cannot be read.
pub fn not_read(path: &Path, error: &std::io::Error) -> CliError {
    CliError::missing(format!("cannot read {}: {error}", name_of(path)))
}
