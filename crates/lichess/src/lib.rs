//! An engine for the analysis board of Lichess: its broker asks for positions, and gets what the tree says.
//!
//! What is known of the protocol stands in [`api`] alone; what analyses is a session behind a plain function.
#![deny(clippy::indexing_slicing)]

pub mod api;
mod broker;
mod error;
mod feed;
mod http;
mod provider;
mod question;
mod work;
mod working;

pub use api::{Addresses, Registration};
pub use broker::{Blocks, Broker, LichessBroker, register};
pub use error::LichessError;
pub use http::Http;
pub use work::{LichessEngine, work};
pub use working::Say;
