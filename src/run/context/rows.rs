//! The rows of a tree in the store, and when they are written.

use std::time::Instant;

use crate::analysis::BestLine;
use crate::directives::Directives;
use crate::engine::Engines;
use crate::run::tree_rows::TreeRows;
use crate::store::{AnalysisId, Store, StoreError};
use crate::tree::Growth;

/// A tree's rows are written again once so many times the last writing's duration have passed: a
/// large tree's take a while.
const WRITE_PAUSE: u32 = 10;

/// The tree's rows in the store, and when they were written.
pub struct RowWriter {
    pub(super) tree_rows: TreeRows,
    /// When they may be written again.
    pub(super) due: Instant,
    /// Whether the tree is still being grown again from answers that are there: until it is as large as it
    /// can be without an engine, the kept tree stays, which was grown under other directives.
    pub(super) catches_up: bool,
}

impl RowWriter {
    /// The rows of a tree as they were read just now.
    pub fn new(tree_rows: TreeRows, now: Instant) -> RowWriter {
        RowWriter { tree_rows, due: now, catches_up: false }
    }

    /// The rows of a tree that is grown again under other directives, in place of these.
    pub fn replaced(
        &self,
        analysis: AnalysisId,
        directives: Directives,
        now: Instant,
    ) -> RowWriter {
        let rows = TreeRows::in_place_of(analysis, self.tree_rows.passes(), directives);
        RowWriter { tree_rows: rows, due: now, catches_up: true }
    }

    /// The tree has come to where it wants an engine, or to its end.
    pub fn has_caught_up(&mut self) {
        self.catches_up = false;
    }

    /// Notes what the pass that has settled a depth has made of the root.
    pub fn note_settled(&mut self, growth: &Growth) {
        self.tree_rows.note_settled(growth);
    }

    /// Notes what the passes so far have made of the root.
    pub fn note(&mut self, growth: &Growth, best: Option<&BestLine>) {
        let first = best.and_then(|best| best.moves.first().map(|uci| (*uci, best.value)));
        self.tree_rows.note(growth, first);
    }

    pub(super) fn write(
        &mut self,
        store: &mut Store,
        growth: &mut Growth,
        clock: &dyn Engines,
    ) -> Result<(), StoreError> {
        let began = clock.now();
        self.tree_rows.commit(store, growth)?;
        let ended = clock.now();
        self.due = ended + ended.saturating_duration_since(began) * WRITE_PAUSE;
        Ok(())
    }
}
