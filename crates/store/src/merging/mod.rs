//! Merges another database: nothing here is changed, and a merge can be undone.

mod lists;
mod records;
mod roots;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod undo;

pub use lists::{Joined, ListCompared};
pub use records::{ConflictRow, MergeId, SourceId, SourceRow};
pub use roots::{DirectivesJoined, RootJoined};
pub use undo::MergedRemoved;
