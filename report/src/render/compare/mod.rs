//! Two analyses side by side, as text and as JSON.

mod json;
mod text;

use crate::analysis::Comparison;
use deepanalyze_core::chess::Game;
use deepanalyze_store::AnalysisRow;

pub use json::write_comparison_json;
pub use text::write_comparison;

/// A root with two analyses of it.
#[derive(Debug)]
pub struct Compared {
    /// Their rows.
    pub rows: [AnalysisRow; 2],
    /// The game up to the root.
    pub game: Game,
    /// What they say.
    pub comparison: Comparison,
}
