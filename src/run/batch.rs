//! Growing the trees of many roots, one after the other: one pool, one memo, limits over all. With stages,
//! every root has its turn in a stage before the next stage begins.

use std::time::Duration;

use crate::analysis::load;
use crate::chess::{Ending, Game};
use crate::engine::{Engines, Reason};
use crate::search::{Limit, Profile};
use crate::store::{AnalysisId, AnalysisRow, ProfileId, Store, StoreError};
use crate::tree::Breadth;

use super::control::ControlReceiver;
use super::control::ending::must_end;
use super::control::limits::{Budget, RunLimits, Spent};
use super::error::RunError;
use super::feed::progress::Observer;
use super::grow::{End, Plan, RunOutcome, exhausted, grow_stage};
use super::schedule::Schedule;
use super::stages::Stage;
use super::under_way::SearchesUnderWay;

/// Engines that fail at so many roots in a row, and answer nothing in between, fail at all of them.
const HOPELESS: usize = 3;

/// What to grow.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The roots, in the order in which they are grown.
    pub roots: Vec<Root>,
    /// The move distances, and how many moves each root has at least.
    pub breadth: Breadth,
    /// The depth to settle.
    pub depth: u32,
    /// How deep the engines search.
    pub schedule: Schedule,
    /// What may end the whole batch.
    pub limits: RunLimits,
    /// What may end the work on one root, in all stages.
    pub each: RunLimits,
    /// Whether engines that would be idle search what will probably be asked.
    pub look_ahead: bool,
}

/// One root of a batch.
#[derive(Debug, Clone)]
pub struct Root {
    /// What people call it: a move of the game, the `id` of an EPD line.
    pub name: String,
    /// The game up to it.
    pub game: Game,
}

/// What became of a root in the last stage in which it had a turn.
#[derive(Debug)]
pub enum RootOutcome {
    /// The game is over there.
    Over(Ending),
    /// Its depth had been settled before.
    Done(Box<AnalysisRow>),
    /// It was grown, perhaps not to its end.
    Grown(RunOutcome),
    /// It cannot be grown now; the others can.
    Failed(RunError),
    /// The batch ended before its turn.
    Left,
}

/// What a batch did.
#[derive(Debug)]
pub struct BatchEnd {
    /// The limit of the searches of the last stage that was begun.
    pub limit: Limit,
    /// Whose answers that stage's trees are made of.
    pub profile: ProfileId,
    /// How the batch ended: [`End::Settled`] where every root had its turn.
    pub ending: End,
    /// What became of each root.
    pub outcomes: Vec<RootOutcome>,
    /// Searches of this run.
    pub searches: u64,
    /// How long this run took.
    pub elapsed: Duration,
}

/// Who is told of a batch.
pub trait BatchObserver: Observer {
    /// So many of the roots had been settled before.
    fn done_before(&mut self, count: usize);
    /// The work on a root (its place counts from 0) begins.
    fn root_begins(&mut self, index: usize, root: &Root);
    /// A root has had its turn, in which something was done.
    fn root_ends(&mut self, index: usize, outcome: &RootOutcome);
}

/// Grows or continues the trees of all roots in turn. A root whose search fails is left, and the
/// next one is grown.
///
/// # Errors
///
/// [`RunError`] where the store fails, or engines fail at whatever they are asked; what was
/// answered is kept.
pub fn grow_batch(
    batch: &Batch,
    store: &mut Store,
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    observer: &mut dyn BatchObserver,
) -> Result<BatchEnd, RunError> {
    let limit = batch.schedule.first();
    let mut work = Work {
        batch,
        limit,
        profile: profile_of(limit, store, engines)?,
        turns: batch.roots.iter().map(|_| Turn::default()).collect(),
        budget: Budget::new(batch.limits, engines.now()),
        under_way: SearchesUnderWay::default(),
        store,
        engines,
        control,
        observer,
        failures: 0,
        ending: End::Settled,
    };
    for limit in batch.schedule.limits() {
        work.stage(limit)?;
        if work.ending != End::Settled || work.turns.iter().all(|turn| turn.is_last) {
            break;
        }
    }
    let (searches, elapsed) = (work.budget.all_searches(), work.budget.elapsed(work.engines.now()));
    let outcomes = work.turns.into_iter().map(|turn| turn.outcome.unwrap_or(RootOutcome::Left));
    let Work { limit, profile, ending, .. } = work;
    Ok(BatchEnd { limit, profile, ending, outcomes: outcomes.collect(), searches, elapsed })
}

/// The profile of answers at a limit.
fn profile_of(
    limit: Limit,
    store: &mut Store,
    engines: &dyn Engines,
) -> Result<ProfileId, StoreError> {
    store.profile_id(&Profile { limit, ..engines.profile().clone() })
}

