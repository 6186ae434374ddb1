//! Sets of games: the moves played in each position, how often, by whom, and with what result.
//!
//! A set is one file of SQLite that is made from PGN files ([`add`]) and never changed afterwards:
//! adding to it makes a new one that takes its place. [`GameSet`] reads sets, and PGN files that
//! are counted in memory. `docs/decisions/games.md` defines what is counted.
#![deny(clippy::indexing_slicing)]

mod block;
mod build;
mod chain;
mod choosing;
mod control;
mod duplicates;
mod error;
mod filter;
mod hash;
mod identity;
mod pgn;
mod record;
mod row;
mod schema;
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

/// Plies counted of each game by default.
pub const MAX_PLY: u32 = 60;

/// Extension of a set's file.
pub const EXTENSION: &str = "games";
