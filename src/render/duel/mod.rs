//! A duel, as text and as JSON.

mod json;
mod objects;
mod text;
mod words;

pub use json::write_duel_json;
pub use text::{DuelFacts, write_duel};
