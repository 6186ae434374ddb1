//! Closing searches for the roots of a queue, and their shares of the time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use deepanalyze_engine::LongEnd;
use deepanalyze_store::StoreError;
use deepanalyze_view::{load_as_grown, told_verdict};

use super::turn::{JobOutcome, Turn};
use super::{ClosingWeights, GrowLoop};
use crate::closing::{ClosingOutcome, ClosingPlan, TreeToClose, close};
use crate::control::limits::RunLimits;
use crate::feed::event::RunEvent;
use crate::job::Job;
use crate::outcome::{RunEnd, RunError};

/// Outcome of a planned closing search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closed {
    /// It has come to its end, or the run is to end.
    Made,
    /// Nothing to search.
    Nothing,
    /// The run was paused meanwhile, or the tree redirected.
    Disturbed,
}

impl GrowLoop<'_, '_> {
    /// The closing search behind a stage, if the tree has grown long enough since the last; true if
    /// it was disturbed. The tree goes on if engines fail at it.
    pub(super) fn close_stage(&mut self, turn: &mut Turn<'_>) -> Result<bool, RunError> {
        let ending = turn.grown().map_or(RunEnd::Interrupted, |grown| grown.ending);
        let closing = self.closing_now(turn.job)?;
        let now = self.work.engines.now();
        let Some(end) = closing.after_stage(ending, turn.unclosed, now) else { return Ok(false) };
        let is_disturbed = match self.close(turn, end) {
            Ok(how) => how == Closed::Disturbed,
            Err(error) if self.is_of_one(&error) => {
                self.warn(turn, format!("the closing search failed: {error}; the tree goes on"));
                false
            }
            Err(error) => return Err(error),
        };
        turn.unclosed = Duration::ZERO;
        Ok(is_disturbed)
    }

