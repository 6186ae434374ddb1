//! One run: passes over a tree, served from the memo and by engines; looking ahead, limits, control.
#![deny(clippy::indexing_slicing)]

mod batch;
mod closing;
mod context;
mod control;
mod ending;
mod error;
mod event;
mod feed;
mod grow;
mod limits;
mod lists;
mod look_ahead;
#[cfg(test)]
mod made_up;
mod pass;
mod progress;
mod publisher;
#[cfg(test)]
mod rivals;
mod serial;
mod shutdown;
#[cfg(test)]
mod simulation;
mod snapshot;
mod tree_rows;
mod under_way;
#[cfg(test)]
mod virtual_time;

pub use batch::{Batch, BatchEnd, BatchObserver, Root, RootOutcome, grow_batch};
pub use closing::{ClosingEnd, ClosingSearch, Prepared};
pub use control::{Control, ControlReceiver, Target, control};
pub use error::RunError;
pub use event::{RunEnd, RunEvent};
pub use feed::{Feed, News, Position, Reader};
pub use grow::{End, Outcome, Plan, grow};
pub use limits::RunLimits;
pub use look_ahead::SearchedAhead;
pub use progress::{Observer, Progress};
pub use publisher::Publisher;
pub use serial::{SearcherError, SearcherEvent, SerialSearcher, StartedEngine};
pub use shutdown::Shutdown;
pub use snapshot::{Changes, ClosingProgress, Snapshot, VerdictChange};
pub use tree_rows::TreeRows;
