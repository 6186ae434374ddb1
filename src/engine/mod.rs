//! UCI engines as processes, and the pool of them.
//!
//! [`Pool`] is what the rest of the program uses: it starts processes of one engine, from one command
//! line or several, gives each [`Search`] to a free one, and tells through [`Event`]s what came of it.
//! A process that dies, hangs or lies costs one search: its whole group is killed, another is
//! started, the search is tried again. The rules stand in `roster`.
#![deny(clippy::indexing_slicing)]

mod adapter;
mod choice;
mod commands;
mod deadline;
mod error;
mod event;
mod groups;
mod identity;
mod info;
mod instance;
mod lines;
mod node_limit;
mod offers;
mod option;
mod pool;
mod process;
mod profile;
mod program;
mod reader;
mod roster;
mod search;
mod settings;
mod shared;
mod startup;
mod trial;
mod worker;

pub use adapter::{Info, Line, read_line};
pub use deadline::HangPolicy;
pub use error::{EngineError, Reason};
pub use event::{Event, Notice};
pub use groups::{dismiss_guard, guard, guard_by, kill_all};
pub use info::Bound;
pub use option::{Kind, Offer};
pub use pool::Pool;
pub use profile::{HashContents, HashOf, KeptHash, Limit, Profile};
pub use search::{Answer, Search};
pub use settings::{Settings, Source};

#[cfg(all(test, unix))]
pub(crate) use worker::tests::{PANICS, mute_pool};
