//! A tree in one file: text for people, JSON, CSV, EPD, an opening book.

mod csv;
mod epd;
mod json;
mod polyglot;
mod text;

pub use csv::write_csv;
pub use epd::write_epd;
pub use json::write_json;
pub use polyglot::write_polyglot;
pub use text::write_text;
