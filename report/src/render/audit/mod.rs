//! What the tree says of a repertoire.

mod json;
mod text;
mod words;

pub use json::write_audit_json;
pub use text::write_audit;
pub use words::FindingWords;

use shakmaty::Color;

use crate::analysis::KeptTree;
use deepanalyze_core::directives::Audit;

/// A repertoire as a tree sees it.
#[derive(Debug)]
pub struct Audited<'a> {
    /// The tree.
    pub tree: &'a KeptTree,
    /// Whose repertoire it is.
    pub side: Color,
    /// Own moves that lose more than so many centipawns are findings.
    pub most_lost: u32,
    /// What was found.
    pub audit: &'a Audit,
}

impl Audited<'_> {
    /// Whether moves are included at the root: without any there is no repertoire.
    fn has_moves(&self) -> bool {
        self.audit.positions > 1
    }
}
