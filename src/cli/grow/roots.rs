//! The roots of `deepanalyze grow` on many: every position of a game, or the positions of a file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use hashbrown::HashSet;
use shakmaty::{Color, Position};

use crate::chess::{EpdRecord, Game, Heading, Task, WrittenGame, epd_of, read_epd};
use crate::cli::args::root::{GameChoice, RootArgs, bytes_of, name_of};
use crate::cli::error::CliError;
use crate::render::{last_move, name_of_game, one_line};
use crate::run::{Root, RunLimits};

use super::duration::parse_duration;

/// So many lines that are no positions are told; a file that is none at all has many.
const TOLD: usize = 10;

/// Many roots.
#[derive(Debug, Args)]
#[command(next_help_heading = "Many positions")]
pub struct BatchArgs {
    /// Analyse every position of the game, the last one first; with --ply K only up to that ply
    #[arg(long, requires = "pgn", group = "batch")]
    every: bool,
    /// With --every, begin at this ply of the game
    #[arg(long, value_name = "K", requires = "every", allow_negative_numbers = true)]
    from_ply: Option<usize>,
    /// With --every, only positions where this side is to move
    #[arg(long, value_enum, requires = "every")]
    side: Option<Side>,
    /// Analyse the positions of a file, one EPD record or FEN per line; "-" reads standard input
    #[arg(long, value_name = "FILE", group = "batch",
        conflicts_with_all = ["root", "moves", "pgn"])]
    pub(super) epd: Option<PathBuf>,
    /// Go on to the next position after this time
    #[arg(long, value_name = "TIME", value_parser = parse_duration,
        allow_hyphen_values = true)]
    for_each: Option<Duration>,
    /// Go on to the next position after this many engine searches
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    searches_each: Option<u64>,
}

/// Roots, and what a test suite asks for in each.
pub struct Roots {
    pub roots: Vec<Root>,
    pub tasks: Vec<Option<Task>>,
}

/// A side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Side {
    White,
    Black,
}

impl BatchArgs {
    /// Whether there are many roots.
    pub fn is_asked(&self, root: &RootArgs) -> bool {
        let all_games = matches!(root.pgn(), Some((_, GameChoice::All)));
        self.every || self.epd.is_some() || all_games
    }

    /// The limits of one root.
    pub fn each(&self) -> RunLimits {
        RunLimits { time: self.for_each, searches: self.searches_each, nodes: None }
    }

    /// The roots, in the order in which they are grown.
    pub fn roots(&self, root: &RootArgs) -> Result<Roots, CliError> {
        match &self.epd {
            Some(path) => roots_of_file(path),
            None => {
                let roots = self.roots_of_games(&root.written_games()?)?;
                Ok(Roots { tasks: vec![None; roots.len()], roots })
            }
        }
    }

    /// The roots of games, each position with its game history once: games begin alike.
    fn roots_of_games(&self, games: &[WrittenGame]) -> Result<Vec<Root>, CliError> {
        let (mut roots, mut seen) = (Vec::new(), HashSet::new());
        for (index, WrittenGame { game, heading, .. }) in games.iter().enumerate() {
            let of_game = match self.every {
                true => self.roots_of_game(game, heading)?,
                false => vec![root_of_game(game.clone(), heading)],
            };
            for mut root in of_game {
                if games.len() > 1 {
                    root.name = format!("game {}, {}", index + 1, root.name);
                }
                let start = epd_of(root.game.start());
                if seen.insert((start, root.game.moves().to_vec())) {
                    roots.push(root);
                }
            }
        }
        Ok(roots)
    }

    /// The last position first: what is known of it serves those before it.
    fn roots_of_game(&self, game: &Game, heading: &Heading) -> Result<Vec<Root>, CliError> {
        let (first, last) = (self.from_ply.unwrap_or(0), game.moves().len());
        if first > last {
            return Err(CliError::usage(format!(
                "the game has no ply {first}: the last is {last}"
            )));
        }
        let wanted = |game: &Game| match self.side {
            None => true,
            Some(Side::White) => game.root().turn() == Color::White,
            Some(Side::Black) => game.root().turn() == Color::Black,
        };
        let games = (first..=last).rev().map(|ply| game.up_to(ply)).filter(wanted);
        Ok(games.map(|game| root_of_game(game, heading)).collect())
    }
}

fn root_of_game(game: Game, heading: &Heading) -> Root {
    let (name, kept_name) = (last_move(&game), name_of_game(heading, &game));
    Root { name, kept_name, game }
}

fn roots_of_file(path: &Path) -> Result<Roots, CliError> {
    let (bytes, name) = (bytes_of(path)?, name_of(path));
    let records = read_epd(&String::from_utf8_lossy(&bytes)).map_err(|errors| {
        let lines = errors.iter().map(|(line, error)| format!("{name}:{line}: {error}"));
        let mut told: Vec<String> = lines.take(TOLD).collect();
        if errors.len() > TOLD {
            told.push(format!("and {} more lines of {name}", errors.len() - TOLD));
        }
        CliError::several(told).in_usage()
    })?;
    if records.is_empty() {
        return Err(CliError::usage(format!("there is no position in {name}")));
    }
    let tasks = records.iter().map(|record| record.task.clone()).collect();
    Ok(Roots { roots: records.into_iter().map(root_of_record).collect(), tasks })
}

fn root_of_record(record: EpdRecord) -> Root {
    // A file may hold anything, escape sequences for the terminal, too.
    let kept_name = record.id.map(|id| one_line(&id)).filter(|id| !id.is_empty());
    let name = kept_name.clone().unwrap_or_else(|| format!("line {}", record.line));
    Root { name, kept_name, game: Game::from_position(record.position) }
}
