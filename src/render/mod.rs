//! One tree, written to any [`std::io::Write`]: text for people, the other formats for programs, a web
//! page to walk in.
#![deny(clippy::indexing_slicing)]

mod annotated;
mod change_words;
mod csv;
mod dot;
mod drawing;
mod duel;
mod duel_json;
mod epd;
mod figures;
mod fit;
mod html;
mod in_order;
mod json;
mod log;
mod log_json;
mod movetext;
mod nag;
mod pgn;
mod polyglot;
mod references;
mod report;
mod sheet;
mod stats;
mod stats_json;
mod svg;
mod text;
mod walk;
mod words;

pub use annotated::{AnnotatedGame, write_annotated};
pub use csv::write_csv;
pub use dot::write_dot;
pub use drawing::Drawing;
pub use duel::{DuelFacts, write_duel};
pub use duel_json::write_duel_json;
pub use epd::write_epd;
pub use html::write_html;
pub use json::write_json;
pub use log::{Log, write_log};
pub use log_json::write_log_json;
pub use pgn::write_pgn;
pub use polyglot::write_polyglot;
pub use report::{LineError, PointOfView, Report, seen};
pub use stats::{TreeFacts, write_stats};
pub use stats_json::write_stats_json;
pub use svg::write_svg;
pub use text::write_text;
pub use words::{
    after, count, describe_closing, describe_depth, describe_profile, describe_size, numbered_line,
    span, timestamp,
};
