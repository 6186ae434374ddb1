//! The loop that grows: a queue of roots, each of which has its turn in a stage before the next stage begins; then leaves are
//! searched deeper where that is wanted, and closing searches are made. A single run is a queue of one.
//!
//! A stage is an analysis of its own, in which the engines search deeper than in the one before.

use std::sync::Arc;
use std::time::{Duration, Instant};

use deepanalyze_core::chess::Ending;
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_engine::{Engines, LongEnd};
use deepanalyze_store::{AnalysisId, AnalysisKind, AnalysisRow, ProfileId, Store, StoreError};
use deepanalyze_view::{load_as_grown, load_tree};

use crate::closing::{ClosingOutcome, ClosingPlan, TreeToClose, close};
use crate::control::limits::RunLimits;
use crate::control::{ControlReceiver, must_end};
use crate::error::RunError;
use crate::feed::event::{RunEvent, RunListener};
use crate::job::Job;
use crate::outcome::{RunEnd, RunOutcome};
use crate::recheck::{part, recheck_grown};
use crate::stage::{exhausted, grow_stage};
use crate::turn::{JobOutcome, Turn};
use crate::watched::UntilStable;
use crate::work::{InProgress, RunWork};

/// Roots that are grown in turns.
#[derive(Debug, Clone)]
pub struct Queue {
    /// What is wanted of each, in the order of their turns.
    pub jobs: Vec<Job>,
    /// What may end the whole of it before; those of a job end the work on that one alone.
    pub limits: RunLimits,
}

/// How the time of the closing searches is shared out among the roots of a queue: a weight for each, in their order, where a
/// root of weight 0 has none. It is asked once, when all trees have had their half of the time, and given the analysis of each
/// root that speaks.
pub type ClosingWeights<'a> =
    dyn Fn(&Store, &[Option<AnalysisId>]) -> Result<Vec<f64>, StoreError> + 'a;

/// What a queue came to.
#[derive(Debug)]
pub struct QueueOutcome {
    /// The limit of the searches of the last stage that was begun.
    pub limit: Limit,
    /// Whose answers that stage's trees are made of.
    pub profile: ProfileId,
    /// How it ended: [`RunEnd::Settled`] where every root had its turn.
    pub ending: RunEnd,
    /// What became of each root.
    pub outcomes: Vec<JobOutcome>,
    /// Searches of this run.
    pub searches: u64,
    /// How long this run took.
    pub elapsed: Duration,
}

/// Grows or continues the tree of a root, stage by stage where the job has stages, until all is settled and
/// deeper searches would change nothing, a limit is reached, or somebody wants the run to end. Makes the closing searches
/// of the job.
///
/// # Errors
///
/// What was answered is kept.
pub fn grow(
    job: &Job,
    store: &mut Store,
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    tell: &mut RunListener<'_>,
) -> Result<RunOutcome, RunError> {
    let mut progress = InProgress::new(engines);
    let work = RunWork { store, engines, control, tell, progress: &mut progress };
    let alone = GrowLoop::new(std::slice::from_ref(job), job.limits, false, work)?;
    let end = alone.run(&|_, _| Ok(vec![1.0]))?;
    match end.outcomes.into_iter().next() {
        Some(JobOutcome::Grown(grown)) => Ok(*grown),
        Some(JobOutcome::Failed(error)) => Err(error),
        // One root alone is always grown.
        _ => Err(RunError::EnginesGone),
    }
}

/// Grows or continues the trees of all roots in turns, and makes their closing searches. A root whose search fails is left, and
/// the next one is grown; one that is complete, or over, is not read.
///
/// # Errors
///
/// [`RunError`] where the store fails, or engines fail at whatever they are asked; what was
/// answered is kept.
pub fn grow_queue(
    queue: &Queue,
    weights: &ClosingWeights<'_>,
    store: &mut Store,
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    tell: &mut RunListener<'_>,
) -> Result<QueueOutcome, RunError> {
    let mut progress = InProgress::new(engines);
    let work = RunWork { store, engines, control, tell, progress: &mut progress };
    GrowLoop::new(&queue.jobs, queue.limits, true, work)?.run(weights)
}

