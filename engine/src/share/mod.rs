//! One set of engines for several runs side by side.
//!
//! [`EngineShare`] drives the engines in a thread of its own; each run gets [`SharedEngines`], by which it knows
//! nothing of the others. `shares` decides whose search a free engine begins, `dispatcher` knows who waits for what;
//! both have neither a thread nor a clock.

mod broker;
mod client;
mod dispatcher;
mod handle;
mod numbers;
mod question;
mod shares;
mod states;

pub use broker::EngineShare;
pub use handle::SharedEngines;
pub use question::{Orphan, Unclaimed};
pub use states::{EngineMessage, EngineState, EngineStates, RunKey, Searching};