/// How far a root has come.
#[derive(Debug, Default)]
struct Turn {
    /// What became of it in the last stage in which it had a turn.
    outcome: Option<RootOutcome>,
    /// Its analysis in that stage.
    analysis: Option<AnalysisId>,
    /// What this run has spent on it.
    spent: Spent,
    /// Whether it is to have no other turn.
    is_last: bool,
}

/// A batch being grown.
struct Work<'a> {
    batch: &'a Batch,
    /// The limit of the searches of this stage.
    limit: Limit,
    /// Whose answers this stage's trees are made of.
    profile: ProfileId,
    turns: Vec<Turn>,
    budget: Budget,
    under_way: SearchesUnderWay,
    store: &'a mut Store,
    engines: &'a mut dyn Engines,
    control: &'a ControlReceiver,
    observer: &'a mut dyn BatchObserver,
    /// Roots that have failed in a row without an answer.
    failures: usize,
    /// What ends the batch, once it is known.
    ending: End,
}

impl Work<'_> {
    /// Gives every root its turn in a stage.
    fn stage(&mut self, limit: Limit) -> Result<(), RunError> {
        self.limit = limit;
        self.profile = profile_of(limit, self.store, self.engines)?;
        self.observer.stage_begins(limit);
        let batch = self.batch;
        let mut done = 0;
        for root in &batch.roots {
            done += usize::from(self.settled(root)?.is_some());
        }
        self.observer.done_before(done);
        for (index, root) in batch.roots.iter().enumerate() {
            let turn = self.turns.get(index);
            if turn.is_some_and(|turn| turn.is_last) {
                continue;
            }
            let outcome = self.turn(index, root)?;
            if let Some(turn) = self.turns.get_mut(index) {
                turn.take(outcome);
            }
        }
        Ok(())
    }

    /// What becomes of one root.
    fn turn(&mut self, index: usize, root: &Root) -> Result<RootOutcome, RunError> {
        if let Some(ending) = Ending::of(root.game.root()) {
            return Ok(RootOutcome::Over(ending));
        }
        if let Some(row) = self.settled(root)? {
            let target = self.depth().max(row.settled_depth.unwrap_or(0));
            if row.target_depth != target {
                self.patiently(|work| Ok(work.store.aim(row.id, target)?))?;
            }
            let is_last = self.is_exhausted(index, root, &row)?;
            if let Some(turn) = self.turns.get_mut(index) {
                turn.is_last = is_last;
            }
            return Ok(RootOutcome::Done(Box::new(row)));
        }
        if self.must_end() {
            return Ok(RootOutcome::Left);
        }
        self.observer.root_begins(index, root);
        let outcome = self.grow(index, root)?;
        self.observer.root_ends(index, &outcome);
        Ok(outcome)
    }

    /// Whether deeper stages would change nothing of a tree that was settled before. One that has a deeper
    /// stage already is not looked at.
    fn is_exhausted(&self, index: usize, root: &Root, row: &AnalysisRow) -> Result<bool, RunError> {
        let deeper = |other: &AnalysisRow| other.id > row.id && other.breadth == row.breadth;
        if !self.batch.schedule.has_stages()
            || self.store.analyses_of(&root.game)?.iter().any(deeper)
        {
            return Ok(false);
        }
        let before = self.turns.get(index).and_then(|turn| turn.analysis);
        let growth = load(self.store, row.id)?.growth;
        Ok(exhausted(self.store, before, row.id, &growth)?.is_some())
    }

    fn grow(&mut self, index: usize, root: &Root) -> Result<RootOutcome, RunError> {
        let plan = Plan {
            game: root.game.clone(),
            breadth: self.batch.breadth.clone(),
            depth: self.depth(),
            schedule: self.batch.schedule,
            limits: self.batch.limits,
            directives: None,
            look_ahead: self.batch.look_ahead,
        };
        let turn = self.turns.get(index);
        let (spent, before) = turn.map(|turn| (turn.spent, turn.analysis)).unwrap_or_default();
        let stage = (self.limit, Stage { before, verdict: None });
        self.budget.begin_root(self.batch.each.without(spent), self.engines.now());
        self.under_way.turn_to_another_root();
        let grown = self.patiently(|work| {
            let spent = (&mut work.budget, &mut work.under_way);
            grow_stage(
                &plan,
                stage.clone(),
                spent,
                work.store,
                work.engines,
                work.control,
                work.observer,
            )
        });
        let now = self.engines.now();
        if let Some(turn) = self.turns.get_mut(index) {
            turn.spent = turn.spent + self.budget.spent_on_root(now);
            turn.is_last = self.batch.each.without(turn.spent).are_spent();
        }
        match grown {
            Ok(outcome) => {
                self.failures = 0;
                self.ending = match outcome.ending {
                    // A limit of this root alone ends nothing else.
                    End::Limit if !self.budget.is_spent(self.engines.now()) => End::Settled,
                    ending => ending,
                };
                Ok(RootOutcome::Grown(outcome))
            }
            // Another run has it: that says nothing of the engines.
            Err(error @ RunError::Store(StoreError::Growing { .. })) => {
                Ok(RootOutcome::Failed(error))
            }
            Err(error) if is_given_up(&error) => {
                let answered = self.budget.searches() > 0;
                self.failures = if answered { 0 } else { self.failures + 1 };
                if self.failures >= HOPELESS {
                    return Err(error);
                }
                Ok(RootOutcome::Failed(error))
            }
            Err(error) => Err(error),
        }
    }

    /// Does something; where another program keeps the database locked, as often as it takes. Only
    /// somebody who wants the batch to end ends that.
    fn patiently<T>(
        &mut self,
        work: impl Fn(&mut Self) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        loop {
            match work(self) {
                Err(RunError::Store(error))
                    if error.is_busy() && !self.control.is_told_to_end() =>
                {
                    self.observer.waiting(&error.to_string());
                }
                done => return done,
            }
        }
    }

    /// The analysis of a root whose depth is settled under the directives that the root has by now.
    fn settled(&self, root: &Root) -> Result<Option<AnalysisRow>, StoreError> {
        let rows = self.store.analyses_of(&root.game)?;
        let settled = rows.into_iter().find(|row| {
            row.profile_id == self.profile
                && row.breadth == self.batch.breadth
                && row.settled_depth.is_some_and(|depth| depth >= self.depth())
        });
        let Some(row) = settled else {
            return Ok(None);
        };
        let directives = self.store.directives(&root.game)?.of_tree();
        Ok((self.store.grown_with(row.id)? == directives).then_some(row))
    }

    /// The depth to settle.
    fn depth(&self) -> u32 {
        self.control.target().map_or(self.batch.depth, |target| target.depth)
    }

    /// Whether the batch ends before another root.
    fn must_end(&mut self) -> bool {
        if self.ending == End::Settled {
            let is_spent = self.budget.is_spent(self.engines.now());
            self.ending = must_end(self.control, is_spent).unwrap_or(End::Settled);
        }
        self.ending != End::Settled
    }
}