    /// Makes the closing searches at the end; true if time is left for the trees.
    pub(super) fn close_all(
        &mut self,
        turns: &mut [Turn<'_>],
        weights: &ClosingWeights<'_>,
    ) -> Result<bool, RunError> {
        if self.ending == RunEnd::Interrupted {
            return Ok(false);
        }
        let is_shared = |turn: &Turn<'_>| turn.closing == ClosingPlan::SecondHalf;
        let weights = if self.are_many && turns.iter().any(is_shared) {
            let analyses: Vec<_> = turns.iter().map(Turn::analysis).collect();
            weights(self.work.store, &analyses)?
        } else {
            vec![1.0; turns.len()]
        };
        let until = self.closed_until(turns);
        let mut due: Vec<(&mut Turn<'_>, f64)> = turns.iter_mut().zip(weights).collect();
        due.retain(|(turn, weight)| match turn.closing {
            ClosingPlan::Asked(_) => true,
            // A single root without a tree is reported.
            ClosingPlan::SecondHalf => {
                let is_begun = !self.are_many || turn.analysis().is_some();
                *weight > 0.0 && is_begun && self.ending_of(turn) == RunEnd::Limit
            }
            ClosingPlan::None | ClosingPlan::Alternating => false,
        });
        due.sort_by(|one, other| other.1.total_cmp(&one.1));
        let mut left: f64 = due.iter().map(|(_, weight)| weight).sum();
        let mut have_all = !due.is_empty();
        for (turn, weight) in due {
            let now = self.work.engines.now();
            let part = weight / left;
            let until = until.map(|until| {
                if part < 1.0 {
                    now + until.saturating_duration_since(now).mul_f64(part)
                } else {
                    until
                }
            });
            left -= weight;
            if let Some(end) = turn.closing.at_the_end(self.ending_of(turn), until, now) {
                have_all &= self.close_at_the_end(turn, end)?;
            }
            if self.ending == RunEnd::Interrupted {
                return Ok(false);
            }
        }
        Ok(!have_all && until.is_some_and(|until| self.work.engines.now() < until))
    }

    /// The end of all closing searches of the second half: that of the whole time, and of what the
    /// trees have left of each root's own; `None` without any.
    fn closed_until(&self, turns: &[Turn<'_>]) -> Option<Instant> {
        let now = self.work.engines.now();
        let is_due = |turn: &&Turn<'_>| {
            turn.closing == ClosingPlan::SecondHalf && self.ending_of(turn) == RunEnd::Limit
        };
        let own = turns.iter().filter(is_due).map(|turn| {
            self.own_limits(turn.job).time.map(|time| time.saturating_sub(turn.spent.time))
        });
        let own: Option<Duration> = own.reduce(|all, one| Some(all? + one?))?;
        let of_all = self.limits.time.map(|time| self.work.progress.budget.began() + time);
        of_all.into_iter().chain(own.map(|left| now + left)).min()
    }

    /// How a root's tree has ended: once the whole time was up, that was its limit, too, unless
    /// deeper searches would change nothing.
    fn ending_of(&self, turn: &Turn<'_>) -> RunEnd {
        match &turn.outcome {
            Some(JobOutcome::Grown(grown)) if !grown.goes_deeper() => grown.ending,
            Some(JobOutcome::Before(end, _)) if turn.is_exhausted => *end,
            Some(JobOutcome::Over(_) | JobOutcome::Failed(_)) => RunEnd::Settled,
            Some(JobOutcome::Before(RunEnd::Stable, _)) => RunEnd::Stable,
            _ => self.ending,
        }
    }

    /// Makes the closing search of a root at the end; false if the trees can have its time
    /// otherwise.
    fn close_at_the_end(&mut self, turn: &mut Turn<'_>, end: LongEnd) -> Result<bool, RunError> {
        // Moves may have been included meanwhile.
        let closed = if turn.closing == self.closing_now(turn.job)? {
            self.close(turn, end)
        } else {
            Ok(Closed::Disturbed)
        };
        let is_of_time = turn.closing == ClosingPlan::SecondHalf;
        let why = match closed {
            Ok(Closed::Made) => return Ok(true),
            Ok(Closed::Nothing | Closed::Disturbed) if !is_of_time => return Ok(true),
            Ok(Closed::Disturbed) => return Ok(false),
            Ok(Closed::Nothing) => "no result in the first half of the time".to_owned(),
            Err(RunError::Engine(error)) if !is_of_time && turn.grown().is_some() => {
                turn.grown().into_iter().for_each(|grown| grown.failed = Some(error.clone()));
                return Ok(true);
            }
            Err(error) if self.is_of_one(&error) => format!("the closing search failed: {error}"),
            Err(error) => return Err(error),
        };
        let rest = if self.are_many { "" } else { "; using the remaining time for the tree" };
        self.warn(turn, format!("{why}{rest}"));
        Ok(false)
    }

    /// Makes and reports a closing search of the tree that counts.
    fn close(&mut self, turn: &mut Turn<'_>, end: LongEnd) -> Result<Closed, RunError> {
        let Some(tree) = self.tree_to_close(turn)? else {
            if self.work.engines.long_searches() == 0 {
                self.warn(turn, "no engine here can make a closing search".to_owned());
            }
            return Ok(Closed::Nothing);
        };
        self.begin(turn, RunLimits::default());
        let closed = close(&mut self.work, &tree, turn.job, end);
        self.pause(turn);
        let ClosingOutcome { ending, closing } = closed?;
        if closing.is_none() && ending == RunEnd::Limit {
            self.warn(turn, "the closing search found nothing in its time".to_owned());
        }
        let closing = closing.map(Box::new);
        closing.iter().cloned().map(RunEvent::Closed).for_each(&mut *self.work.tell);
        if closing.is_some() && self.work.engines.second().is_some() {
            let row = turn.analysis().map(|id| self.work.store.analysis(id)).transpose()?.flatten();
            let told =
                row.map(|row| told_verdict(self.work.store, &row, &turn.job.game)).transpose()?;
            let word = told.flatten().and_then(|told| Some((told.best(), told.second?)));
            word.map(|(told, word)| RunEvent::Second { word: Box::new(word), told })
                .into_iter()
                .for_each(&mut *self.work.tell);
        }
        let is_cut_off = ending == RunEnd::Interrupted;
        let is_over = is_cut_off && self.work.control.is_told_to_end();
        let elapsed = turn.spent.time;
        if let Some(outcome) = turn.grown() {
            outcome.closing = closing.or(outcome.closing.take());
            outcome.elapsed = elapsed;
            outcome.ending = if is_over { ending } else { outcome.ending };
        }
        self.ending = if is_over { ending } else { self.ending };
        Ok(if is_cut_off && !is_over { Closed::Disturbed } else { Closed::Made })
    }

    /// The tree that counts for a root, if anything is to be searched.
    fn tree_to_close(&self, turn: &Turn<'_>) -> Result<Option<Arc<TreeToClose>>, RunError> {
        match &turn.outcome {
            Some(JobOutcome::Grown(grown)) => Ok(grown.tree.clone()),
            Some(JobOutcome::Before(_, row)) => {
                let growth = load_as_grown(self.work.store, row.id)?.growth;
                Ok(TreeToClose::of(&growth, row.id, self.work.engines).map(Arc::new))
            }
            _ => Ok(None),
        }
    }

    /// The closing searches under a root's present directives.
    fn closing_now(&self, job: &Job) -> Result<ClosingPlan, StoreError> {
        Ok(job.closing_under(&self.work.store.directives(&job.game)?))
    }
}
