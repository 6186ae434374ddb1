//! What a tree says of its root: the best line, what lies behind each move, and what the rows alone tell.

mod best_line;
mod latest;
mod listed;
mod prospects;

pub use best_line::{BestLine, BestLines, LinesTold};
pub use latest::{LatestVerdict, latest_verdict};
pub use listed::{ListedRoot, RootNotes, WithStages};
pub use prospects::{Prospect, continuation, measured_prospects, prospects};