impl Turn {
    /// Takes what became of the root. Where it had no turn in this stage, what became of it before stands.
    fn take(&mut self, outcome: RootOutcome) {
        match &outcome {
            RootOutcome::Left if self.outcome.is_some() => return,
            RootOutcome::Left => {}
            RootOutcome::Over(_) | RootOutcome::Failed(_) => self.is_last = true,
            RootOutcome::Done(row) => self.analysis = Some(row.id),
            RootOutcome::Grown(grown) => {
                self.analysis = grown.analysis.or(self.analysis);
                self.is_last |= grown.exhausted.is_some();
            }
        }
        self.outcome = Some(outcome);
    }
}

/// Whether engines have failed at one search only: that says nothing about the other roots.
fn is_given_up(error: &RunError) -> bool {
    matches!(error, RunError::Engine(error) if matches!(error.reason, Reason::GaveUp { .. }))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::run::made_up::{Deaf, mute_engines};

    #[test]
    fn a_batch_whose_time_is_up_waits_for_a_locked_database() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let mut engines = mute_engines();
        let limits = RunLimits { time: Some(Duration::ZERO), ..RunLimits::default() };
        let each = RunLimits::default();
        let (roots, look_ahead) = (Vec::new(), true);
        let limit = Limit::Depth(1);
        let schedule = Schedule::Once(limit);
        let batch =
            Batch { roots, breadth: 10.into(), depth: 2, schedule, limits, each, look_ahead };
        let mut work = Work {
            batch: &batch,
            limit,
            profile: profile_of(limit, &mut store, &engines).unwrap(),
            turns: Vec::new(),
            budget: Budget::new(limits, engines.now()),
            under_way: SearchesUnderWay::default(),
            store: &mut store,
            engines: &mut engines,
            control: &ControlReceiver::never(),
            observer: &mut Deaf,
            failures: 0,
            ending: End::Settled,
        };
        let tries = Cell::new(0);
        let done = work.patiently(|_| {
            tries.set(tries.get() + 1);
            if tries.get() < 3 { Err(StoreError::locked().into()) } else { Ok(()) }
        });
        assert!(done.is_ok(), "{done:?}");
    }
}
