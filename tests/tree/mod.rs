//! The algorithm and its trees.

pub mod claims;
mod large_tree;
mod people;
mod properties;
mod reading_on;
pub mod vectors;
