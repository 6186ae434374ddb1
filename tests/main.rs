//! Tests that need the built program, other processes or much time. One binary: many of its tests
//! wait, for a browser, a broker or a deadline, and others work meanwhile.

mod support;

mod browser;
mod builtin;
mod commands;
mod doors;
mod engines;
#[cfg(unix)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]
mod fleet;
mod pgn_readers;
mod runs;
mod store;
mod tree;
