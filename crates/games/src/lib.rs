//! Sets of games: how often each move was played in each position, by whom, and with what result.
//!
//! A set is one file of SQLite that is made from PGN files ([`add`]) and never changed afterwards: whoever adds to it
//! makes a new one that takes its place. [`GameSet`] reads sets, and PGN files that are counted in memory. What is
//! counted is said in `docs/decisions/games.md`.
#![deny(clippy::indexing_slicing)]

mod about;
mod block;
mod build;
mod chain;
mod choosing;
mod control;
mod error;
mod filter;
mod hash;
mod identity;
mod pgn;
mod record;
mod renumber;
mod row;
mod same;
mod schema;
mod seal;
mod set;
mod sort;
#[cfg(test)]
mod testing;
mod varint;

pub use build::{AddOptions, AddStage, Added, Adding, LeftOut, add, remove};
pub use control::Clock;
pub use error::GameSetError;
pub use filter::{Filter, Since, Speed, TimeControl, Unjudged};
pub use identity::{SetIdentity, SetInfo, Source};
pub use pgn::{BadGame, OtherVariants, read_pgn};
pub use set::{GameSet, GamesTally, MoveTally, PlayedHere, is_counted};

/// How many plies of each game are counted, unless something else is said.
pub const MAX_PLY: u32 = 60;

/// What the file of a set is called behind its name.
pub const EXTENSION: &str = "games";
