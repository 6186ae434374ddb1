//! The turns of all roots, stage by stage; roots with nothing left to do are not read again.

use deepanalyze_core::chess::Ending;
use deepanalyze_core::search::Limit;
use deepanalyze_store::{AnalysisKind, AnalysisRow, StoreError};
use deepanalyze_view::load_tree;

use crate::control::limits::RunLimits;
use crate::feed::event::RunEvent;
use crate::job::Job;
use crate::outcome::{RunEnd, RunError, RunOutcome};
use crate::recheck::part;
use crate::stage::{exhausted, grow_stage};
use crate::watched::UntilStable;

use super::turn::{JobOutcome, Turn};
use super::{GrowLoop, profile_of};

/// Engines that fail at this many roots in a row, and never answer in between, fail at all of them.
const HOPELESS: usize = 3;

impl GrowLoop<'_, '_> {
    /// Stage after stage, until every root has had its last turn, or something ends the run.
    pub(super) fn trees(&mut self, turns: &mut [Turn<'_>]) -> Result<(), RunError> {
        self.invalidations = self.work.store.invalidations()?;
        let mut stage = None;
        while let Some(first) = turns.iter().find(|turn| !turn.is_last) {
            let limit = first.limit();
            if stage.replace(limit) != Some(limit) {
                self.stage_begins(limit, first.job.schedule.has_stages())?;
            }
            let mut open: Vec<_> = turns.iter_mut().filter(|turn| !turn.is_last).collect();
            let mut left = open.len();
            let mut are_void = false;
            for turn in &mut open {
                are_void |= self.turn(turn, left)?;
                left -= 1;
            }
            if self.ending != RunEnd::Settled {
                return Ok(());
            }
            if are_void {
                turns.iter_mut().for_each(Turn::reopen);
                stage = None;
            }
            self.invalidations = self.work.store.invalidations()?;
        }
        Ok(())
    }

    /// Gives each root without a verdict its first one, from the time of the closing searches: they
    /// need a tree.
    pub(super) fn first_verdicts(&mut self, turns: &mut [Turn<'_>]) -> Result<(), RunError> {
        self.work.progress.budget.limit(self.limits);
        let mut bare: Vec<_> = turns.iter_mut().filter(|turn| turn.has_no_verdict()).collect();
        if !self.are_many || self.ending != RunEnd::Limit || bare.is_empty() {
            return Ok(());
        }
        self.ending = RunEnd::Settled;
        for turn in &mut bare {
            self.turn(turn, usize::MAX)?;
            if self.ending != RunEnd::Settled {
                return Ok(());
            }
        }
        self.ending = RunEnd::Limit;
        Ok(())
    }

    fn stage_begins(&mut self, limit: Limit, has_stages: bool) -> Result<(), RunError> {
        self.turn_to_stage(limit)?;
        if has_stages {
            (self.work.tell)(RunEvent::StageBegins(limit));
        }
        if self.are_many {
            let mut done = 0;
            for job in self.jobs {
                done += usize::from(self.settled(job)?.is_some());
            }
            (self.work.tell)(RunEvent::DoneBefore(done));
        }
        Ok(())
    }

    fn turn_to_stage(&mut self, limit: Limit) -> Result<(), StoreError> {
        if limit != self.limit {
            self.profile = profile_of(limit, self.work.store, self.work.engines)?;
            self.limit = limit;
        }
        Ok(())
    }

    /// The turn of a root in its stage, followed by a closing search if the job has them. It is one
    /// of `of` turns that share the time left. True if trees whose answers were invalidated are to
    /// be grown again.
    fn turn(&mut self, turn: &mut Turn<'_>, of: usize) -> Result<bool, RunError> {
        self.turn_to_stage(turn.limit())?;
        if self.are_many {
            if let Some(done) = self.done_before(turn)? {
                turn.take(done);
                turn.advance();
                turn.is_last |= turn.is_exhausted;
                return Ok(self.are_void(turn)?);
            }
            if self.must_end() {
                turn.take(JobOutcome::Left);
                return Ok(false);
            }
        }
        let time = part(self.work.progress.budget.left(self.work.engines.now()), of).time;
        self.begin(
            turn,
            RunLimits { time: time.filter(|_| self.are_many), ..RunLimits::default() },
        );
        // A part of the time too short for one search would leave a root without a verdict.
        if self.are_many && turn.limits.time.is_none() && turn.has_no_verdict() {
            self.work.progress.budget.grant_verdict();
        }
        let (grown, searches) = (self.grow(turn), turn.spent.searches);
        self.pause(turn);
        turn.take(self.came_to(grown, turn.spent.searches > searches)?);
        if self.are_many {
            let outcome = match &turn.outcome {
                Some(JobOutcome::Grown(outcome)) => Some(Ok(outcome.clone())),
                Some(JobOutcome::Failed(error)) => Some(Err(error.to_string())),
                _ => None,
            };
            let told = outcome.map(|outcome| RunEvent::RootEnds { index: turn.index, outcome });
            told.into_iter().for_each(|event| (self.work.tell)(event));
        }
        let are_void = self.are_void(turn)?;
        // If disturbed or unfinished, it has the same stage once more.
        let is_whole = turn.grown().is_some_and(|grown| grown.goes_deeper()) && !are_void;
        if is_whole && !self.close_stage(turn)? {
            turn.advance();
        }
        Ok(are_void)
    }

    /// True if answers were invalidated that other trees may use. A single tree was read again.
    fn are_void(&self, turn: &Turn<'_>) -> Result<bool, StoreError> {
        let are_others = self.jobs.len() > 1 || !turn.is_in_first_stage();
        Ok(are_others && self.work.store.invalidations()? != self.invalidations)
    }

    fn grow(&mut self, turn: &mut Turn<'_>) -> Result<RunOutcome, RunError> {
        let before = self.moment();
        let depth = self.depth(turn.job);
        let grown = grow_stage(turn.job, self.limit, depth, turn.stage_before(), &mut self.work);
        turn.has_begun = true;
        // While the engines worked for others, the tree has not grown.
        let now = self.moment();
        let time = now.0.saturating_duration_since(before.0);
        let worked = now.1.saturating_sub(before.1);
        turn.unclosed += time.min(worked);
        grown
    }

    /// The outcome of a turn; an error if the others fail, too.
    fn came_to(
        &mut self,
        grown: Result<RunOutcome, RunError>,
        has_answers: bool,
    ) -> Result<JobOutcome, RunError> {
        match grown {
            Ok(outcome) => {
                self.failures = 0;
                let is_spent = self.work.progress.budget.is_spent(self.work.engines.now());
                self.ending = match outcome.ending {
                    // A limit of this root alone ends nothing else.
                    RunEnd::Limit if !is_spent => RunEnd::Settled,
                    RunEnd::Stable => RunEnd::Settled,
                    ending => ending,
                };
                Ok(JobOutcome::Grown(Box::new(outcome)))
            }
            // Another run has it: no fault of the engines.
            Err(error @ RunError::Store(StoreError::Growing { .. })) => {
                Ok(JobOutcome::Failed(error))
            }
            // The other roots may succeed.
            Err(RunError::Engine(error)) if error.is_given_up() => {
                let error = RunError::Engine(error);
                self.failures = if has_answers { 0 } else { self.failures + 1 };
                if self.failures >= HOPELESS {
                    return Err(error);
                }
                Ok(JobOutcome::Failed(error))
            }
            Err(error) => Err(error),
        }
    }
}

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
