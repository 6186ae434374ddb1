//! UCI engines as processes, and the pool of them.
//!
//! [`Pool`] is what the rest of the program uses: it starts processes of one engine, from one command
//! line or several, gives each [`Search`](deepanalyze_core::search::Search) to a free one, and reports through
//! [`Event`]s what came of it. A process that dies, hangs or lies costs one search: its whole group is
//! killed, another is started, the search is tried again. The rules are in `pool/roster`.
//!
//! A run sees engines through the trait [`Engines`] alone; [`FakeEngines`] stand for them in virtual time.
//!
//! `process` knows pipes and process groups, `uci` nothing but text; `instance` joins the two.
#![deny(clippy::indexing_slicing)]

mod deadline;
mod engines;
mod error;
mod fake;
mod instance;
mod pool;
mod process;
mod settings;
mod share;
mod uci;

pub use deadline::HangPolicy;
pub use engines::{Engines, Wakeup};
pub use error::{EngineError, Reason};
pub use fake::{FakeEngines, FakeSearch, FakeStart};
pub use pool::{Event, Pool, PoolNotice};
pub use process::{dismiss_guard, guard, guard_by, is_installed, kill_all};
pub use settings::{Settings, Source};
pub use share::{
    EngineMessage, EngineShare, EngineState, EngineStates, Orphan, RunKey, Searching,
    SharedEngines, Unclaimed,
};
pub use uci::{Bound, EngineLine, Info, Kind, Offer, read_line};
pub use uci::{exceeds, falls_short};

#[cfg(all(any(test, feature = "testing"), unix))]
pub use pool::{PANICS, mute_pool};
