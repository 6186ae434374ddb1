//! A foreign database to merge. Nothing in it is trusted, and nothing is written to it: rows of
//! plain tables are read, one by one, and what the program would not have written is left out.

mod closings;
mod left;
mod lists;
mod open;
mod profiles;
mod roots;
#[cfg(test)]
mod tests;

pub(crate) use closings::COLUMNS as CLOSING_COLUMNS;
pub use closings::IncomingClosing;
pub use left::{LeftOutCounts, WhyLeft};
pub use lists::{
    IncomingAnswer, IncomingList, IncomingLists, IncomingPart, is_repeatable, is_within_reach,
};
pub use profiles::IncomingProfile;

use super::files::FileStamp;
use super::open::Store;

/// A foreign database.
#[derive(Debug)]
pub struct Incoming {
    pub(super) store: Store,
    /// The file's state when it was opened.
    stamp: FileStamp,
}
