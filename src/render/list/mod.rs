//! What a database holds: a line for each root for people, an object for each for programs.

mod apart;
mod json;
mod long;
mod table;

use crate::analysis::{LatestVerdict, StageVerdict};
use crate::chess::Game;
use crate::store::AnalysisRow;

pub use json::write_list_json;
pub use long::write_analysis;
pub use table::write_list;

/// The stages of a root, and what the one that speaks says.
#[derive(Debug)]
pub struct ListedRoot {
    /// The one that speaks.
    pub row: AnalysisRow,
    /// Its verdict.
    pub verdict: LatestVerdict,
    /// The game up to the root, where its moves can be played.
    pub game: Option<Game>,
    /// What the user, or the file that it came from, calls it.
    pub name: Option<String>,
    /// The last change of any stage, in milliseconds since 1970, UTC.
    pub changed_at: i64,
    /// Whether any stage is being grown.
    pub is_growing: bool,
}

/// The same with what programs want to know of it.
#[derive(Debug)]
pub struct WithStages {
    /// The root.
    pub root: ListedRoot,
    /// Its stages, where there are several.
    pub stages: Vec<StageVerdict>,
    /// What the answers in the tree of the one that speaks have cost the engines.
    pub engine_time_ms: u64,
}

impl ListedRoot {
    /// What it is called, whether it has a name or not.
    pub fn called(&self) -> String {
        let described = || self.game.as_ref().map(super::describe_root);
        self.name.clone().or_else(described).unwrap_or_else(|| self.row.root.clone())
    }
}
