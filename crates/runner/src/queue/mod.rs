//! The loop that grows: a queue of roots, each with a turn in a stage before the next stage begins;
//! then leaves are searched deeper if wanted, and closing searches are made. A single run is a
//! queue of one.
//!
//! A stage is an analysis of its own, in which the engines search deeper than in the one before.

mod closings;
mod trees;
mod turn;
mod until_holds;

use std::time::{Duration, Instant};

use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_engine::Engines;
use deepanalyze_store::{AnalysisId, ProfileId, Store, StoreError};

use crate::context::RunWork;
use crate::control::limits::RunLimits;
use crate::control::{ControlReceiver, must_end};
use crate::feed::event::{RunEvent, RunListener};
use crate::job::Job;
use crate::outcome::{RunEnd, RunError, RunOutcome};

use turn::Turn;

pub use turn::JobOutcome;

/// Roots that are grown in turns.
#[derive(Debug, Clone)]
pub struct Queue {
    /// The jobs, in the order of their turns.
    pub jobs: Vec<Job>,
    /// Limits of the whole; a job's own end the work on that one alone.
    pub limits: RunLimits,
}

/// Divides the time of the closing searches among the roots of a queue: a weight for each, in their
/// order, where a root of weight 0 has none. Called once, when all trees have had their half of the
/// time, with the analysis whose verdict counts for each root.
pub type ClosingWeights<'a> =
    dyn Fn(&Store, &[Option<AnalysisId>]) -> Result<Vec<f64>, StoreError> + 'a;

/// Outcome of a queue.
#[derive(Debug)]
pub struct QueueOutcome {
    /// The limit of the last stage begun.
    pub limit: Limit,
    /// Profile of that stage's answers.
    pub profile: ProfileId,
    /// How it ended: [`RunEnd::Settled`] if every root had its turn.
    pub ending: RunEnd,
    /// Outcome of each root.
    pub outcomes: Vec<JobOutcome>,
    /// Searches of this run.
    pub searches: u64,
    /// How long this run took.
    pub elapsed: Duration,
}

/// Grows or continues the tree of a root, stage by stage if the job has stages, until all is
/// settled and deeper searches would change nothing, a limit is reached, or the run is asked to
/// end. Makes the closing searches of the job.
///
/// # Errors
///
/// Earlier answers are kept.
pub fn grow(
    job: &Job,
    store: &mut Store,
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    tell: &mut RunListener<'_>,
) -> Result<RunOutcome, RunError> {
    let work = RunWork::new(store, engines, control, tell);
    let alone = GrowLoop::new(std::slice::from_ref(job), job.limits, false, work)?;
    let end = alone.run(&|_, _| Ok(vec![1.0]))?;
    match end.outcomes.into_iter().next() {
        Some(JobOutcome::Grown(grown)) => Ok(*grown),
        Some(JobOutcome::Failed(error)) => Err(error),
        // A single root is always grown.
        _ => Err(RunError::EnginesGone),
    }
}

/// Grows or continues the trees of all roots in turns, and makes their closing searches. A root
/// whose search fails is left, and the next one is grown; one that is complete, or over, is not
/// read.
///
/// # Errors
///
/// [`RunError`] if the store fails, or engines fail at all searches; earlier answers are kept.
pub fn grow_queue(
    queue: &Queue,
    weights: &ClosingWeights<'_>,
    store: &mut Store,
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    tell: &mut RunListener<'_>,
) -> Result<QueueOutcome, RunError> {
    let work = RunWork::new(store, engines, control, tell);
    GrowLoop::new(&queue.jobs, queue.limits, true, work)?.run(weights)
}

/// A queue being grown.
struct GrowLoop<'q, 'w> {
    jobs: &'q [Job],
    limits: RunLimits,
    /// True if roots are named, complete ones are not read, and a failed one leaves the others
    /// their turns.
    are_many: bool,
    /// The limit of this stage's searches.
    limit: Limit,
    /// Profile of this stage's answers.
    profile: ProfileId,
    work: RunWork<'w>,
    /// Number of invalidations of answers when all trees were begun.
    invalidations: u64,
    /// The root that had the last turn.
    last: Option<usize>,
    /// Roots failed in a row without an answer.
    failures: usize,
    /// Its end, once known.
    ending: RunEnd,
}

impl<'q, 'w> GrowLoop<'q, 'w> {
    fn new(
        jobs: &'q [Job],
        limits: RunLimits,
        are_many: bool,
        work: RunWork<'w>,
    ) -> Result<GrowLoop<'q, 'w>, StoreError> {
        let first = jobs.first().map(|job| job.schedule.first());
        let limit = first.unwrap_or(work.engines.profile().limit);
        let profile = profile_of(limit, work.store, work.engines)?;
        Ok(GrowLoop {
            jobs,
            limits,
            are_many,
            limit,
            profile,
            work,
            invalidations: 0,
            last: None,
            failures: 0,
            ending: RunEnd::Settled,
        })
    }

