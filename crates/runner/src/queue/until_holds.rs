//! Leaves searched deeper at the end, until the best moves hold.

use deepanalyze_store::AnalysisId;

use super::GrowLoop;
use super::turn::{JobOutcome, Turn};
use crate::control::limits::{RunLimits, Spent};
use crate::control::must_end;
use crate::feed::event::RunEvent;
use crate::outcome::{RunEnd, RunError};
use crate::recheck::{part, recheck_grown};

impl GrowLoop<'_, '_> {
    /// Searches leaves deeper that could change the best moves, if wanted, within the rest of the
    /// limits: each root has an equal part.
    pub(super) fn until_they_hold(&mut self, turns: &mut [Turn<'_>]) -> Result<(), RunError> {
        let asked = |turn: &Turn<'_>| turn.job.until_holds.zip(turn.analysis());
        let mut left = turns.iter().filter_map(asked).count();
        if left == 0 || self.ending == RunEnd::Interrupted {
            return Ok(());
        }
        self.work.progress.budget.limit(self.limits);
        for turn in turns {
            let Some((within, analysis)) = asked(turn) else { continue };
            let budget = &self.work.progress.budget;
            let (now, mut most) = (self.work.engines.now(), RunLimits::default());
            if self.are_many {
                if must_end(self.work.control, budget.is_spent(now)).is_some() {
                    return Ok(());
                }
                most = part(budget.left(now), left);
            }
            left -= 1;
            self.until_it_holds(turn, analysis, within, most)?;
        }
        Ok(())
    }

    /// Does this for one root, within `most`.
    fn until_it_holds(
        &mut self,
        turn: &mut Turn<'_>,
        analysis: AnalysisId,
        within: u32,
        most: RunLimits,
    ) -> Result<(), RunError> {
        let limit = match &turn.outcome {
            Some(JobOutcome::Grown(grown)) => grown.limit,
            Some(JobOutcome::Before(_, row)) => row.profile.limit,
            _ => self.limit,
        };
        turn.limits = self.own_limits(turn.job);
        self.begin(turn, most);
        let checked = recheck_grown(&mut self.work, analysis, limit, within);
        self.pause(turn);
        let (end, rechecked) = match checked {
            Err(error) if self.are_many && self.is_of_one(&error) => {
                self.warn(turn, error.to_string());
                return Ok(());
            }
            checked => checked?,
        };
        if self.are_many {
            rechecked.iter().cloned().map(RunEvent::Rechecked).for_each(&mut *self.work.tell);
        }
        if end == RunEnd::Interrupted {
            self.ending = end;
        }
        let Spent { time, searches, nodes } = turn.spent;
        if let Some(outcome) = turn.grown() {
            outcome.rechecked = rechecked;
            if end != RunEnd::Settled {
                outcome.ending = end;
            }
            (outcome.searches, outcome.nodes, outcome.elapsed) = (searches, nodes, time);
        }
        Ok(())
    }
}
