//! An engine for the analysis board of Lichess: its broker asks for positions, and gets what the tree says.
//!
//! What is known of the protocol stands in [`api`] alone; what analyses stands behind [`Analyst`].
#![deny(clippy::indexing_slicing)]

mod analyst;
pub mod api;
mod backoff;
mod block;
mod broker;
mod error;
mod feed;
mod http;
mod provider;
mod question;
mod registration;
mod session;
mod working;

pub use analyst::{Analysing, Analyst};
pub use api::Addresses;
pub use broker::{Broker, LichessBroker, Lines};
pub use error::LichessError;
pub use http::Http;
pub use provider::{Notice, Provider, Tell, patiently};
pub use question::{Goal, Question, Refusal};
pub use registration::{Registered, Registration, register};
