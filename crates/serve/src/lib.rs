//! The browser interface: a page, the API that it uses, and a stream of events.
//!
//! One thread answers, and never waits: trees are read in threads of their own (`trees`), so are
//! the roots (`roots`), and one thread writes (`background`). Admission is decided before anything
//! is routed (`guard`). Runs are known through the [`Runner`](deepanalyze_runner::Runner) alone.
#![deny(clippy::indexing_slicing)]

mod api;
mod background;
mod connections;
mod door;
mod events;
mod guard;
#[cfg(test)]
#[path = "../../../tests/databases/pawns.rs"]
#[allow(clippy::unwrap_used)]
mod pawns;
mod roots;
mod server;
mod trees;
mod undo;
mod uploads;
mod verdict;

pub use api::{MergeRefused, Merging, Upload};
pub use door::{Door, ServeError};
pub use guard::token_file;
pub use server::{Defaults, Serving, serve};
