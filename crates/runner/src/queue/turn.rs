//! A root of a queue, with its progress over its turns.

use std::time::Duration;

use deepanalyze_core::chess::Ending;
use deepanalyze_core::search::Limit;
use deepanalyze_store::{AnalysisId, AnalysisRow};

use crate::closing::ClosingPlan;
use crate::control::limits::{RunLimits, Spent};
use crate::job::Job;
use crate::outcome::{Exhausted, RunEnd, RunError, RunOutcome};
use crate::stage::StageBefore;

/// The outcome of a root's last stage with a turn.
#[derive(Debug)]
pub enum JobOutcome {
    /// The game is over there.
    Over(Ending),
    /// Its depth had been settled before, or its best move been stable enough.
    Before(RunEnd, Box<AnalysisRow>),
    /// It was grown, perhaps not to its end.
    Grown(Box<RunOutcome>),
    /// It cannot be grown now; the others can.
    Failed(RunError),
    /// The run ended before its turn.
    Left,
}

/// Progress of a root.
#[derive(Debug)]
pub struct Turn<'q> {
    pub index: usize,
    pub job: &'q Job,
    /// Its closing searches under the directives that it begins with.
    pub closing: ClosingPlan,
    /// Its outcome.
    pub outcome: Option<JobOutcome>,
    /// The next stage, from 0.
    stage: usize,
    /// The analyses of the last stage with a turn, and of the stage before the next one.
    latest: Option<AnalysisId>,
    before: Option<AnalysisId>,
    /// Outcome of the stages before the next one in this run.
    grown_before: Option<Box<RunOutcome>>,
    /// Its outcome when it was begun again from its first stage.
    replaced: Option<Box<RunOutcome>>,
    /// This run's limits for it now, and its spending.
    pub limits: RunLimits,
    pub spent: Spent,
    /// Its tree's growth time since its last closing search.
    pub unclosed: Duration,
    /// True if it has had a turn.
    pub has_begun: bool,
    /// True if deeper stages would change nothing of its tree, which was complete before.
    pub is_exhausted: bool,
    /// True if no other turn follows.
    pub is_last: bool,
}

impl<'q> Turn<'q> {
    /// Before its first turn.
    pub fn new(index: usize, job: &'q Job, closing: ClosingPlan, limits: RunLimits) -> Turn<'q> {
        Turn {
            index,
            job,
            closing,
            outcome: None,
            stage: 0,
            latest: None,
            before: None,
            grown_before: None,
            replaced: None,
            limits,
            spent: Spent::default(),
            unclosed: Duration::ZERO,
            has_begun: false,
            is_exhausted: false,
            is_last: false,
        }
    }

    /// The limit of the next stage's searches.
    pub fn limit(&self) -> Limit {
        self.next_limit().unwrap_or(self.job.schedule.first())
    }

    /// As `limit`; `None` behind the last.
    fn next_limit(&self) -> Option<Limit> {
        self.job.schedule.limits().nth(self.stage)
    }

    /// True if the next stage is the first of this run.
    pub fn is_in_first_stage(&self) -> bool {
        self.stage == 0
    }

    /// Input of the next stage.
    pub fn stage_before(&self) -> StageBefore<'_> {
        let standing = self.grown_before.as_deref().filter(|before| before.best().is_some());
        StageBefore { before: self.before, standing, is_begun: self.has_begun }
    }

    /// Its outcome, if it was grown in this run.
    pub fn grown(&mut self) -> Option<&mut RunOutcome> {
        match &mut self.outcome {
            Some(JobOutcome::Grown(grown)) => Some(grown),
            _ => None,
        }
    }

    /// The analysis whose verdict counts: its last turn's, or the one complete before.
    pub fn analysis(&self) -> Option<AnalysisId> {
        match &self.outcome {
            Some(JobOutcome::Grown(grown)) => grown.analysis,
            Some(JobOutcome::Before(_, row)) => Some(row.id),
            _ => None,
        }
    }

    /// True if nothing has been found out about it.
    pub fn has_no_verdict(&self) -> bool {
        match &self.outcome {
            None | Some(JobOutcome::Left) => true,
            Some(JobOutcome::Grown(grown)) => grown.lines.is_empty(),
            Some(JobOutcome::Over(_) | JobOutcome::Before(..) | JobOutcome::Failed(_)) => false,
        }
    }

    /// Takes the root's outcome. Without a turn in this stage, the earlier one stands.
    pub fn take(&mut self, outcome: JobOutcome) {
        let latest = match &outcome {
            JobOutcome::Grown(grown) => grown.analysis,
            JobOutcome::Before(_, row) => Some(row.id),
            _ => None,
        };
        self.latest = latest.or(self.latest);
        let outcome = match outcome {
            JobOutcome::Left if self.outcome.is_some() => return,
            JobOutcome::Grown(grown) => JobOutcome::Grown(match &self.grown_before {
                Some(before) => Box::new(grown.after(before)),
                None => grown,
            }),
            outcome => outcome,
        };
        self.is_last |= match &outcome {
            JobOutcome::Left => false,
            JobOutcome::Over(_) | JobOutcome::Failed(_) => true,
            JobOutcome::Before(end, _) => *end == RunEnd::Stable,
            JobOutcome::Grown(grown) => match grown.ending {
                RunEnd::Settled => grown.exhausted.is_some(),
                // Its turn alone may have been over.
                RunEnd::Limit => self.spent.reaches(self.limits),
                RunEnd::Stable | RunEnd::Interrupted => true,
            },
        };
        self.outcome = Some(outcome);
    }

    /// Goes from a complete stage to the next, if any.
    pub fn advance(&mut self) {
        self.stage += 1;
        self.is_last |= self.next_limit().is_none();
        let is_at_the_end = self.is_last && self.job.schedule.has_stages();
        self.before = self.latest;
        self.grown_before = self.grown().map(|grown| {
            if is_at_the_end {
                grown.exhausted.get_or_insert(Exhausted::LastStage);
            }
            Box::new(grown.clone())
        });
    }

    /// Begins again from its first stage: its trees may be empty again, or the run goes on after
    /// its end.
    pub fn reopen(&mut self) {
        self.is_last &= matches!(self.outcome, Some(JobOutcome::Over(_) | JobOutcome::Failed(_)));
        if self.is_last {
            return;
        }
        (self.stage, self.latest, self.before, self.grown_before) = (0, None, None, None);
        self.outcome = match self.outcome.take() {
            Some(JobOutcome::Grown(grown)) => {
                self.replaced = Some(self.in_place_of_earlier(grown));
                None
            }
            Some(JobOutcome::Left) => None,
            outcome => outcome,
        };
    }

    /// Its outcome in all.
    pub fn end(mut self) -> JobOutcome {
        match self.outcome.take() {
            Some(JobOutcome::Grown(grown)) => JobOutcome::Grown(self.in_place_of_earlier(grown)),
            Some(outcome @ (JobOutcome::Over(_) | JobOutcome::Failed(_))) => outcome,
            // If complete by then, or without another turn, it was grown in this run.
            outcome => match self.replaced {
                Some(earlier) => JobOutcome::Grown(earlier),
                None => outcome.unwrap_or(JobOutcome::Left),
            },
        }
    }

    fn in_place_of_earlier(&mut self, grown: Box<RunOutcome>) -> Box<RunOutcome> {
        match self.replaced.take() {
            Some(earlier) => Box::new(grown.instead_of(&earlier)),
            None => grown,
        }
    }
}
