//! One run: wires root, store, tree and engines together, owns limits and shutdown.
#![deny(clippy::indexing_slicing)]

mod annotate;
mod batch;
mod closing;
mod desk;
mod flight;
mod foresight;
mod grow;
mod history;
mod kept;
mod kept_rows;
mod known;
mod ledger;
mod limits;
mod loading;
mod pass;
mod progress;
mod question;
mod reading_on;
mod replay;
mod root_seen;
mod shutdown;
#[cfg(test)]
mod simulation;
mod stats;
mod verify;
mod workshop;

pub use annotate::{Annotation, Better, Judgement, annotations, judge};
pub use batch::{Batch, BatchEnd, BatchObserver, Fate, Root, grow_batch};
pub use closing::{Closing, ClosingEnd, ClosingSearch, Prepared, closings};
pub use desk::{Desk, DeskError, DeskNews, Engine, Stop};
pub use foresight::Ahead;
pub use grow::{End, Outcome, Plan, SessionError, grow};
pub use history::{
    Cause, Change, Headline, Stage, cause, changes, complete_verdicts, headline, stages,
};
pub use kept::{KeptTree, load};
pub use kept_rows::KeptRows;
pub use ledger::{Ledger, root_value};
pub use limits::Limits;
pub use progress::{BestLine, Observer, Progress};
pub use question::{Memory, Question, Reply};
pub use reading_on::read_on;
pub use shutdown::Shutdown;
pub use stats::{Memo, Statistics, Unit};
pub use verify::{Findings, verify};
