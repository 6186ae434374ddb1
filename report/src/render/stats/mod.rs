//! What a database and a tree have cost and take, as text and as JSON.

mod finds;
mod json;
mod text;

pub use json::write_stats_json;
pub use text::{TreeFacts, write_stats};
