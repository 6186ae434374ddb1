//! One tree, written to any [`std::io::Write`]: text for people, JSON and PGN for programs.
#![deny(clippy::indexing_slicing)]

mod annotated;
mod json;
mod movetext;
mod nag;
mod pgn;
mod report;
mod text;

pub use annotated::{AnnotatedGame, write_annotated};
pub use json::write_json;
pub use pgn::write_pgn;
pub use report::{LineError, PointOfView, Report, after, seen};
pub use text::{describe_profile, numbered_line, write_text};
