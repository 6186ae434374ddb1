//! One set of engines for several runs side by side.

mod states;

pub use states::{EngineMessage, EngineState, EngineStates, RunKey, Searching};
