//! A tree in one file: text for people, JSON, CSV, EPD, an opening book.

mod closing;
mod csv;
mod epd;
mod head;
mod holds;
mod json;
mod known;
mod paragraphs;
mod polyglot;
mod text;
mod verdict;

pub use closing::ClosingObject;
pub use csv::write_csv;
pub use epd::write_epd;
pub use holds::{StabilityObject, describe_holds};
pub use json::write_json;
pub use polyglot::{included_and_left_out, write_polyglot};
pub use text::write_text;
pub use verdict::write_verdict;
