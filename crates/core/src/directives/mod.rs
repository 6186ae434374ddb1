//! Directives on positions of a root: excluded and included moves, values, stops and notes
//! (ALGORITHM, section 6).
//!
//! Pure: a set of directives, refusals, and the file that holds a set. The tree takes them as
//! [`Wishes`](crate::tree::Wishes), the store keeps them.
#![deny(clippy::indexing_slicing)]

mod audit;
mod change;
mod dates;
mod file;
mod game_tree;
mod refusal;
mod set;
mod skeleton;
mod written;

pub use audit::{Audit, Finding, FindingKind, IncludedPositions, audit, cost, included_positions};
pub use change::Change;
pub use dates::{Dates, Moves};
pub use file::{DirectivesFile, FileError, read_set};
pub use refusal::Refusal;
pub use set::{Directive, Directives, Said, parse_value};
pub use skeleton::{BadGames, Skeleton, SkeletonError};
pub use written::{Chapter, Written, WrittenMove};
