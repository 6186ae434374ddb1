//! How far the roots of a batch have come.

use crate::control::limits::Spent;
use crate::grow::End;
use deepanalyze_store::AnalysisId;

use super::RootOutcome;

/// How far a root has come.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// What became of it in the last stage in which it had a turn.
    pub(super) outcome: Option<RootOutcome>,
    /// Its analysis in that stage.
    pub(super) analysis: Option<AnalysisId>,
    /// What this run has spent on it.
    pub(super) spent: Spent,
    /// Whether it is to have no other turn.
    pub(super) is_last: bool,
}

impl Turn {
    /// Its tree may be empty again: what was found out by it is open.
    pub(super) fn reopen(&mut self) {
        self.is_last &= matches!(self.outcome, Some(RootOutcome::Over(_) | RootOutcome::Failed(_)));
    }

    /// Takes what became of the root. Where it had no turn in this stage, what became of it before stands.
    pub(super) fn take(&mut self, outcome: RootOutcome) {
        match &outcome {
            RootOutcome::Left if self.outcome.is_some() => return,
            RootOutcome::Left => {}
            RootOutcome::Over(_) | RootOutcome::Failed(_) => self.is_last = true,
            RootOutcome::Done(row) => self.analysis = Some(row.id),
            RootOutcome::Stable(row) => (self.analysis, self.is_last) = (Some(row.id), true),
            RootOutcome::Grown(grown) => {
                self.analysis = grown.analysis.or(self.analysis);
                self.is_last |= grown.exhausted.is_some() || grown.ending == End::Stable;
            }
        }
        self.outcome = Some(outcome);
    }
}
