//! Growing a root stage by stage: each an analysis of its own, in which the engines search deeper than in
//! the one before.

use std::fmt;
use std::sync::Arc;

use deepanalyze_core::chess::{Ending, TableEnd};
use deepanalyze_core::tree::{Graph, NodeId};
use deepanalyze_engine::Engines;
use deepanalyze_report::{BestLine, BestLines, is_believed};
use deepanalyze_store::{AnalysisId, Store};

use super::control::ControlReceiver;
use super::control::limits::{Budget, RunLimits};
use super::error::RunError;
use super::feed::progress::{Observer, Speaking};
use super::grow::{End, Plan, RunOutcome, grow_stage};
use super::under_way::SearchesUnderWay;

/// One stage.
#[derive(Debug, Clone, Default)]
pub struct Stage {
    /// The stage before, which says what to expect.
    pub before: Option<AnalysisId>,
    /// What counts until this one has come far enough to be believed.
    pub verdict: Option<StandingVerdict>,
}

/// The verdict of the stage before.
#[derive(Debug, Clone)]
pub struct StandingVerdict {
    /// Its best lines.
    pub lines: BestLines,
    /// Which stage it is.
    pub speaking: Speaking,
}

/// Why deeper searches would change nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhausted {
    /// The game is over at the root.
    Over(Ending),
    /// Endgame tables know the root: its result for the side to move.
    Known(TableEnd),
    /// Every line ends: in a finished position, in mate, or at a value that the user gave.
    Decided,
    /// The engine searches no deeper than so many plies, whatever it is asked.
    EngineDepth(u32),
    /// There is no deeper stage.
    LastStage,
}

impl Exhausted {
    /// That of a tree whose root is an end; none where there is something to search.
    pub(super) fn of_root(graph: &Graph, root: NodeId) -> Option<Exhausted> {
        let known = || graph.known(root).map(Exhausted::Known);
        graph.ending(root).map(Exhausted::Over).or_else(known)
    }

    /// How the root ends, for its side to move, in words; none where it is no end.
    pub fn end_of_root(self) -> Option<&'static str> {
        match self {
            Exhausted::Over(ending) => Some(ending.name()),
            Exhausted::Known(known) => Some(known.words()),
            Exhausted::Decided | Exhausted::EngineDepth(_) | Exhausted::LastStage => None,
        }
    }

    /// Whether a greater depth to settle changes nothing either.
    pub(super) fn is_final(self) -> bool {
        self == Exhausted::Decided || self.end_of_root().is_some()
    }
}

/// As a clause.
impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exhausted::Over(_) => write!(f, "the game is over"),
            Exhausted::Known(_) => write!(f, "endgame tables know the result"),
            Exhausted::Decided => write!(f, "every line is decided"),
            Exhausted::EngineDepth(depth) => {
                write!(f, "the engine searches no deeper than {depth} plies")
            }
            Exhausted::LastStage => write!(f, "there is no deeper stage"),
        }
    }
}

/// Grows or continues the tree of a root, stage by stage where the plan has stages, until all is settled and
/// deeper searches would change nothing, a limit is reached, or somebody wants the run to end.
///
/// # Errors
///
/// What was answered is kept.
pub fn grow(
    plan: &Plan,
    store: &mut Store,
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    observer: &mut dyn Observer,
) -> Result<RunOutcome, RunError> {
    grow_on(&mut InProgress::new(engines), plan, store, engines, control, observer)
}

/// What a run has spent so far, and the searches that it left running: its next part goes on with both.
#[derive(Debug)]
pub struct InProgress {
    budget: Budget,
    under_way: SearchesUnderWay,
}

impl InProgress {
    /// A run that begins now.
    pub fn new(engines: &dyn Engines) -> InProgress {
        let budget = Budget::new(RunLimits::default(), engines.now());
        InProgress { budget, under_way: SearchesUnderWay::default() }
    }
}

/// The same as a part of a run, with the same engines as the parts before. The plan's limits are those of all parts up to now.
///
/// # Errors
///
/// What was answered is kept.
pub fn grow_on(
    InProgress { budget, under_way }: &mut InProgress,
    plan: &Plan,
    store: &mut Store,
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    observer: &mut dyn Observer,
) -> Result<RunOutcome, RunError> {
    budget.limit(plan.limits);
    let mut grow = |store: &mut Store, limit, before: Option<&RunOutcome>| {
        if plan.schedule.has_stages() {
            observer.stage_begins(limit);
        }
        let stage = before.map(RunOutcome::next_stage).unwrap_or_default();
        let spent = (&mut *budget, &mut *under_way);
        let outcome = grow_stage(plan, (limit, stage), spent, store, engines, control, observer)?;
        Ok::<RunOutcome, RunError>(match before {
            Some(before) => outcome.after(before),
            None => outcome,
        })
    };
    let mut taken_back = store.times_taken_back()?;
    let mut outcome = grow(store, plan.schedule.first(), None)?;
    let mut deeper = plan.schedule.limits().skip(1);
    while outcome.goes_deeper() {
        let Some(limit) = deeper.next() else {
            outcome.exhausted = plan.schedule.has_stages().then_some(Exhausted::LastStage);
            break;
        };
        outcome = grow(store, limit, Some(&outcome))?;
        let before = std::mem::replace(&mut taken_back, store.times_taken_back()?);
        if before != taken_back && [End::Settled, End::Stable].contains(&outcome.ending) {
            // Trees of earlier stages stood on what was taken back, perhaps.
            let again = grow(store, plan.schedule.first(), None)?;
            outcome = again.instead_of(&outcome);
            deeper = plan.schedule.limits().skip(1);
        }
    }
    Ok(outcome)
}

impl RunOutcome {
    /// The stage that follows this one.
    fn next_stage(&self) -> Stage {
        let speaking = Speaking { limit: self.limit, settled: self.settled_depth };
        let verdict = |best: &Arc<BestLine>| {
            let (best, others) = (Some(Arc::clone(best)), Arc::clone(&self.others));
            StandingVerdict { lines: BestLines { best, others }, speaking }
        };
        Stage { before: self.analysis, verdict: self.best.as_ref().map(verdict) }
    }

    /// What a stage and the one before it came to: the verdict of the one that speaks, the verdict of the one
    /// that spoke before the run, and the work of both.
    fn after(self, earlier: &RunOutcome) -> RunOutcome {
        let ahead = earlier.ahead + self.ahead;
        let spoke =
            if is_believed(self.settled_before, earlier.settled_before) { &self } else { earlier };
        let (before, settled_before) = (spoke.before.clone(), spoke.settled_before);
        if is_believed(self.settled_depth, earlier.settled_depth) {
            return RunOutcome { ahead, before, settled_before, ..self };
        }
        let RunOutcome { ending, searches, nodes, elapsed, exhausted, .. } = self;
        let deeper = self.analysis.map(|_| (self.limit, self.settled_depth));
        let work = RunOutcome { ending, searches, nodes, elapsed, exhausted, ..earlier.clone() };
        RunOutcome { ahead, deeper, before, settled_before, ..work }
    }

    /// The first stage, grown again after others, perhaps in a later part of the run: its work is all that was done.
    #[must_use]
    pub fn instead_of(self, earlier: &RunOutcome) -> RunOutcome {
        let ahead = earlier.ahead + self.ahead;
        let (before, settled_before) = (earlier.before.clone(), earlier.settled_before);
        RunOutcome { ahead, before, settled_before, ..self }
    }

    /// Whether deeper searches are next, where there are stages.
    pub(super) fn goes_deeper(&self) -> bool {
        self.ending == End::Settled && self.exhausted.is_none()
    }
}
