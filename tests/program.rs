//! The built program, from outside. One binary: many of its tests wait, for a browser, a broker or a deadline, and others
//! work meanwhile.

mod support;

mod browser;
mod commands;
mod doors;
#[cfg(unix)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]
mod fleet;
mod runs;
