//! Directives on positions of a root: excluded and included moves, values, stops and notes
//! (ALGORITHM, section 6).
//!
//! Pure: a set of directives, refusals, and the file that holds a set. The tree takes them as
//! [`Wishes`](crate::tree::Wishes), the store keeps them.
#![deny(clippy::indexing_slicing)]

mod audit;
mod dates;
mod file;
mod refusal;
mod set;
mod skeleton;
mod written;

use serde::Deserialize;

use crate::chess::GivenValue;

pub use audit::{Audit, Finding, FindingKind, IncludedPositions, audit, cost, included_positions};
pub use dates::{Dates, Moves};
pub use file::{DirectivesFile, FileError, read_set};
pub use refusal::Refusal;
pub use set::{Directive, Directives, Said, parse_value};
pub use skeleton::{BadGames, Skeleton, SkeletonError};
pub use written::{Chapter, Written, WrittenMove};

/// A change of the directives along a line of moves. In JSON only its name: a value and a text
/// stand beside it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(inline, transform = names))]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// Exclude the last move.
    Exclude,
    /// Include the moves.
    Include,
    /// Give the position behind the line a value.
    Value(#[serde(skip)] GivenValue),
    /// Stop at the position behind the line.
    Stop,
    /// Write a note on the position behind the line; an empty text removes its note.
    Note(#[serde(skip)] String),
    /// Undo the directives on the last move and on the position behind it.
    Undo,
}

/// Reduces a schema of variants to the names.
#[cfg(feature = "contract")]
fn names(schema: &mut schemars::Schema) {
    let variants = schema.remove("oneOf").unwrap_or_default();
    let name =
        |one: &serde_json::Value| one.get("const").or_else(|| one.pointer("/required/0")).cloned();
    let names: Vec<_> = variants.as_array().into_iter().flatten().filter_map(name).collect();
    schema.insert("type".to_owned(), "string".into());
    schema.insert("enum".to_owned(), names.into());
}
