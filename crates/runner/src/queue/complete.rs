//! Roots with nothing left to do: they are not read again.

use deepanalyze_core::chess::Ending;
use deepanalyze_store::{AnalysisKind, AnalysisRow, StoreError};
use deepanalyze_view::load_tree;

use super::GrowLoop;
use super::turn::{JobOutcome, Turn};
use crate::error::RunError;
use crate::job::Job;
use crate::outcome::RunEnd;
use crate::stage::exhausted;
use crate::watched::UntilStable;

impl GrowLoop<'_, '_> {
    /// The outcome of a root with nothing left to do before its turn: it is over, or its depth was
    /// settled.
    pub(super) fn done_before(
        &mut self,
        turn: &mut Turn<'_>,
    ) -> Result<Option<JobOutcome>, RunError> {
        let job = turn.job;
        if let Some(ending) = Ending::of(job.game.root()) {
            return Ok(Some(JobOutcome::Over(ending)));
        }
        let Some(row) = self.settled(job)? else { return Ok(None) };
        let target = self.depth(job).max(row.settled_depth.unwrap_or(0));
        if row.target_depth != target {
            self.work.store.aim(row.id, target)?;
        }
        if let Some(name) = &job.name {
            self.work.store.suggest_name_of(row.id, name)?;
        }
        if self.is_stable(job, &row)? {
            return Ok(Some(JobOutcome::Before(RunEnd::Stable, Box::new(row))));
        }
        turn.is_exhausted = self.is_exhausted(turn, &row)?;
        Ok(Some(JobOutcome::Before(RunEnd::Settled, Box::new(row))))
    }

    /// True if the verdict of a tree settled before is as stable as the run wants it.
    fn is_stable(&self, job: &Job, row: &AnalysisRow) -> Result<bool, RunError> {
        let Some(least) = job.until_stable else { return Ok(false) };
        let stable = UntilStable::of(self.work.store, row.id, least)?;
        let settled = stable.as_ref().and_then(UntilStable::stays).map(|stays| stays.best);
        Ok(stable.is_some_and(|stable| stable.is_reached(settled)))
    }

    /// True if deeper stages would change nothing of a tree settled before. One that has a deeper
    /// stage already is not checked.
    fn is_exhausted(&self, turn: &Turn<'_>, row: &AnalysisRow) -> Result<bool, RunError> {
        let deeper = |other: &AnalysisRow| other.id > row.id && other.settings == row.settings;
        if !turn.job.schedule.has_stages()
            || self.work.store.analyses_of(&turn.job.game)?.iter().any(deeper)
        {
            return Ok(false);
        }
        let growth = load_tree(self.work.store, row.id)?.growth;
        let before = turn.stage_before().before;
        Ok(exhausted(self.work.store, before, Some(row.id), &growth)?.is_some())
    }

    /// The analysis of a root whose depth is settled under its present and requested directives.
    pub(super) fn settled(&self, job: &Job) -> Result<Option<AnalysisRow>, StoreError> {
        let rows = self.work.store.analyses_of(&job.game)?;
        let settings = job.tree.kept(self.work.store)?;
        let kind = AnalysisKind { profile: self.profile, settings };
        let depth = self.depth(job);
        let is_deep = |row: &AnalysisRow| row.settled_depth.is_some_and(|settled| settled >= depth);
        let settled = rows.into_iter().find(|row| row.kind() == kind && is_deep(row));
        let Some(row) = settled else {
            return Ok(None);
        };
        let directives = self.work.store.directives(&job.game)?;
        if job.directives.as_ref().is_some_and(|wanted| *wanted != directives) {
            return Ok(None);
        }
        if row.settings.tables.is_some() && row.fact_round < self.work.store.last_fact_round()? {
            return Ok(None);
        }
        Ok((!self.work.store.is_pending(row.id, &directives)?).then_some(row))
    }
}
