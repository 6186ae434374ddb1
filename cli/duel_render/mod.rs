//! A duel, as text and as JSON.

mod alternatives_json;
mod alternatives_text;
mod fleet_json;
mod fleet_objects;
mod fleet_text;
mod head;
mod json;
mod objects;
mod text;
mod words;

pub use alternatives_json::write_alternatives_duel_json;
pub use alternatives_text::write_alternatives_duel;
pub use fleet_json::write_fleet_duel_json;
pub use fleet_text::write_fleet_duel;
pub use head::DuelFacts;
pub use json::write_duel_json;
pub use text::write_duel;
