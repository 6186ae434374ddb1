//! Games in PGN files: opened, even if compressed, cut into pieces, read and counted; games of other
//! variants are counted apart.
//!
//! The core's strict reader takes what people write, and explains errors; a quick one is before it.

mod chunks;
mod compressed;
mod counted;
mod fast;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::{fmt, io};

use deepanalyze_core::chess::{Game, GameText, Games, PgnError, WrittenGame};

use crate::row::kept_text;

use counted::Tags;

pub(crate) use chunks::{Chunk, Chunks};
pub use compressed::read_pgn;
pub(crate) use compressed::{Opened, is_database, opened};
pub(crate) use counted::{ChunkGames, count_chunk, key_of};

/// A game that is left out, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadGame {
    /// The file's name.
    pub file: String,
    /// The game's number in it, from 1.
    pub number: u64,
    /// The line of the file, from 1.
    pub line: u64,
    /// `White – Black`; empty where neither is known.
    pub players: String,
    /// The error.
    pub what: String,
}

impl std::fmt::Display for BadGame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: game {}, line {}", self.file, self.number, self.line)?;
        if !self.players.is_empty() {
            write!(f, " ({})", self.players)?;
        }
        write!(f, ": {}", self.what)
    }
}

/// The most variants named; a file may name as many as it has games.
const NAMED: usize = 20;
/// The letters of a name that are kept.
const LONGEST_NAME: usize = 40;

/// Numbers of games of other variants, by their names in files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherVariants {
    named: BTreeMap<String, u64>,
    /// Games of further ones.
    others: u64,
}

impl OtherVariants {
    /// Number of games.
    pub fn games(&self) -> u64 {
        self.named.values().sum::<u64>() + self.others
    }

    /// Adds one.
    pub(crate) fn add(&mut self, variant: &str) {
        let name = variant.chars().filter(|c| !c.is_control()).take(LONGEST_NAME);
        self.add_games(name.collect(), 1);
    }

    /// Adds another count.
    pub(crate) fn add_all(&mut self, more: &OtherVariants) {
        self.others += more.others;
        more.named.iter().for_each(|(name, games)| self.add_games(name.clone(), *games));
    }

    fn add_games(&mut self, name: String, games: u64) {
        if self.named.len() < NAMED || self.named.contains_key(&name) {
            *self.named.entry(name).or_default() += games
        } else {
            self.others += games
        }
    }
}

/// `3 Atomic, 1 Crazyhouse`: the most frequent first.
impl fmt::Display for OtherVariants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut named: Vec<(&String, &u64)> = self.named.iter().collect();
        named.sort_by_key(|(_, games)| Reverse(**games));
        let named = named.into_iter().map(|(name, games)| format!("{games} {name}"));
        let others = (self.others > 0).then(|| format!("{} others", self.others));
        f.write_str(&named.chain(others).collect::<Vec<_>>().join(", "))
    }
}

/// The core's result.
enum Read<'t> {
    /// A game: all of it, or the counted part if there is an error after that.
    Game(&'t Game, &'t Tags<'t>),
    /// A game of a variant, with its name.
    Variant(String),
    /// A game that is left out.
    Failed(Failed),
}

/// A game that cannot be read.
struct Failed {
    /// The line in the part, from 1; 0 if unknown.
    line: u64,
    players: String,
    what: String,
    is_no_pgn: bool,
}

/// Passes on each game of a part; `is_alone` means a whole file.
///
/// # Errors
///
/// If it is no readable text.
fn games_of(
    part: &[u8],
    is_alone: bool,
    max_ply: u32,
    mut tell: impl FnMut(Read<'_>),
) -> io::Result<()> {
    let mut games = Games::new(part).peekable();
    while let Some(text) = games.next() {
        let text = text?;
        match counted_game(&text, max_ply) {
            Ok(WrittenGame { game, heading, .. }) => {
                let mut tags = Tags::default();
                tags.result = heading.result.as_deref().unwrap_or("");
                heading.tags.iter().for_each(|(name, value)| tags.take_pair(name, value));
                tell(Read::Game(&game, &tags));
            }
            Err(PgnError::Variant { variant, .. }) => tell(Read::Variant(variant)),
            Err(error) => {
                let error = text.wrong(error, is_alone && games.peek().is_none());
                tell(Read::Failed(failed(&text, &error)));
            }
        }
    }
    Ok(())
}

/// The whole game, or the part that is counted.
fn counted_game(text: &GameText, max_ply: u32) -> Result<WrittenGame, PgnError> {
    text.main_line(None).or_else(|error| match error {
        error @ PgnError::Variant { .. } => Err(error),
        error => text.main_line(usize::try_from(max_ply).ok()).map_err(|_| error),
    })
}

fn failed(text: &GameText, error: &PgnError) -> Failed {
    let (line, what) = match error {
        PgnError::Malformed { line, what, .. } => (*line, (*what).to_owned()),
        PgnError::Game { line, source, .. } => (*line, source.to_string()),
        other => (0, other.to_string()),
    };
    let name = |tag| text.tag(tag).map_or("?", str::trim);
    let players = match (name("White"), name("Black")) {
        ("?", "?") => String::new(),
        (white, black) => format!("{white} – {black}"),
    };
    let players = kept_text(&players);
    Failed { line: line as u64, players, what, is_no_pgn: matches!(error, PgnError::NotPgn) }
}

#[cfg(test)]
mod tests;
