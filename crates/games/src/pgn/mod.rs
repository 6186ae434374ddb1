//! Games in PGN files: opened, even if compressed, cut into pieces, read and counted.

mod chunks;
mod compressed;
mod counted;
mod fast;
mod strict;
mod variants;

pub(crate) use chunks::{Chunk, Chunks};
pub use compressed::read_pgn;
pub(crate) use compressed::{Opened, is_database, opened};
pub(crate) use counted::{ChunkGames, count_chunk, key_of};
pub use variants::OtherVariants;

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

#[cfg(test)]
mod tests;
