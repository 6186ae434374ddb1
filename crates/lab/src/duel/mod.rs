//! Duels: does the tree choose better moves than one search of as many nodes? A judge decides where
//! the two differ. `docs/measurements/2026-11-worth.md` defines all of it.
//!
//! Everything is a function of the answers in the memo: a duel that was stopped goes on where it was,
//! a finished one repeats without a search.
#![deny(clippy::indexing_slicing)]

mod alternatives;
pub mod arm;
mod command;
mod fleet;
mod judging;
pub mod lane;
mod lister;
mod nodes;
pub mod question;
mod report;
pub mod run;
mod serial;
pub mod setting;
mod side_by_side;
pub mod statistics;
pub mod suite;

pub use command::{DuelArgs, run};
