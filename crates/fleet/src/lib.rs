//! A fleet: engines on other computers, behind the same seam as those of this one.
//!
//! A *grower* is a process that has searches to be made, a *worker* one that has engines for them;
//! a NATS server is between them. [`FleetEngines`] are a grower's engines, here and there; [`work`]
//! is a worker. The broker carries, but its memory is never relied on: what it loses is sent again.
//! `docs/fleet.md` has the contract.
//!
//! `message`, `checking`, `grower/jobs`, `grower/long`, `worker/held` and `trust` know neither a
//! connection nor a clock; only `nats` knows the broker.
#![deny(clippy::indexing_slicing)]

mod checking;
mod grower;
mod link;
mod message;
mod nats;
mod report;
mod subjects;
mod trust;
mod worker;

pub use grower::{FleetEngines, FleetPlan};
pub use link::{Connection, GrowerCommand, GrowerEvent, Link, WorkerCommand, WorkerEvent};
pub use message::{GrowerState, MessageError, Token, WorkerState, decode, encode};
pub use nats::{Access, FleetError, FleetSnapshot, Login, Tls, grower_link, listen, worker_link};
pub use report::FleetReport;
pub use worker::{Hours, WorkerNews, WorkerPlan, work};

use deepanalyze_engine::Pool;

/// The name of an engine's build with its options, and of the version of messages: only workers
/// with the same name serve a grower.
pub fn engine_token(pool: &Pool) -> Token {
    let (profile, build) = (pool.profile(), pool.build());
    // Programs of another version read other queues.
    let version = message::VERSION.to_string();
    let options = profile.options.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]);
    let parts = [version.as_str(), profile.engine.as_str()].into_iter().chain(options);
    Token::digest(parts.chain(build.iter().map(String::as_str)))
}
