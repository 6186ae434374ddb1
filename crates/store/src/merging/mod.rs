//! Merges another database: nothing here is changed, and a merge can be undone.

mod conflicts;
mod lists;
mod records;
mod roots;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod undo;

pub use conflicts::ConflictRow;
pub use lists::{Joined, ListCompared};
pub use records::{MergeId, SourceId, SourceRow};
pub use roots::{DirectivesJoined, RootJoined};
pub use undo::MergedRemoved;
