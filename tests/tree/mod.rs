//! The algorithm and its trees.

mod large_tree;
mod people;
mod properties;
mod reading_on;
mod vectors;
