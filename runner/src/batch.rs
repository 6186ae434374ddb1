//! Growing the trees of many roots, one after the other: one pool, one memo, limits over all. With stages,
//! every root has its turn in a stage before the next stage begins.

use std::sync::Arc;
use std::time::Duration;

use crate::control::limits::RunLimits;
use crate::control::{ControlReceiver, must_end};
use crate::error::RunError;
use crate::feed::event::{RunEvent, RunListener};
use crate::outcome::{RunEnd, RunOutcome};
use crate::plan::{Plan, Schedule, TreePlan};
use crate::stage::{exhausted, grow_stage};
use crate::stages::{InProgress, RunWork, StageBefore};
use crate::watched::UntilStable;
use deepanalyze_core::chess::{Ending, Game};
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_engine::Engines;
use deepanalyze_store::{
    AnalysisId, AnalysisKind, AnalysisRow, ProfileId, RootOrigin, Store, StoreError,
};
use deepanalyze_view::{Percent, load_tree};

/// The roots that are to be grown, and how.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The roots, in the order in which they are grown.
    pub roots: Vec<BatchRoot>,
    /// How their trees are grown.
    pub tree: TreePlan,
    /// The depth to settle.
    pub depth: u32,
    /// How deep the engines search.
    pub schedule: Schedule,
    /// What may end the whole batch.
    pub limits: RunLimits,
    /// What may end the work on one root, in all stages.
    pub each: RunLimits,
    /// The chance that its best move stays at which a root is done.
    pub until_stable: Option<Percent>,
    /// Whether engines that would be idle search what will probably be asked.
    pub look_ahead: bool,
}

/// One root of a batch.
#[derive(Debug, Clone)]
pub struct BatchRoot {
    /// What the run's reports call it: a move of the game, the `id` of an EPD line.
    pub name: String,
    /// What people call it, where it has no name in the database yet.
    pub kept_name: Option<String>,
    /// The game that it is a position of: the roots of one game share it.
    game: Arc<Game>,
    ply: usize,
}

impl BatchRoot {
    /// A position of a game, at a ply.
    pub fn new(name: String, kept_name: Option<String>, game: Arc<Game>, ply: usize) -> BatchRoot {
        BatchRoot { name, kept_name, game, ply }
    }

    /// The position that a game leads to.
    pub fn at_the_end(name: String, kept_name: Option<String>, game: Game) -> BatchRoot {
        let ply = game.moves().len();
        BatchRoot::new(name, kept_name, Arc::new(game), ply)
    }

    /// The game up to it.
    pub fn game(&self) -> Game {
        self.game.up_to(self.ply)
    }
}

/// What became of a root in the last stage in which it had a turn.
#[derive(Debug)]
pub enum RootOutcome {
    /// The game is over there.
    Over(Ending),
    /// Its depth had been settled before, or its best move been stable enough.
    Before(RunEnd, Box<AnalysisRow>),
    /// It was grown, perhaps not to its end.
    Grown(Box<RunOutcome>),
    /// It cannot be grown now; the others can.
    Failed(RunError),
    /// The batch ended before its turn.
    Left,
}

/// What a batch did.
#[derive(Debug)]
pub struct BatchOutcome {
    /// The limit of the searches of the last stage that was begun.
    pub limit: Limit,
    /// Whose answers that stage's trees are made of.
    pub profile: ProfileId,
    /// How the batch ended: [`RunEnd::Settled`] where every root had its turn.
    pub ending: RunEnd,
    /// What became of each root.
    pub outcomes: Vec<RootOutcome>,
    /// Searches of this run.
    pub searches: u64,
    /// How long this run took.
    pub elapsed: Duration,
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
    tell: &mut RunListener<'_>,
) -> Result<BatchOutcome, RunError> {
    let mut progress = InProgress::new(engines);
    progress.budget.limit(batch.limits);
    let limit = batch.schedule.first();
    let profile = profile_of(limit, store, engines)?;
    let work = RunWork { store, engines, control, tell, progress: &mut progress };
    BatchWork { batch, limit, profile, work, failures: 0, ending: RunEnd::Settled }.grow_all()
}

/// How far a root has come.
#[derive(Debug)]
struct RootTurn<'a> {
    index: usize,
    root: &'a BatchRoot,
    /// What became of it in the last stage in which it had a turn.
    outcome: Option<RootOutcome>,
    /// Its analysis in that stage.
    analysis: Option<AnalysisId>,
    /// What this run may still spend on it.
    left: RunLimits,
    /// Whether it is to have no other turn.
    is_last: bool,
}

