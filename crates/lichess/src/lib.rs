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

pub use api::{Addresses, Registration};
pub use error::LichessError;
pub use http::{Blocks, Broker, Http, LichessBroker, register};
pub use provider::Say;
pub use work::{LichessEngine, work};
