//! An answer to a client: words for people, data for programs.

use serde::Serialize;
use serde_json::{Value, json};

/// An answer.
#[derive(Debug)]
pub struct Told {
    /// In plain words.
    pub text: String,
    /// As data, with sources.
    pub data: Value,
    /// A picture, as SVG.
    pub picture: Option<String>,
}

/// An answer, or an error that says which call would be right.
pub type Answer = Result<Told, String>;

impl Told {
    /// Words and data.
    pub fn new(text: String, data: impl Serialize) -> Told {
        Told { text, data: value(data), picture: None }
    }

    /// With a line more of text.
    pub fn with_line(mut self, line: &str) -> Told {
        self.text.extend(["\n", line]);
        self
    }
}

/// Data as JSON.
pub fn value(data: impl Serialize) -> Value {
    serde_json::to_value(data).unwrap_or_else(|error| json!({ "error": error.to_string() }))
}

/// An error in words.
pub fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}
