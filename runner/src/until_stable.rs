//! Ending a run where its verdict is stable enough.

use shakmaty::uci::UciMove;

use deepanalyze_core::tree::{Growth, root_moves};
use deepanalyze_report::{Percent, Stages, Stays, VerdictsSoFar};
use deepanalyze_store::{AnalysisId, Store, StoreError};

/// How stable the verdict of a stage is, and how stable it is to be.
#[derive(Debug)]
pub struct UntilStable {
    least: Percent,
    so_far: VerdictsSoFar,
}

impl UntilStable {
    /// Of a stage as the store has it under the present directives; nothing where a deeper stage of its root speaks
    /// already, or where it is none of the stages whose chance is known.
    pub fn of(
        store: &Store,
        analysis: AnalysisId,
        least: Percent,
    ) -> Result<Option<UntilStable>, StoreError> {
        store.at_one_moment(|| {
            let Some(row) = store.analysis(analysis)? else { return Ok(None) };
            let Some(game) = row.game() else { return Ok(None) };
            let directives = store.directives(&game)?.of_tree();
            let stages = Stages::of(store, row.clone())?;
            let so_far = VerdictsSoFar::of(store, &stages, &row, &directives)?;
            let is_as_said = store.grown_with(analysis)? == directives;
            let verdicts = if is_as_said { store.verdicts(analysis)? } else { Vec::new() };
            Ok(so_far.map(|so_far| UntilStable { least, so_far: so_far.with(&verdicts) }))
        })
    }

    /// The chance that is wanted.
    pub fn least(&self) -> Percent {
        self.least
    }

    /// The same where the tree is grown again from its root: what it has settled does not count.
    pub fn again(self) -> UntilStable {
        UntilStable { so_far: self.so_far.again(), ..self }
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

    /// Whether the verdict is as stable as it is to be, and this move still the best, or nothing else can be best.
    pub fn is_reached(&self, best: Option<UciMove>) -> bool {
        let stays = self.stays().filter(|stays| Some(stays.best) == best);
        self.so_far.is_alone() || stays.is_some_and(|stays| stays.chance >= self.least)
    }
}
