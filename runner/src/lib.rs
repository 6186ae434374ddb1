//! One run: passes over a tree, served from the memo and by engines; looking ahead, limits, control.
#![deny(clippy::indexing_slicing)]

mod agenda;
mod batch;
mod closing;
mod context;
mod control;
mod directed;
mod error;
mod facts;
mod feed;
mod grow;
mod keeping;
mod lists;
mod look_ahead;
#[cfg(test)]
mod made_up;
mod orphans;
mod pass;
#[cfg(test)]
mod rivals;
mod schedule;
mod serial;
pub mod session;
#[cfg(test)]
mod simulation;
mod stages;
mod tree_rows;
mod under_way;
mod until_stable;
#[cfg(test)]
mod virtual_time;
mod wakers;

pub use agenda::{
    Added, Agenda, AgendaError, AgendaSettings, Beginning, Entry, EntryState, NewRoot,
    Subscription, enqueue,
};
pub use batch::{Batch, BatchEnd, BatchObserver, Root, RootOutcome, grow_batch};
pub use closing::{ClosingEnd, ClosingLimit, ClosingSearch, Prepared};
pub use control::limits::RunLimits;
pub use control::shutdown::Shutdown;
pub use control::signals::on_signal;
pub use control::{Control, ControlReceiver, Target, control};
pub use error::RunError;
pub use facts::TableUse;
pub use feed::event::{RunEnd, RunEvent};
pub use feed::progress::{Observer, Progress, Speaking};
pub use feed::publisher::Publisher;
pub use feed::snapshot::{Changes, ClosingProgress, Snapshot, VerdictChange};
pub use feed::{Feed, News, Position, Reader};
pub use grow::{End, Plan, RunOutcome};
pub use keeping::Keeping;
pub use look_ahead::SearchedAhead;
pub use orphans::keep_orphans;
pub use schedule::Schedule;
pub use serial::{SearcherError, SearcherEvent, SerialSearcher, StartedEngine};
pub use stages::{Exhausted, InProgress, grow, grow_on};
pub use tree_rows::TreeRows;
pub use wakers::Wakers;
