//! UCI as text: what an engine is told, what its lines say, and the answer that they add up to. No
//! process, no thread, no clock.

mod adapter;
mod choice;
pub(crate) mod commands;
mod info;
mod node_limit;
mod offers;
mod option;

pub use adapter::{EngineLine, Info, read_line};
pub(crate) use choice::{NoAnswer, PrintedLines, Said};
pub use info::Bound;
pub(crate) use node_limit::{exceeds, falls_short};
pub(crate) use offers::{Offers, Setting};
pub use option::{Kind, Offer};
