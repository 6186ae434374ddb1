//! Leaves that are searched deeper at the end, until the best moves hold.

use super::GrowLoop;
use super::turn::{JobOutcome, Turn};
use crate::control::limits::RunLimits;
use crate::control::must_end;
use crate::error::RunError;
use crate::feed::event::RunEvent;
use crate::outcome::RunEnd;
use crate::recheck::{part, recheck_grown};

impl GrowLoop<'_, '_> {
    /// Searches the leaves deeper that could change the best moves, where that is wanted, with all that is left of the limits:
    /// each root has an equal part.
    pub(super) fn until_they_hold(&mut self, turns: &mut [Turn<'_>]) -> Result<(), RunError> {
        let is_asked =
            |turn: &&mut Turn<'_>| turn.job.until_holds.is_some() && turn.analysis().is_some();
        let mut asked: Vec<_> = turns.iter_mut().filter(is_asked).collect();
        if asked.is_empty() || self.ending == RunEnd::Interrupted {
            return Ok(());
        }
        self.work.progress.budget.limit(self.limits);
        let mut left = asked.len();
        for turn in &mut asked {
            let is_spent = self.work.progress.budget.is_spent(self.work.engines.now());
            if self.are_many && must_end(self.work.control, is_spent).is_some() {
                return Ok(());
            }
            self.until_it_holds(turn, left)?;
            left -= 1;
        }
        Ok(())
    }

    /// The same of one root, whose part of what is left is one of so many.
    fn until_it_holds(&mut self, turn: &mut Turn<'_>, of: usize) -> Result<(), RunError> {
        let Some((within, analysis)) = turn.job.until_holds.zip(turn.analysis()) else {
            return Ok(());
        };
        let limit = match &turn.outcome {
            Some(JobOutcome::Grown(grown)) => grown.limit,
            Some(JobOutcome::Before(_, row)) => row.profile.limit,
            _ => self.limit,
        };
        turn.limits = self.own_limits(turn.job);
        let most = match self.are_many {
            true => part(self.work.progress.budget.left(self.work.engines.now()), of),
            false => RunLimits::default(),
        };
        self.begin(turn, most);
        let checked = recheck_grown(&mut self.work, (analysis, limit), within);
        self.pause(turn);
        let (end, rechecked) = match checked {
            Ok(checked) => checked,
            Err(error) if self.are_many && self.is_of_one(&error) => {
                self.warn(turn, error.to_string());
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if let Some(rechecked) = rechecked.clone().filter(|_| self.are_many) {
            (self.work.tell)(RunEvent::Rechecked(rechecked));
        }
        if end == RunEnd::Interrupted {
            self.ending = end;
        }
        let spent = turn.spent;
        if let Some(outcome) = turn.grown() {
            outcome.rechecked = rechecked;
            if end != RunEnd::Settled {
                outcome.ending = end;
            }
            (outcome.searches, outcome.nodes) = (spent.searches, spent.nodes);
            outcome.elapsed = spent.time;
        }
        Ok(())
    }
}
