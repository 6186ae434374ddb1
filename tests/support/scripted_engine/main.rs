//! A scripted UCI engine for tests: deterministic synthetic answers, and every fault on demand.
//!
//! Its scores are a pure function of the seed, the position and the move, so that a tree grown over
//! it is the same on any machine, with any number of processes, however often they are killed.
//! It checks the protocol: what no engine need survive (a finished position, `go` during a search,
//! a trailing blank, an unknown option) ends it with status 70 and a line on stderr.
//!
//! An example and not a binary: `cargo test` builds it, `cargo install` leaves it out.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test tool: a crash is an answer, too"
)]

mod args;
mod engine;
mod fault;
mod output;
mod request;
mod search;
mod synthetic;

use clap::Parser as _;

fn main() {
    engine::run(args::Args::parse());
}
