//! The file that holds a set: `{"exclude": {EPD: [UCI, …]}, "include": …, "value": {EPD: centipawns for
//! White, or "draw"}, "stop": [EPD, …], "note": {EPD: "text"}}`, all keys optional.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shakmaty::Chess;

use crate::chess::{FenError, GivenValue, PositionKey, epd_of, parse_fen, parse_uci};

use super::refusal::Refusal;
use super::set::{Directive, Directives, Said};

/// Refusal of a whole file. Messages name the key and the position.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Not JSON, or not of this form.
    #[error("not a set of directives: {0}")]
    Json(#[from] serde_json::Error),
    /// A key is not a position.
    #[error("\"{key}\": {source}")]
    Position {
        /// The key in the file.
        key: &'static str,
        /// The error; its message has the EPD.
        source: FenError,
    },
    /// A word is not a move.
    #[error("\"{key}\", {epd}: {word:?} is not a move in UCI notation")]
    Notation {
        /// The key in the file.
        key: &'static str,
        /// The position.
        epd: String,
        /// The word.
        word: String,
    },
    /// The position has a value, a stop or a note already, under this or another spelling.
    #[error("\"{key}\", {epd}: the position is there twice")]
    Twice {
        /// The key in the file.
        key: &'static str,
        /// The position.
        epd: String,
    },
    /// Refused by section 6.
    #[error("\"{key}\", {epd}: {source}")]
    Refused {
        /// The key in the file.
        key: &'static str,
        /// The position.
        epd: String,
        /// The reason.
        source: Refusal,
    },
}

/// A set as a file has it: directives by the EPD of their position, moves in UCI notation.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DirectivesFile {
    /// Moves that are not searched.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    exclude: BTreeMap<String, Vec<String>>,
    /// Moves that are searched, whatever they score.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    include: BTreeMap<String, Vec<String>>,
    /// Notes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    note: BTreeMap<String, String>,
    /// Positions behind which nothing is searched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    stop: Vec<String>,
    /// Values of positions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    value: BTreeMap<String, GivenValue>,
}

/// Reads a set for a root.
///
/// # Errors
///
/// [`FileError`] at the first error: nothing of the file is taken then.
pub fn read_set(text: &str, root: &PositionKey) -> Result<Directives, FileError> {
    // A byte order mark, and padding at the end of a file.
    let text = text.trim_matches(['\u{feff}', '\u{1a}', '\0']);
    // A struct could be read from an array, too.
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text)?;
    let file: DirectivesFile = serde_json::from_str(text)?;
    let mut reading = SetReader { root, set: Directives::default() };
    for (epd, words) in &file.exclude {
        reading.moves("exclude", epd, words, Directive::Exclude)?;
    }
    for (epd, words) in &file.include {
        reading.moves("include", epd, words, Directive::Include)?;
    }
    for (epd, value) in &file.value {
        reading.add("value", epd, Directive::Value(*value))?;
    }
    for epd in &file.stop {
        reading.add("stop", epd, Directive::Stop)?;
    }
    for (epd, text) in &file.note {
        reading.add("note", epd, Directive::Note(text.clone()))?;
    }
    Ok(reading.set)
}

struct SetReader<'a> {
    root: &'a PositionKey,
    set: Directives,
}

impl SetReader<'_> {
    fn moves(
        &mut self,
        key: &'static str,
        epd: &str,
        words: &[String],
        directive: fn(shakmaty::uci::UciMove) -> Directive,
    ) -> Result<(), FileError> {
        for word in words {
            let uci = parse_uci(word).ok_or_else(|| FileError::Notation {
                key,
                epd: epd.to_owned(),
                word: word.clone(),
            })?;
            self.add(key, epd, directive(uci))?;
        }
        Ok(())
    }

    fn add(&mut self, key: &'static str, epd: &str, directive: Directive) -> Result<(), FileError> {
        let position: Chess =
            parse_fen(epd).map_err(|source| FileError::Position { key, source })?;
        let said = self.set.at(&PositionKey::of(&position));
        if said.is_some_and(|said| is_there(said, &directive)) {
            return Err(FileError::Twice { key, epd: epd.to_owned() });
        }
        self.set.add(self.root, &position, directive).map_err(|source| FileError::Refused {
            key,
            epd: epd.to_owned(),
            source,
        })
    }
}

