//! Moves that people play: how likely each is for players of one rating, by a net and without a
//! search.
//!
//! The nets are those named Maia, of CSSLab (McIlroy-Young, Sen, Kleinberg, Anderson: "Aligning
//! Superhuman AI with Human Behavior", KDD 2020), as files of Lc0: [`Net`] reads one. A net sees a
//! position with the boards before it, a [`Past`], and answers with a [`Prediction`].
#![deny(clippy::indexing_slicing)]

mod cells;
mod error;
mod file;
mod layers;
mod net;
mod past;
mod planes;
mod prediction;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;

pub use error::{Fault, NetError};
pub use net::Net;
pub use past::Past;
pub use prediction::{Prediction, permille};
