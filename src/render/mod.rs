//! One tree, written to any [`std::io::Write`]: text for people, JSON and PGN for programs, a web page to walk in.
#![deny(clippy::indexing_slicing)]

mod duel;
mod duel_json;
mod html;
mod json;
mod log;
mod log_json;
mod pgn;
mod report;
mod stats;
mod stats_json;
mod text;
mod verdict;

pub use duel::{DuelFacts, write_duel};
pub use duel_json::write_duel_json;
pub use html::write_html;
pub use json::write_json;
pub use log::{Log, timestamp, write_log};
pub use log_json::write_log_json;
pub use pgn::write_pgn;
pub use report::{LineError, PointOfView, Report};
pub use stats::{TreeFacts, write_stats};
pub use stats_json::write_stats_json;
pub use text::{describe_profile, numbered_line, write_text};
