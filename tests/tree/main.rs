//! The algorithm and its trees.

#[path = "../support/mod.rs"]
mod support;

mod large_tree;
mod people;
mod properties;
mod reading_on;
mod vectors;
