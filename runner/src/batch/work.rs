//! A batch being grown: stage after stage, and in each one root after the other.

use crate::control::ControlReceiver;
use crate::control::ending::must_end;
use crate::control::limits::Budget;
use crate::error::RunError;
use crate::grow::{End, Plan, exhausted, grow_stage};
use crate::keeping::Keeping;
use crate::pass::PassOrder;
use crate::stages::Stage;
use crate::under_way::SearchesUnderWay;
use crate::until_stable::UntilStable;
use deepanalyze_core::chess::Ending;
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_engine::Engines;
use deepanalyze_report::{LinesTold, load};
use deepanalyze_store::{AnalysisRow, Kind, ProfileId, Store, StoreError};

use super::turn::Turn;
use super::{Batch, BatchEnd, BatchObserver, Root, RootOutcome};

/// Engines that fail at so many roots in a row, and answer nothing in between, fail at all of them.
const HOPELESS: usize = 3;

/// A batch being grown.
pub(super) struct Work<'a> {
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

impl<'a> Work<'a> {
    /// A batch of which nothing is done yet.
    pub(super) fn new(
        batch: &'a Batch,
        (store, engines): (&'a mut Store, &'a mut dyn Engines),
        control: &'a ControlReceiver,
        observer: &'a mut dyn BatchObserver,
    ) -> Result<Work<'a>, RunError> {
        let limit = batch.schedule.first();
        Ok(Work {
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
        })
    }

    /// Goes from stage to stage until every root has had its last turn, or the batch ends.
    pub(super) fn grow_all(mut self) -> Result<BatchEnd, RunError> {
        for limit in self.batch.schedule.limits() {
            self.stage(limit)?;
            if self.ending != End::Settled || self.turns.iter().all(|turn| turn.is_last) {
                break;
            }
        }
        let searches = self.budget.all_searches();
        let elapsed = self.budget.elapsed(self.engines.now());
        let outcomes = self.turns.into_iter().map(|turn| turn.outcome.unwrap_or(RootOutcome::Left));
        let Work { limit, profile, ending, .. } = self;
        Ok(BatchEnd { limit, profile, ending, outcomes: outcomes.collect(), searches, elapsed })
    }

    /// Gives every root its turn in a stage.
    fn stage(&mut self, limit: Limit) -> Result<(), RunError> {
        self.limit = limit;
        self.profile = profile_of(limit, self.store, self.engines)?;
        if self.batch.schedule.has_stages() {
            self.observer.stage_begins(limit);
        }
        let batch = self.batch;
        let mut done = 0;
        for root in &batch.roots {
            done += usize::from(self.settled(root)?.is_some());
        }
        self.observer.done_before(done);
        loop {
            let taken_back = self.store.times_taken_back()?;
            self.turns()?;
            if self.ending != End::Settled || self.store.times_taken_back()? == taken_back {
                return Ok(());
            }
            // Trees that were whole stood on what was taken back, perhaps.
            self.turns.iter_mut().for_each(Turn::reopen);
        }
    }

    /// Gives every root its turn that has not had its last.
    fn turns(&mut self) -> Result<(), RunError> {
        let batch = self.batch;
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
        if let Some(ending) = Ending::of(root.game().root()) {
            return Ok(RootOutcome::Over(ending));
        }
        if let Some(row) = self.settled(root)? {
            let target = self.depth().max(row.settled_depth.unwrap_or(0));
            if row.target_depth != target {
                self.store.aim(row.id, target)?;
            }
            if let Some(name) = &root.kept_name {
                self.store.suggest_name(&root.game(), name)?;
            }
            if self.is_stable(&row)? {
                return Ok(RootOutcome::Stable(Box::new(row)));
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

    /// Whether the verdict of a tree that was settled before is as stable as the batch wants it.
    fn is_stable(&self, row: &AnalysisRow) -> Result<bool, RunError> {
        let Some(least) = self.batch.until_stable else { return Ok(false) };
        let stable = UntilStable::of(self.store, row.id, least)?;
        let settled = stable.as_ref().and_then(UntilStable::stays).map(|stays| stays.best);
        Ok(stable.is_some_and(|stable| stable.is_reached(settled)))
    }

    /// Whether deeper stages would change nothing of a tree that was settled before. One that has a deeper
    /// stage already is not looked at.
    fn is_exhausted(&self, index: usize, root: &Root, row: &AnalysisRow) -> Result<bool, RunError> {
        let deeper = |other: &AnalysisRow| {
            other.id > row.id && other.breadth == row.breadth && other.tables == row.tables
        };
        if !self.batch.schedule.has_stages()
            || self.store.analyses_of(&root.game())?.iter().any(deeper)
        {
            return Ok(false);
        }
        let before = self.turns.get(index).and_then(|turn| turn.analysis);
        let growth = load(self.store, row.id)?.growth;
        Ok(exhausted(self.store, before, Some(row.id), &growth)?.is_some())
    }

    fn grow(&mut self, index: usize, root: &Root) -> Result<RootOutcome, RunError> {
        let plan = Plan {
            game: root.game(),
            name: root.kept_name.clone(),
            breadth: self.batch.breadth.clone(),
            tables: self.batch.tables.clone(),
            depth: self.depth(),
            schedule: self.batch.schedule,
            limits: self.batch.limits,
            until_stable: self.batch.until_stable,
            directives: None,
            look_ahead: self.batch.look_ahead,
            order: PassOrder::default(),
            told: LinesTold::default(),
            keeping: Keeping::default(),
        };
        let turn = self.turns.get(index);
        let (spent, before) = turn.map(|turn| (turn.spent, turn.analysis)).unwrap_or_default();
        let stage = (self.limit, Stage { before, verdict: None });
        self.budget.begin_root(self.batch.each.without(spent), self.engines.now());
        self.under_way.turn_to_another_root();
        let spent = (&mut self.budget, &mut self.under_way);
        let (control, observer) = (self.control, &mut *self.observer);
        let grown = grow_stage(&plan, stage, spent, self.store, self.engines, control, observer);
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
                    End::Stable => End::Settled,
                    ending => ending,
                };
                Ok(RootOutcome::Grown(Box::new(outcome)))
            }
            // Another run has it: that says nothing of the engines.
            Err(error @ RunError::Store(StoreError::Growing { .. })) => {
                Ok(RootOutcome::Failed(error))
            }
            // That says nothing of the other roots.
            Err(RunError::Engine(error)) if error.is_given_up() => {
                let error = RunError::Engine(error);
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

    /// The analysis of a root whose depth is settled under the directives that the root has by now.
    fn settled(&self, root: &Root) -> Result<Option<AnalysisRow>, StoreError> {
        let rows = self.store.analyses_of(&root.game())?;
        let tables = self.batch.tables.as_ref().map(|used| used.tables);
        let kind = Kind { profile: self.profile, breadth: self.batch.breadth.clone(), tables };
        let is_deep =
            |row: &AnalysisRow| row.settled_depth.is_some_and(|depth| depth >= self.depth());
        let settled = rows.into_iter().find(|row| row.kind() == kind && is_deep(row));
        let Some(row) = settled else {
            return Ok(None);
        };
        let directives = self.store.directives(&root.game())?.of_tree();
        if row.tables.is_some() && row.fact_round < self.store.last_fact_round()? {
            return Ok(None);
        }
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

/// The profile of answers at a limit.
fn profile_of(
    limit: Limit,
    store: &mut Store,
    engines: &dyn Engines,
) -> Result<ProfileId, StoreError> {
    store.profile_id(&Profile { limit, ..engines.profile().clone() })
}
