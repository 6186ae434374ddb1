//! Trees grown again from their answers, and what the store keeps of them held against that.

mod replay;
mod root_seen;
mod verify;
mod verify_tree;

pub use verify::{Findings, verify};
