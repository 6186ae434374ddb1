//! The part of deepanalyze that computes: the rules and words of chess, searches, the tree,
//! directives, the UCI lines. It starts no process and keeps no file (tablebases are read).
//!
//! It is a crate of its own so that builds for tests can optimise it and nothing else.

pub mod chess;
pub mod claims;
pub mod directives;
pub mod printable;
pub mod quoting;
pub mod reading;
pub mod search;
pub mod secrets;
pub mod tree;
pub mod uci;