impl RootTurn<'_> {
    /// Its tree may be empty again: what was found out by it is open.
    fn reopen(&mut self) {
        self.is_last &= matches!(self.outcome, Some(RootOutcome::Over(_) | RootOutcome::Failed(_)));
    }

    /// Takes what became of the root. Where it had no turn in this stage, what became of it before stands.
    fn take(&mut self, outcome: RootOutcome) {
        match &outcome {
            RootOutcome::Left if self.outcome.is_some() => return,
            RootOutcome::Left => {}
            RootOutcome::Over(_) | RootOutcome::Failed(_) => self.is_last = true,
            RootOutcome::Before(end, row) => {
                self.analysis = Some(row.id);
                self.is_last |= *end == RunEnd::Stable;
            }
            RootOutcome::Grown(grown) => {
                self.analysis = grown.analysis.or(self.analysis);
                self.is_last |= grown.exhausted.is_some() || grown.ending == RunEnd::Stable;
            }
        }
        self.outcome = Some(outcome);
    }
}

/// Engines that fail at so many roots in a row, and answer nothing in between, fail at all of them.
const HOPELESS: usize = 3;

/// A batch being grown.
struct BatchWork<'a> {
    batch: &'a Batch,
    /// The limit of the searches of this stage.
    limit: Limit,
    /// Whose answers this stage's trees are made of.
    profile: ProfileId,
    work: RunWork<'a>,
    /// Roots that have failed in a row without an answer.
    failures: usize,
    /// What ends the batch, once it is known.
    ending: RunEnd,
}

