//! An engine for the analysis board of Lichess: its broker asks for positions, and gets the tree's
//! lines.
//!
//! Only [`api`] knows the protocol; a session behind a plain function analyses.
#![deny(clippy::indexing_slicing)]

pub mod api;
mod error;
mod feed;
mod http;
mod provider;
mod question;
mod work;
mod working;

pub use api::{Addresses, Registration};
pub use error::LichessError;
pub use http::{Blocks, Broker, Http, LichessBroker, register};
pub use work::{LichessEngine, work};
pub use working::Say;
