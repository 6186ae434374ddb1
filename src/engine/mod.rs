//! UCI engines as processes, and the pool of them.
//!
//! [`Pool`] is what the rest of the program uses: it starts processes of one engine, gives each
//! [`Search`] to a free one, and tells through [`Event`]s what came of it. A process that dies,
//! hangs or lies costs one search: its whole group is killed, another is started, the search is
//! tried again.
#![deny(clippy::indexing_slicing)]

mod adapter;
mod choice;
mod commands;
mod deadline;
mod error;
mod info;
mod instance;
mod lines;
mod option;
mod pool;
mod process;
mod profile;
mod program;
mod search;
mod shared;
mod worker;

pub use adapter::{Info, Line, read_line};
pub use deadline::HangPolicy;
pub use error::{EngineError, Reason};
pub use info::Bound;
pub use option::{Kind, Offer};
pub use pool::{Event, Pool, Settings};
pub use process::kill_all;
pub use profile::{Limit, Profile};
pub use search::{Answer, Search};
