//! The face in a browser: a page, the API that it uses, and a stream of what happens.
//!
//! One thread answers, and never waits: trees are read in threads of their own (`trees`), so are the roots
//! (`roots`), and one thread writes (`writer`). Who is let in is decided before anything is routed (`guard`).
//! Runs are known through the [`Runner`](deepanalyze_runner::Runner) alone.
#![deny(clippy::indexing_slicing)]

mod apart;
mod api;
mod app;
mod connections;
mod ending;
mod events;
mod guard;
mod own_addresses;
mod page;
mod reading;
mod roots;
mod server;
mod trees;
mod undo;
mod writer;

pub use app::Defaults;
pub use guard::token_file;
pub use server::{Door, ServeError, Serving, serve};
