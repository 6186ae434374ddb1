//! The roots of a database as people list them.

use std::collections::{HashMap, HashSet};

use crate::analysis::kept::{StageVerdict, Stages};
use deepanalyze_core::chess::Game;
use deepanalyze_store::{AnalysisId, AnalysisRow, RootNote, Store, StoreError};

use super::latest::{LatestVerdict, latest_verdict};

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

/// What is known of all roots of a database beside their analyses, read at once.
#[derive(Debug)]
pub struct RootNotes {
    said: HashMap<AnalysisId, RootNote>,
    growing: HashSet<AnalysisId>,
}

impl RootNotes {
    /// Reads them.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn read(store: &Store) -> Result<RootNotes, StoreError> {
        Ok(RootNotes { said: store.root_notes()?, growing: store.growing() })
    }

    /// What is said of the root of some stages.
    pub fn of(&self, stages: &Stages) -> RootNote {
        RootNote::of(&self.said, stages.rows().iter().map(|row| row.id))
    }

    /// Whether any of them is being grown.
    pub fn are_growing(&self, stages: &Stages) -> bool {
        stages.rows().iter().any(|row| self.growing.contains(&row.id))
    }
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
    /// What the stages of a root have come to; none where there is no stage.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn of(
        store: &Store,
        stages: &Stages,
        notes: &RootNotes,
    ) -> Result<Option<ListedRoot>, StoreError> {
        let Some(row) = stages.speaking().cloned() else {
            return Ok(None);
        };
        let game = row.game();
        let changed_at = stages.rows().iter().map(|row| row.changed_at).max();
        Ok(Some(ListedRoot {
            verdict: latest_verdict(store, row.id)?,
            name: notes.of(stages).name,
            game,
            changed_at: changed_at.unwrap_or(row.changed_at),
            is_growing: notes.are_growing(stages),
            row,
        }))
    }
}