/// Engines that fail at so many roots in a row, and answer nothing in between, fail at all of them.
const HOPELESS: usize = 3;

/// A queue being grown.
struct GrowLoop<'q, 'w> {
    jobs: &'q [Job],
    limits: RunLimits,
    /// Whether roots are named, those that are complete are not read, and one that fails leaves the others their turns.
    are_many: bool,
    /// The limit of the searches of this stage.
    limit: Limit,
    /// Whose answers this stage's trees are made of.
    profile: ProfileId,
    work: RunWork<'w>,
    /// The root that has had a turn last.
    last: Option<usize>,
    /// Roots that have failed in a row without an answer.
    failures: usize,
    /// What ends it, once that is known.
    ending: RunEnd,
}

/// What became of a closing search that was to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closed {
    /// It has had all that it was to have, or the run is to end.
    Made,
    /// There is nothing to search.
    Nothing,
    /// Somebody has paused the run meanwhile, or wants the tree otherwise.
    Disturbed,
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
        let (last, failures, ending) = (None, 0, RunEnd::Settled);
        Ok(GrowLoop { jobs, limits, are_many, limit, profile, work, last, failures, ending })
    }

    fn run(mut self, weights: &ClosingWeights<'_>) -> Result<QueueOutcome, RunError> {
        let mut turns = self.turns()?;
        let of_trees = turns.iter().map(|turn| turn.job.limits_of_tree(self.limits, turn.closing));
        let halved = of_trees.into_iter().find(|limits| *limits != self.limits);
        self.work.progress.budget.limit(halved.unwrap_or(self.limits));
        self.trees(&mut turns)?;
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

    /// Stage after stage, until every root has had its last turn, or something ends the run.
    fn trees(&mut self, turns: &mut [Turn<'_>]) -> Result<(), RunError> {
        let mut taken_back = self.work.store.times_taken_back()?;
        let mut stage = None;
        while let Some(first) = turns.iter().find(|turn| !turn.is_last) {
            let are_others = turns.len() > 1 || !first.is_in_first_stage();
            let limit = first.limit();
            if stage.replace(limit) != Some(limit) {
                self.stage_begins(limit, first.job.schedule.has_stages())?;
            }
            let mut open: Vec<_> = turns.iter_mut().filter(|turn| !turn.is_last).collect();
            let mut left = open.len();
            for turn in &mut open {
                self.turn(turn, left)?;
                left -= 1;
            }
            if self.ending != RunEnd::Settled {
                return Ok(());
            }
            let until_now = self.work.store.times_taken_back()?;
            if std::mem::replace(&mut taken_back, until_now) != until_now && are_others {
                // Trees that were whole stood on what was taken back, perhaps.
                turns.iter_mut().for_each(Turn::reopen);
                stage = None;
            }
        }
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

    /// The turn of a root in the stage that it has come to, with a closing search behind it where the job has them. It is one
    /// of so many that share the time which is left of all.
    fn turn(&mut self, turn: &mut Turn<'_>, of: usize) -> Result<(), RunError> {
        self.turn_to_stage(turn.limit())?;
        if self.are_many {
            if let Some(done) = self.done_before(turn)? {
                turn.take(done);
                turn.advance();
                turn.is_last |= turn.is_exhausted;
                return Ok(());
            }
            if self.must_end() {
                turn.take(JobOutcome::Left);
                return Ok(());
            }
        }
        let time = part(self.work.progress.budget.left(self.work.engines.now()), of).time;
        self.begin(
            turn,
            RunLimits { time: time.filter(|_| self.are_many), ..RunLimits::default() },
        );
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
        // One that was disturbed, or has not come to its end, has the same stage once more.
        if turn.grown().is_some_and(|grown| grown.goes_deeper()) && !self.close_stage(turn)? {
            turn.advance();
        }
        Ok(())
    }

    /// Turns to a root, which may spend so much in this turn.
    fn begin(&mut self, turn: &Turn<'_>, most: RunLimits) {
        let progress = &mut *self.work.progress;
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

    /// Notes what a root has spent.
    fn pause(&self, turn: &mut Turn<'_>) {
        turn.spent = self.work.progress.budget.spent_on_root(self.work.engines.now());
    }

    fn grow(&mut self, turn: &mut Turn<'_>) -> Result<RunOutcome, RunError> {
        let before = self.moment();
        let depth = self.depth(turn.job);
        let stage = turn.stage_before();
        turn.has_begun = true;
        let grown = grow_stage(turn.job, self.limit, depth, stage, &mut self.work);
        // Where the engines worked for others, the tree has not grown.
        let now = self.moment();
        let time = now.0.saturating_duration_since(before.0);
        let worked = now.1.saturating_sub(before.1);
        turn.unclosed += time.min(worked);
        grown
    }

    /// What a turn has come to; an error where it says that the others fail, too.
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
            // Another run has it: that says nothing of the engines.
            Err(error @ RunError::Store(StoreError::Growing { .. })) => {
                Ok(JobOutcome::Failed(error))
            }
            // That says nothing of the other roots.
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

    /// The closing search behind a stage, where the tree has grown long enough since the one before; whether somebody has
    /// disturbed it. The tree goes on where engines fail at it.
    fn close_stage(&mut self, turn: &mut Turn<'_>) -> Result<bool, RunError> {
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

    /// Searches the leaves deeper that could change the best moves, where that is wanted, with all that is left of the limits:
    /// each root has an equal part.
    fn until_they_hold(&mut self, turns: &mut [Turn<'_>]) -> Result<(), RunError> {
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

    /// Makes the closing searches at the end; whether time is left that the trees can have.
    fn close_all(
        &mut self,
        turns: &mut [Turn<'_>],
        weights: &ClosingWeights<'_>,
    ) -> Result<bool, RunError> {
        if self.ending == RunEnd::Interrupted {
            return Ok(false);
        }
        let is_shared = |turn: &Turn<'_>| turn.closing == ClosingPlan::SecondHalf;
        let weights = match self.are_many && turns.iter().any(is_shared) {
            true => {
                let analyses: Vec<_> = turns.iter().map(Turn::analysis).collect();
                weights(self.work.store, &analyses)?
            }
            false => vec![1.0; turns.len()],
        };
        let until = self.closed_until(turns);
        let mut due: Vec<(&mut Turn<'_>, f64)> = turns.iter_mut().zip(weights).collect();
        due.retain(|(turn, weight)| match turn.closing {
            ClosingPlan::Asked(_) => true,
            // One root alone that has no tree is told of.
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
            let until = until.map(|until| match part < 1.0 {
                true => now + until.saturating_duration_since(now).mul_f64(part),
                false => until,
            });
            left -= weight;
            let end = turn.closing.at_the_end(self.ending_of(turn), until, now);
            if let Some(end) = end {
                have_all &= self.close_at_the_end(turn, end)?;
            }
            if self.ending == RunEnd::Interrupted {
                return Ok(false);
            }
        }
        Ok(!have_all && until.is_some_and(|until| self.work.engines.now() < until))
    }

    /// When all closing searches of the second half are over: when the time of all is, and that which the trees have left of each
    /// root's own; none where there are none.
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

    /// How the tree of a root has ended: where the time of all was up, that was its limit, too, unless deeper searches would
    /// change nothing.
    fn ending_of(&self, turn: &Turn<'_>) -> RunEnd {
        match &turn.outcome {
            Some(JobOutcome::Grown(grown)) if !grown.goes_deeper() => grown.ending,
            Some(JobOutcome::Before(end, _)) if turn.is_exhausted => *end,
            Some(JobOutcome::Over(_) | JobOutcome::Failed(_)) => RunEnd::Settled,
            Some(JobOutcome::Before(RunEnd::Stable, _)) => RunEnd::Stable,
            _ => self.ending,
        }
    }

    /// Makes the closing search of a root at the end; whether it has had its time, which the trees can have otherwise.
    fn close_at_the_end(&mut self, turn: &mut Turn<'_>, end: LongEnd) -> Result<bool, RunError> {
        // Moves may have been included meanwhile.
        let closed = match turn.closing == self.closing_now(turn.job)? {
            true => self.close(turn, end),
            false => Ok(Closed::Disturbed),
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

    /// Makes a closing search of the tree that speaks, and tells of it.
    fn close(&mut self, turn: &mut Turn<'_>, end: LongEnd) -> Result<Closed, RunError> {
        let Some(tree) = self.tree_to_close(turn)? else {
            if self.work.engines.long_searches() == 0 {
                self.warn(turn, "no engine here can make a closing search".to_owned());
            }
            return Ok(Closed::Nothing);
        };
        self.begin(turn, RunLimits::default());
        let closed = close(&mut self.work, (&tree, turn.job), end);
        self.pause(turn);
        let ClosingOutcome { ending, closing } = closed?;
        if closing.is_none() && ending == RunEnd::Limit {
            self.warn(turn, "the closing search found nothing in its time".to_owned());
        }
        let closing = closing.map(Box::new);
        closing.iter().for_each(|closing| (self.work.tell)(RunEvent::Closed(closing.clone())));
        let is_told_to_end = self.work.control.is_told_to_end();
        if ending == RunEnd::Interrupted && is_told_to_end {
            self.ending = ending;
        }
        let spent = turn.spent;
        if let Some(outcome) = turn.grown() {
            outcome.closing = closing.or(outcome.closing.take());
            outcome.elapsed = spent.time;
            if ending == RunEnd::Interrupted && is_told_to_end {
                outcome.ending = ending;
            }
        }
        let is_disturbed = ending == RunEnd::Interrupted && !is_told_to_end;
        Ok(if is_disturbed { Closed::Disturbed } else { Closed::Made })
    }

    /// The tree that speaks of a root, where there is something to search.
    fn tree_to_close(&self, turn: &Turn<'_>) -> Result<Option<Arc<TreeToClose>>, RunError> {
        match &turn.outcome {
            Some(JobOutcome::Grown(grown)) => Ok(grown.tree.clone()),
            Some(JobOutcome::Before(_, row)) => {
                let growth = load_as_grown(self.work.store, row.id)?.growth;
                let of = (row.profile_id, row.profile.limit);
                Ok(TreeToClose::of(&growth, row.id, of, self.work.engines).map(Arc::new))
            }
            _ => Ok(None),
        }
    }

    /// Which closing searches there are under the directives that a root has by now.
    fn closing_now(&self, job: &Job) -> Result<ClosingPlan, StoreError> {
        Ok(job.closing_under(&self.work.store.directives(&job.game)?))
    }

    /// Whether an error at a root's closing search, or at a leaf, says nothing of what else there is to do.
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

    /// What time it is, and how long engines have searched for the run.
    fn moment(&self) -> (Instant, Duration) {
        (self.work.engines.now(), self.work.progress.budget.worked())
    }

    /// What became of a root before its turn, where nothing is left to do: it is over, or its depth was settled.
    fn done_before(&mut self, turn: &mut Turn<'_>) -> Result<Option<JobOutcome>, RunError> {
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

    /// Whether the verdict of a tree that was settled before is as stable as the run wants it.
    fn is_stable(&self, job: &Job, row: &AnalysisRow) -> Result<bool, RunError> {
        let Some(least) = job.until_stable else { return Ok(false) };
        let stable = UntilStable::of(self.work.store, row.id, least)?;
        let settled = stable.as_ref().and_then(UntilStable::stays).map(|stays| stays.best);
        Ok(stable.is_some_and(|stable| stable.is_reached(settled)))
    }

    /// Whether deeper stages would change nothing of a tree that was settled before. One that has a deeper
    /// stage already is not looked at.
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

    /// The analysis of a root whose depth is settled under the directives that the root has by now, and is to have.
    fn settled(&self, job: &Job) -> Result<Option<AnalysisRow>, StoreError> {
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
        Ok((self.work.store.grown_with(row.id)? == directives.of_tree()).then_some(row))
    }

    /// The depth to settle.
    fn depth(&self, job: &Job) -> u32 {
        self.work.control.target().map_or(job.depth, |target| target.depth)
    }

    /// Whether the run ends before another root.
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
    fn a_panic_in_an_engines_thread_ends_the_run_with_an_error_and_frees_the_lock() {
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
