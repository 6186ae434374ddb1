//! Taking over what another database has: nothing of one's own is changed, and what has come can be taken back.

mod back;
mod conflicts;
mod lists;
mod records;
mod roots;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use back::MergedTaken;
pub use conflicts::ConflictRow;
pub use lists::{Joined, ListCompared};
pub use records::{MergeId, SourceId, SourceRow};
pub use roots::{DirectivesJoined, RootJoined};
