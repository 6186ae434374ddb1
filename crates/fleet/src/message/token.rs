//! Names that may stand in a subject.

use std::fmt;

use serde::{Deserialize, Serialize};

use deepanalyze_core::secrets::random_word;

/// The longest token, in letters.
const LONGEST: usize = 64;

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
        let kept: String = kept.take(LONGEST - 10).collect();
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
        let fits = (1..=LONGEST).contains(&text.len()) && text.chars().all(is_allowed);
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