/// True if a position has its one value, stop or note.
fn is_there(said: &Said, directive: &Directive) -> bool {
    match directive {
        Directive::Value(_) => said.value.is_some(),
        Directive::Stop => said.stop,
        Directive::Note(_) => said.note.is_some(),
        Directive::Exclude(_) | Directive::Include(_) => false,
    }
}

impl DirectivesFile {
    /// Converts a set; equal sets give equal bytes.
    pub fn of(set: &Directives) -> DirectivesFile {
        let mut file = DirectivesFile::default();
        for (key, said) in set.positions() {
            let epd = epd_of(&key.position());
            let words = |moves: &[shakmaty::uci::UciMove]| -> Vec<String> {
                moves.iter().map(ToString::to_string).collect()
            };
            if !said.exclude.is_empty() {
                file.exclude.insert(epd.clone(), words(&said.exclude));
            }
            if !said.include.is_empty() {
                file.include.insert(epd.clone(), words(&said.include));
            }
            if let Some(value) = said.value {
                file.value.insert(epd.clone(), value);
            }
            if said.stop {
                file.stop.push(epd.clone());
            }
            if let Some(note) = &said.note {
                file.note.insert(epd, note.clone());
            }
        }
        file.stop.sort();
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";

    fn root() -> PositionKey {
        PositionKey::of(&Chess::default())
    }

    #[test]
    fn a_set_that_was_written_is_read_back() {
        let text = format!(
            r#"{{"exclude":{{"{START}":["a2a3","h2h4"]}},"include":{{"{START}":["e2e4"]}},
            "value":{{"{E4}":-30}},"note":{{"{E4}":"the \"best\" move"}}}}"#
        );
        let set = read_set(&text, &root()).unwrap();
        assert_eq!(set.len(), 5);
        let padded = format!("\u{feff}{text}\n\u{1a}\0\0");
        assert_eq!(read_set(&padded, &root()).unwrap(), set);
        let written = DirectivesFile::of(&set);
        let json = |file: &DirectivesFile| serde_json::to_string(file).unwrap();
        assert_eq!(read_set(&json(&written), &root()).unwrap(), set);
        assert_eq!(written, serde_json::from_str(&text).unwrap());
        assert_eq!(json(&DirectivesFile::default()), "{}");
    }

    #[test]
    fn a_file_is_refused_whole_with_the_key_that_is_wrong() {
        let cases = [
            ("[]".to_owned(), "invalid type: sequence"),
            (r#"{"exlude": {}}"#.to_owned(), "unknown field `exlude`"),
            (r#"{"stop": ["8/8 w - -"]}"#.to_owned(), "\"stop\""),
            (format!(r#"{{"include": {{"{START}": ["e5"]}}}}"#), "\"e5\" is not a move"),
            (format!(r#"{{"include": {{"{START}": ["e2e5"]}}}}"#), "e2e5 is not legal there"),
            (
                format!(
                    r#"{{"exclude": {{"{START}": ["e2e4"]}}, "include": {{"{START}": ["e2e4"]}}}}"#
                ),
                "e4 is excluded there",
            ),
            (format!(r#"{{"stop": ["{START}"]}}"#), "the root cannot"),
            (format!(r#"{{"stop": ["{E4}", "{E4} 0 1"]}}"#), "is there twice"),
            (format!(r#"{{"note": {{"{E4}": "  "}}}}"#), "the note is empty"),
            (format!(r#"{{"value": {{"{E4}": 0}}, "stop": ["{E4}"]}}"#), "has a value"),
        ];
        for (text, expected) in cases {
            let error = read_set(&text, &root()).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
