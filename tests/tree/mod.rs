//! The algorithm and its trees.

mod claims;
mod large_tree;
mod people;
mod properties;
mod reading_on;
mod vectors;
