//! Ending a run where its verdict is stable enough.

use crate::analysis::{Percent, Stages, Stays, VerdictsSoFar};
use crate::store::{AnalysisId, Store, StoreError, Verdict};
use crate::tree::{Growth, root_moves};

/// How stable the verdict of a stage is, and how stable it is to be.
#[derive(Debug)]
pub struct UntilStable {
    least: Percent,
    so_far: VerdictsSoFar,
}

impl UntilStable {
    /// Of a stage as the store has it; nothing where a deeper stage of its root speaks already, or where no chance is
    /// known of searches like its own.
    pub fn of(
        store: &Store,
        analysis: AnalysisId,
        least: Percent,
    ) -> Result<Option<UntilStable>, StoreError> {
        let Some(row) = store.analysis(analysis)? else { return Ok(None) };
        let stages = Stages::of(store, row.clone())?;
        let own = stages.rows().iter().position(|stage| stage.id == analysis);
        let speaking = stages.speaking().map(|speaking| speaking.id);
        let speaking = stages.rows().iter().position(|stage| Some(stage.id) == speaking);
        if own < speaking {
            return Ok(None);
        }
        let verdicts: Vec<Verdict> = store.verdicts(analysis)?;
        let so_far = VerdictsSoFar::of(store, &stages, &row, &verdicts)?;
        Ok(so_far.map(|so_far| UntilStable { least, so_far }))
    }

    /// The tree is grown again from its root.
    pub fn begin_again(&mut self) {
        self.so_far.begin_again();
    }

    /// Takes in the depth that a tree has settled.
    pub fn settled(&mut self, growth: &Growth) {
        if let Some(settled) = growth.settled().last() {
            let moves = root_moves(growth.graph(), growth.values(), growth.root());
            self.so_far.settle(settled.depth, &moves);
        }
    }

    /// The chance that the best move stays.
    pub fn stays(&self) -> Option<Stays> {
        self.so_far.stays()
    }

    /// Whether the verdict is as stable as it is to be.
    pub fn is_reached(&self) -> bool {
        self.stays().is_some_and(|stays| stays.chance >= self.least)
    }
}
