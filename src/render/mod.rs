//! One tree, written to any [`std::io::Write`]: text for people, JSON and PGN for programs, a web page to walk in.
#![deny(clippy::indexing_slicing)]

mod html;
mod json;
mod pgn;
mod report;
mod text;

pub use html::write_html;
pub use json::write_json;
pub use pgn::write_pgn;
pub use report::{LineError, PointOfView, Report};
pub use text::{describe_profile, numbered_line, write_text};
