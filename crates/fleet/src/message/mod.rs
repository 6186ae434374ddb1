//! Messages of growers and workers: JSON with a version, of bounded length.
//!
//! Anything else, or of another version, is refused with a reason and changes nothing. No message
//! has a time in it: the clocks of two machines are never compared. Names may
//! stand in a subject.

mod bounds;
mod job;
mod state;

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use deepanalyze_core::secrets::random_word;

pub use bounds::plain;
pub use job::{Job, JobReply, LimitedSearch, LongPart, Order, Outcome, moves_as_text};
pub use state::{GrowerState, WorkerState};

/// The version of all messages.
pub const VERSION: u32 = 5;

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

/// The longest token, in letters.
const LONGEST_TOKEN: usize = 64;

/// A name of letters, digits, `-` and `_`, so that it is one word of a subject.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Token(String);

impl Token {
    /// A unique name.
    ///
    /// # Errors
    ///
    /// If the system has no randomness.
    pub fn random() -> std::io::Result<Token> {
        random_word(8).map(Token)
    }

    /// A name as close to a text as it may be, with a random end.
    ///
    /// # Errors
    ///
    /// If the system has no randomness.
    pub fn like(text: &str) -> std::io::Result<Token> {
        let kept = text.chars().map(|letter| if is_allowed(letter) { letter } else { '-' });
        let kept: String = kept.take(LONGEST_TOKEN - 10).collect();
        Ok(Token(format!("{kept}-{}", random_word(3)?)))
    }

    /// The name of these parts, the same everywhere.
    pub fn digest<'a>(parts: impl IntoIterator<Item = &'a str>) -> Token {
        use sha2::{Digest, Sha256};
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part.len().to_le_bytes());
            hash.update(part.as_bytes());
        }
        Token(hash.finalize().iter().take(10).map(|byte| format!("{byte:02x}")).collect())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_allowed(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '-' || letter == '_'
}

impl TryFrom<String> for Token {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Token, Self::Error> {
        let fits = (1..=LONGEST_TOKEN).contains(&text.len()) && text.chars().all(is_allowed);
        if fits {
            Ok(Token(text))
        } else {
            Err("a name of 1 to 64 letters, digits, - and _ is wanted")
        }
    }
}

impl From<Token> for String {
    fn from(token: Token) -> String {
        token.0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests;
