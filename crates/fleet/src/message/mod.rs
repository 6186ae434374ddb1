//! Messages of growers and workers: JSON with a version, of bounded length.
//!
//! Anything else, or of another version, is refused with a reason and changes nothing. No message
//! has a time in it: the clocks of two machines are never compared.

mod bounds;
mod job;
mod long;
mod state;
mod token;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use bounds::plain;
pub use job::{Job, JobReply, LimitedSearch, Order, Outcome, moves_as_text};
pub use long::LongPart;
pub use state::{GrowerState, WorkerState};
pub use token::Token;

/// The version of all messages.
pub const VERSION: u32 = 4;

/// The longest message that is read, in bytes.
pub const LONGEST: usize = 256 * 1024;

/// Reason for refusal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// It is longer than any message.
    #[error("a message of {0} bytes; at most {LONGEST} are allowed")]
    TooLong(usize),
    /// The sender has another program version.
    #[error("a message of version {0}; this program speaks version {VERSION}")]
    Version(u32),
    /// It is no message.
    #[error("no message: {0}")]
    Garbage(String),
}

/// A message and its version.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<T> {
    v: u32,
    m: T,
}

/// The version of a message, whatever its contents.
#[derive(Deserialize)]
struct VersionOf {
    v: u32,
}

/// Writes a message.
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    // Cannot fail: a message has no map with keys other than texts.
    serde_json::to_vec(&Envelope { v: VERSION, m: message }).unwrap_or_default()
}

/// Reads a message.
///
/// # Errors
///
/// [`MessageError`] if it is not of this kind and version.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, MessageError> {
    if bytes.len() > LONGEST {
        return Err(MessageError::TooLong(bytes.len()));
    }
    let garbage = |error: serde_json::Error| MessageError::Garbage(plain(&error.to_string()));
    let VersionOf { v } = serde_json::from_slice(bytes).map_err(garbage)?;
    if v != VERSION {
        return Err(MessageError::Version(v));
    }
    serde_json::from_slice(bytes).map(|read: Envelope<T>| read.m).map_err(garbage)
}

#[cfg(test)]
mod tests;