    fn run(mut self, weights: &ClosingWeights<'_>) -> Result<QueueOutcome, RunError> {
        let mut turns = self.turns()?;
        let of_trees = turns.iter().map(|turn| turn.job.limits_of_tree(self.limits, turn.closing));
        let halved = of_trees.into_iter().find(|limits| *limits != self.limits);
        self.work.progress.budget.limit(halved.unwrap_or(self.limits));
        self.trees(&mut turns)?;
        if halved.is_some() {
            self.first_verdicts(&mut turns)?;
        }
        self.until_they_hold(&mut turns)?;
        if self.close_all(&mut turns, weights)? {
            self.work.progress.budget.limit(self.limits);
            self.ending = RunEnd::Settled;
            for turn in &mut turns {
                turn.limits = self.own_limits(turn.job);
                turn.reopen();
            }
            self.trees(&mut turns)?;
        }
        let (budget, now) = (&self.work.progress.budget, self.work.engines.now());
        let (searches, elapsed) = (budget.all_searches(), budget.elapsed(now));
        let outcomes = turns.into_iter().map(Turn::end).collect();
        let GrowLoop { limit, profile, ending, .. } = self;
        Ok(QueueOutcome { limit, profile, ending, outcomes, searches, elapsed })
    }

    /// All roots before their first turn.
    fn turns(&self) -> Result<Vec<Turn<'q>>, StoreError> {
        let turn = |(index, job): (usize, &'q Job)| {
            let closing = match &job.directives {
                Some(said) => job.closing_under(said),
                None => {
                    let said = self.work.store.directives_to_begin_with(&job.game, job.origin)?;
                    job.closing_under(&said.0)
                }
            };
            let limits = job.limits_of_tree(self.own_limits(job), closing);
            Ok(Turn::new(index, job, closing, limits))
        };
        self.jobs.iter().enumerate().map(turn).collect()
    }

    /// The limits of a root beside those of the whole.
    fn own_limits(&self, job: &Job) -> RunLimits {
        if self.are_many { job.limits } else { RunLimits::default() }
    }

    /// Turns to a root, within these limits for this turn.
    fn begin(&mut self, turn: &Turn<'_>, most: RunLimits) {
        let progress = &mut self.work.progress;
        let limits = turn.limits.least(most.after(turn.spent));
        progress.budget.turn_to_root(limits, turn.spent, self.work.engines.now());
        let is_another = self.last.replace(turn.index) != Some(turn.index);
        if is_another {
            progress.under_way.turn_to_another_root();
        }
        if is_another && self.are_many {
            let (name, root) = (turn.job.label.clone(), turn.job.game.root().clone());
            (self.work.tell)(RunEvent::RootBegins { index: turn.index, name, root });
        }
    }

    /// Notes a root's spending.
    fn pause(&self, turn: &mut Turn<'_>) {
        turn.spent = self.work.progress.budget.spent_on_root(self.work.engines.now());
    }

    /// True if an error at a root's closing search, or at a leaf, says nothing about the rest.
    fn is_of_one(&self, error: &RunError) -> bool {
        match error {
            RunError::Engine(_) => true,
            RunError::Store(StoreError::Growing { .. }) => self.are_many,
            _ => false,
        }
    }

    fn warn(&mut self, turn: &Turn<'_>, why: String) {
        let name = if self.are_many { format!("{}: ", turn.job.label) } else { String::new() };
        (self.work.tell)(RunEvent::Warning(format!("{name}{why}")));
    }

    /// The time, and the engines' total search time for the run.
    fn moment(&self) -> (Instant, Duration) {
        (self.work.engines.now(), self.work.progress.budget.worked())
    }

    /// The depth to settle.
    fn depth(&self, job: &Job) -> u32 {
        self.work.control.target().map_or(job.depth, |target| target.depth)
    }

    /// True if the run ends before another root.
    fn must_end(&mut self) -> bool {
        if self.ending == RunEnd::Settled {
            let is_spent = self.work.progress.budget.is_spent(self.work.engines.now());
            self.ending = must_end(self.work.control, is_spent).unwrap_or(RunEnd::Settled);
        }
        self.ending != RunEnd::Settled
    }
}

/// The profile of answers at a limit.
fn profile_of(
    limit: Limit,
    store: &mut Store,
    engines: &dyn Engines,
) -> Result<ProfileId, StoreError> {
    store.profile_id(&Profile { limit, ..engines.profile().clone() })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::job::Schedule;
    use deepanalyze_core::chess::Game;
    use deepanalyze_engine::{PANICS, mute_pool};

    #[test]
    fn engine_panic_fails_the_run_and_frees_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let root = deepanalyze_core::chess::parse_fen(PANICS).unwrap();
        let (game, schedule) = (Game::from_position(root), Schedule::Once(Limit::Depth(1)));
        let job = Job::new(game, 10, schedule, 2);
        for _ in 0..2 {
            let mut pool = mute_pool("a run");
            let end = grow(&job, &mut store, &mut pool, &ControlReceiver::never(), &mut |_| {});
            assert!(matches!(end, Err(RunError::EnginesGone)), "{end:?}");
        }
    }
}
