//! Deep chess analysis: a tree of positions grown over a UCI engine's answers.
//!
//! The data goes one way: a root, the [`run`], what the [`tree`] asks, what an [`engine`]
//! answers, what the [`store`] keeps, what the tree admits, what [`render`] prints. The tree is a
//! pure function of its root, game history, distance, depth and of the answers; `docs/` says how.

pub use deepanalyze_core::{builtin, chess, directives, reading, search, tree, uci};

pub mod analysis;
pub mod cli;
pub mod directing;
pub mod duel;
pub mod engine;
pub mod explore;
pub mod fleet;
pub mod lichess;
pub mod quoting;
pub mod render;
pub mod run;
pub mod secrets;
pub mod serve;
pub mod session;
pub mod store;
