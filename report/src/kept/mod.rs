//! What the store keeps of a tree: its rows, its verdicts, its stages and closing searches; read whole, or on from what
//! is known of it.

pub mod chance;
pub mod closing;
pub mod following;
pub mod reading;
mod shares;
pub mod stages;
pub mod tree;
pub mod verdict;
