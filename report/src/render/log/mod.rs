//! The history of a verdict, as text and as JSON.

mod json;
mod text;

pub use json::write_log_json;
pub use text::{Log, write_log};
