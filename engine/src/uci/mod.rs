//! UCI as text: what an engine is told, what its lines say, and the answer that they add up to. No
//! process, no thread, no clock.

mod adapter;
mod choice;
pub mod commands;
mod info;
mod node_limit;
mod offers;
mod option;

pub use adapter::{EngineLine, Info, read_line};
pub use choice::{NoAnswer, PrintedLines};
pub use info::Bound;
pub use node_limit::{exceeds, falls_short};
pub use offers::{Offers, Setting};
pub use option::{Kind, Offer};
