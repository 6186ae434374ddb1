//! The roots of `deepanalyze grow` on many: every position of a game, or the positions of a file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use hashbrown::HashSet;
use shakmaty::{Color, Position};

use crate::args::report::{SIDES, one_of};
use crate::args::root::{GameChoice, LeftOut, RootArgs, bytes_of, name_of, root_key};
use crate::error::CliError;
use deepanalyze_core::chess::{EpdRecord, EpdTask, Game, Heading, WrittenGame, read_epd, text_of};
use deepanalyze_report::variations_begun;
use deepanalyze_runner::RunLimits;
use deepanalyze_view::{last_move, name_of_game, one_line};

use crate::args::times::parse_duration;

/// Reported lines that are no positions; a file of another kind has many.
const TOLD: usize = 10;

/// Many roots.
#[derive(Debug, Args)]
#[command(next_help_heading = "Many positions")]
pub struct BatchArgs {
    /// Analyse every position of the game, the last one first, then those behind the first moves of its variations; with
    /// --ply K only up to that ply
    #[arg(long, requires = "pgn", group = "batch")]
    every: bool,
    /// With --every, begin at this ply of the game
    #[arg(long, value_name = "K", requires = "every", allow_negative_numbers = true)]
    from_ply: Option<usize>,
    /// With --every, only positions where this side is to move
    #[arg(long, value_parser = one_of(SIDES), requires = "every")]
    side: Option<Color>,
    /// Analyse the positions of a file, one EPD record or FEN per line; "-" reads standard input
    #[arg(long, value_name = "FILE", group = "batch",
        conflicts_with_all = ["root", "moves", "pgn"])]
    pub(super) epd: Option<PathBuf>,
    /// Go on to the next position after this time
    ///
    /// Half of it is for the tree of each position; the other halves are for closing searches, once all trees are there.
    /// --closing no and what --for names with it give the tree all of the time.
    #[arg(long, value_name = "TIME", value_parser = parse_duration,
        allow_hyphen_values = true)]
    for_each: Option<Duration>,
    /// Go on to the next position after this many engine searches
    #[arg(long, value_name = "N", allow_negative_numbers = true, hide = true)]
    searches_each: Option<u64>,
}

/// Task of a test suite in a position, or where and why it cannot be read.
pub type SuiteTask = Result<Option<EpdTask>, String>;

/// A root of a batch.
pub struct BatchRoot {
    /// The game up to it.
    pub game: Game,
    /// Label in reports: a move of the game, the `id` of an EPD line.
    pub label: String,
    /// Name to suggest to the database, which keeps one that it has.
    pub name: Option<String>,
}

/// The roots of a batch with their tasks, and what was left out.
pub struct BatchRoots {
    pub roots: Vec<BatchRoot>,
    pub tasks: Vec<SuiteTask>,
    /// The games that the roots come from.
    pub games: Vec<WrittenGame>,
    pub left_out: LeftOut,
}

impl BatchArgs {
    /// True if there are many roots.
    pub fn is_asked(&self, root: &RootArgs) -> bool {
        let all_games = matches!(root.pgn(), Some((_, GameChoice::All)));
        self.every || self.epd.is_some() || all_games
    }

    /// True if every position of a game is a root.
    pub fn is_every(&self) -> bool {
        self.every
    }

    /// The limits of one root.
    pub fn each(&self) -> RunLimits {
        RunLimits { time: self.for_each, searches: self.searches_each, nodes: None }
    }

    /// The roots, in the order in which they are grown.
    pub fn roots(&self, root: &RootArgs) -> Result<BatchRoots, CliError> {
        match &self.epd {
            Some(path) => roots_of_file(path),
            None => {
                let (games, left_out) = root.written_games()?;
                let are_many = games.len() + left_out.errors().len() > 1;
                let roots = self.roots_of_games(&games, are_many)?;
                Ok(BatchRoots { tasks: vec![Ok(None); roots.len()], roots, games, left_out })
            }
        }
    }

    /// The roots of games, each position with its game history once: games begin alike.
    fn roots_of_games(
        &self,
        games: &[WrittenGame],
        are_many: bool,
    ) -> Result<Vec<BatchRoot>, CliError> {
        let (mut roots, mut seen) = (Vec::new(), HashSet::new());
        for written in games {
            let WrittenGame { number, game, heading, .. } = written;
            // The last position comes first: what is known of it serves those before it.
            let plies = self.plies(game, are_many)?.into_iter().map(|ply| game.up_to(ply));
            for game in plies.chain(self.variations(written)) {
                if !seen.insert(root_key(&game)) {
                    continue;
                }
                let mut root = root_of_game(game, heading);
                if are_many {
                    root.label = format!("game {number}, {}", root.label);
                }
                roots.push(root);
            }
        }
        Ok(roots)
    }

    /// The plies of a game that are wanted, the last one first.
    fn plies(&self, game: &Game, are_many: bool) -> Result<Vec<usize>, CliError> {
        let (first, last) = (self.from_ply.unwrap_or(0), game.moves().len());
        if !self.every {
            return Ok(vec![last]);
        }
        // Others may be longer.
        if first > last && !are_many {
            return Err(CliError::usage(format!(
                "the game has no ply {first}: the last is {last}"
            )));
        }
        Ok((first..=last).rev().filter(|ply| self.is_wanted(game, *ply)).collect())
    }

    /// Behind the first move of each variation of the game's file, where the whole game is wanted.
    fn variations(&self, written: &WrittenGame) -> Vec<Game> {
        let mut begun = if self.every { variations_begun(written) } else { Vec::new() };
        begun.retain(|game| self.is_wanted(game, game.moves().len()));
        begun
    }

    /// True if `--every` analyses the position at this ply of the game.
    fn is_wanted(&self, game: &Game, ply: usize) -> bool {
        let turn = if ply.is_multiple_of(2) { game.start().turn() } else { !game.start().turn() };
        self.side.is_none_or(|side| side == turn) && self.from_ply.is_none_or(|first| first <= ply)
    }
}

fn root_of_game(game: Game, heading: &Heading) -> BatchRoot {
    BatchRoot { label: last_move(&game), name: name_of_game(heading, &game), game }
}

fn roots_of_file(path: &Path) -> Result<BatchRoots, CliError> {
    let (bytes, name) = (bytes_of(path)?, name_of(path));
    let records = read_epd(&text_of(&bytes)).map_err(|errors| {
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
    let asked = |EpdRecord { line, task, .. }: &EpdRecord| {
        task.clone().map_err(|error| format!("{name}:{line}: {error}"))
    };
    let tasks = records.iter().map(asked).collect();
    let roots = records.into_iter().map(root_of_record).collect();
    Ok(BatchRoots { roots, tasks, games: Vec::new(), left_out: LeftOut::default() })
}

fn root_of_record(record: EpdRecord) -> BatchRoot {
    // A file may hold anything, escape sequences for the terminal, too.
    let name = record.id.map(|id| one_line(&id)).filter(|id| !id.is_empty());
    let label = name.clone().unwrap_or_else(|| format!("line {}", record.line));
    BatchRoot { label, name, game: Game::from_position(record.position) }
}
