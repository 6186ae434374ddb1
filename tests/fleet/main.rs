//! Fleets with a real NATS server: workers, growers and the broker come and go, and the tree is the same.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(missing_docs)]

#[path = "../support/mod.rs"]
mod support;

mod alone;
mod certificates;
mod closing;
mod faults;
mod garbage;
mod growing;
mod hostile;
mod house;
mod logins;
mod lying;
mod stuck;
