//! The rows of a tree in the store, and when they are written.

use std::time::Instant;

use crate::tree_rows::TreeRows;
use deepanalyze_core::directives::Directives;
use deepanalyze_core::tree::Growth;
use deepanalyze_engine::Engines;
use deepanalyze_report::BestLine;
use deepanalyze_store::{AnalysisId, Store, StoreError};

/// A tree's rows are written again once so many times the last writing's duration have passed: a
/// large tree's take a while.
const WRITE_PAUSE: u32 = 10;

/// What has become of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// They are those of the tree, or stay behind it for a while.
    Tree,
    /// They are, and have taken the place of another tree's.
    AnotherTree,
    /// Answers were taken back since the tree was read: it is void, and nothing is written.
    Void,
}

/// The tree's rows in the store, and when they were written.
pub struct RowWriter {
    /// None where the tree is not kept.
    pub(super) tree_rows: Option<TreeRows>,
    /// When they may be written again.
    pub(super) due: Instant,
    /// Whether the tree is still being grown again from answers that are there: until it is as large as it
    /// can be without an engine, the kept tree stays, which was grown under other directives.
    pub(super) catches_up: bool,
}

impl RowWriter {
    /// The rows of a tree as they were read just now.
    pub fn new(tree_rows: TreeRows, now: Instant) -> RowWriter {
        RowWriter { tree_rows: Some(tree_rows), due: now, catches_up: false }
    }

    /// A tree that is not kept has none.
    pub fn none(now: Instant) -> RowWriter {
        RowWriter { tree_rows: None, due: now, catches_up: false }
    }

    /// The rows of a tree that is grown again under other directives, in place of these.
    pub fn replaced(
        &self,
        analysis: AnalysisId,
        directives: Directives,
        now: Instant,
    ) -> RowWriter {
        let passes = self.tree_rows.as_ref().map_or(0, TreeRows::passes);
        let rows = TreeRows::in_place_of(analysis, passes, directives);
        RowWriter { tree_rows: Some(rows), due: now, catches_up: true }
    }

    /// The tree has come to where it wants an engine, or to its end.
    pub fn has_caught_up(&mut self) {
        self.catches_up = false;
    }

    /// Notes what the pass that has settled a depth has made of the root.
    pub fn note_settled(&mut self, growth: &Growth) {
        if let Some(rows) = &mut self.tree_rows {
            rows.note_settled(growth);
        }
    }

    /// Notes what the passes so far have made of the root.
    pub fn note(&mut self, growth: &Growth, best: Option<&BestLine>) {
        let first = best.and_then(|best| best.moves.first().map(|uci| (*uci, best.value)));
        if let Some(rows) = &mut self.tree_rows {
            rows.note(growth, first);
        }
    }

    /// Writes what the rows lack of a tree that was read when answers had been taken back so often.
    pub(super) fn write(
        &mut self,
        store: &mut Store,
        growth: &mut Growth,
        clock: &dyn Engines,
        taken_back: u64,
    ) -> Result<Written, StoreError> {
        let rows = self.tree_rows.as_mut().filter(|rows| !rows.has(growth));
        let Some(rows) = rows.filter(|_| !self.catches_up) else {
            let is_void = store.times_taken_back()? != taken_back;
            return Ok(if is_void { Written::Void } else { Written::Tree });
        };
        let (is_another_tree, began) = (rows.replaces(), clock.now());
        if !rows.commit(store, growth, taken_back)? {
            return Ok(Written::Void);
        }
        let ended = clock.now();
        self.due = ended + ended.saturating_duration_since(began) * WRITE_PAUSE;
        Ok(if is_another_tree { Written::AnotherTree } else { Written::Tree })
    }
}