impl BatchWork<'_> {
    /// Goes from stage to stage until every root has had its last turn, or the batch ends.
    fn grow_all(mut self) -> Result<BatchOutcome, RunError> {
        let roots = self.batch.roots.iter().enumerate();
        let left = self.batch.each;
        let mut turns: Vec<RootTurn<'_>> = roots
            .map(|(index, root)| {
                let (outcome, analysis, is_last) = (None, None, false);
                RootTurn { index, root, outcome, analysis, left, is_last }
            })
            .collect();
        for limit in self.batch.schedule.limits() {
            self.stage(limit, &mut turns)?;
            if self.ending != RunEnd::Settled || turns.iter().all(|turn| turn.is_last) {
                break;
            }
        }
        let budget = &self.work.progress.budget;
        let (searches, elapsed) = (budget.all_searches(), budget.elapsed(self.work.engines.now()));
        let outcomes = turns.into_iter().map(|turn| turn.outcome.unwrap_or(RootOutcome::Left));
        let BatchWork { limit, profile, ending, .. } = self;
        let outcomes = outcomes.collect();
        Ok(BatchOutcome { limit, profile, ending, outcomes, searches, elapsed })
    }

    /// Gives every root its turn in a stage.
    fn stage(&mut self, limit: Limit, turns: &mut [RootTurn<'_>]) -> Result<(), RunError> {
        self.limit = limit;
        self.profile = profile_of(limit, self.work.store, self.work.engines)?;
        if self.batch.schedule.has_stages() {
            (self.work.tell)(RunEvent::StageBegins(limit));
        }
        let mut done = 0;
        for root in &self.batch.roots {
            done += usize::from(self.settled(root)?.is_some());
        }
        (self.work.tell)(RunEvent::DoneBefore(done));
        loop {
            let taken_back = self.work.store.times_taken_back()?;
            for turn in turns.iter_mut().filter(|turn| !turn.is_last) {
                let outcome = self.turn(turn)?;
                turn.take(outcome);
            }
            if self.ending != RunEnd::Settled || self.work.store.times_taken_back()? == taken_back {
                return Ok(());
            }
            // Trees that were whole stood on what was taken back, perhaps.
            turns.iter_mut().for_each(RootTurn::reopen);
        }
    }

    /// What becomes of one root.
    fn turn(&mut self, turn: &mut RootTurn<'_>) -> Result<RootOutcome, RunError> {
        let (index, root, game) = (turn.index, turn.root, turn.root.game());
        if let Some(ending) = Ending::of(game.root()) {
            return Ok(RootOutcome::Over(ending));
        }
        if let Some(row) = self.settled(root)? {
            let target = self.depth().max(row.settled_depth.unwrap_or(0));
            if row.target_depth != target {
                self.work.store.aim(row.id, target)?;
            }
            if let Some(name) = &root.kept_name {
                self.work.store.suggest_name_of(row.id, name)?;
            }
            if self.is_stable(&row)? {
                return Ok(RootOutcome::Before(RunEnd::Stable, Box::new(row)));
            }
            turn.is_last = self.is_exhausted(turn, &row)?;
            return Ok(RootOutcome::Before(RunEnd::Settled, Box::new(row)));
        }
        if self.must_end() {
            return Ok(RootOutcome::Left);
        }
        let (name, position) = (root.name.clone(), game.root().clone());
        (self.work.tell)(RunEvent::RootBegins { index, name, root: position });
        let outcome = self.grow(turn)?;
        let told = match &outcome {
            RootOutcome::Grown(outcome) => Some(Ok(outcome.clone())),
            RootOutcome::Failed(error) => Some(Err(error.to_string())),
            RootOutcome::Over(_) | RootOutcome::Before(..) | RootOutcome::Left => None,
        };
        if let Some(outcome) = told {
            (self.work.tell)(RunEvent::RootEnds { index, outcome });
        }
        Ok(outcome)
    }

    /// Whether the verdict of a tree that was settled before is as stable as the batch wants it.
    fn is_stable(&self, row: &AnalysisRow) -> Result<bool, RunError> {
        let Some(least) = self.batch.until_stable else { return Ok(false) };
        let stable = UntilStable::of(self.work.store, row.id, least)?;
        let settled = stable.as_ref().and_then(UntilStable::stays).map(|stays| stays.best);
        Ok(stable.is_some_and(|stable| stable.is_reached(settled)))
    }

    /// Whether deeper stages would change nothing of a tree that was settled before. One that has a deeper
    /// stage already is not looked at.
    fn is_exhausted(&self, turn: &RootTurn<'_>, row: &AnalysisRow) -> Result<bool, RunError> {
        let deeper = |other: &AnalysisRow| other.id > row.id && other.settings == row.settings;
        if !self.batch.schedule.has_stages()
            || self.work.store.analyses_of(&turn.root.game())?.iter().any(deeper)
        {
            return Ok(false);
        }
        let growth = load_tree(self.work.store, row.id)?.growth;
        Ok(exhausted(self.work.store, turn.analysis, Some(row.id), &growth)?.is_some())
    }

    fn grow(&mut self, turn: &mut RootTurn<'_>) -> Result<RootOutcome, RunError> {
        let (batch, root) = (self.batch, turn.root);
        let plan = Plan {
            name: root.kept_name.clone(),
            origin: RootOrigin::WRITTEN_GAME,
            limits: batch.limits,
            until_stable: batch.until_stable,
            look_ahead: batch.look_ahead,
            ..Plan::new(root.game(), batch.tree.clone(), batch.schedule, self.depth())
        };
        let stage = StageBefore { before: turn.analysis, verdict: None };
        self.work.progress.budget.begin_root(turn.left, self.work.engines.now());
        self.work.progress.under_way.turn_to_another_root();
        let grown = grow_stage(&plan, self.limit, stage, &mut self.work);
        turn.left = self.work.progress.budget.left_of_root(self.work.engines.now());
        turn.is_last = turn.left.are_spent();
        match grown {
            Ok(outcome) => {
                self.failures = 0;
                self.ending = match outcome.ending {
                    // A limit of this root alone ends nothing else.
                    RunEnd::Limit
                        if !self.work.progress.budget.is_spent(self.work.engines.now()) =>
                    {
                        RunEnd::Settled
                    }
                    RunEnd::Stable => RunEnd::Settled,
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
                let answered = self.work.progress.budget.searches() > 0;
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
    fn settled(&self, root: &BatchRoot) -> Result<Option<AnalysisRow>, StoreError> {
        let rows = self.work.store.analyses_of(&root.game())?;
        let settings = self.batch.tree.kept(self.work.store)?;
        let kind = AnalysisKind { profile: self.profile, settings };
        let is_deep =
            |row: &AnalysisRow| row.settled_depth.is_some_and(|depth| depth >= self.depth());
        let settled = rows.into_iter().find(|row| row.kind() == kind && is_deep(row));
        let Some(row) = settled else {
            return Ok(None);
        };
        let directives = self.work.store.directives(&root.game())?.of_tree();
        if row.settings.tables.is_some() && row.fact_round < self.work.store.last_fact_round()? {
            return Ok(None);
        }
        Ok((self.work.store.grown_with(row.id)? == directives).then_some(row))
    }

    /// The depth to settle.
    fn depth(&self) -> u32 {
        self.work.control.target().map_or(self.batch.depth, |target| target.depth)
    }

    /// Whether the batch ends before another root.
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
