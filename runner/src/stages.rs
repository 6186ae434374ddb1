//! Growing a root stage by stage: each an analysis of its own, in which the engines search deeper than in
//! the one before.

use deepanalyze_engine::Engines;
use deepanalyze_report::BestLines;
use deepanalyze_store::{AnalysisId, Store};

use crate::control::ControlReceiver;
use crate::control::limits::{Budget, RunLimits};
use crate::error::RunError;
use crate::feed::event::{RunEvent, RunListener, Speaking};
use crate::outcome::{Exhausted, RunEnd, RunOutcome};
use crate::plan::Plan;
use crate::stage::grow_stage;
use crate::under_way::SearchesUnderWay;

/// What a stage begins with beside its own analysis.
#[derive(Debug, Clone, Default)]
pub struct StageBefore {
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

/// What a run has spent so far, and the searches that it left running: its next part goes on with both.
#[derive(Debug)]
pub struct InProgress {
    pub(crate) budget: Budget,
    pub(crate) under_way: SearchesUnderWay,
}

impl InProgress {
    /// A run that begins now.
    pub fn new(engines: &dyn Engines) -> InProgress {
        let budget = Budget::new(RunLimits::default(), engines.now());
        InProgress { budget, under_way: SearchesUnderWay::default() }
    }
}

/// What a run works with.
pub struct RunWork<'a> {
    /// Where all is kept.
    pub store: &'a mut Store,
    /// Who searches.
    pub engines: &'a mut dyn Engines,
    /// What is wanted of it.
    pub control: &'a ControlReceiver,
    /// Who is told.
    pub tell: &'a mut RunListener<'a>,
    /// What it has spent, and what is being searched.
    pub progress: &'a mut InProgress,
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
    tell: &mut RunListener<'_>,
) -> Result<RunOutcome, RunError> {
    let mut progress = InProgress::new(engines);
    grow_on(plan, RunWork { store, engines, control, tell, progress: &mut progress })
}

/// The same as a part of a run, with the same engines as the parts before. The plan's limits are those of all parts up to now.
///
/// # Errors
///
/// What was answered is kept.
pub fn grow_on(plan: &Plan, mut work: RunWork<'_>) -> Result<RunOutcome, RunError> {
    work.progress.budget.limit(plan.limits);
    let grow = |work: &mut RunWork<'_>, limit, before: Option<&RunOutcome>| {
        if plan.schedule.has_stages() {
            (work.tell)(RunEvent::StageBegins(limit));
        }
        let stage = before.map(RunOutcome::next_stage).unwrap_or_default();
        let outcome = grow_stage(plan, limit, stage, work)?;
        Ok::<RunOutcome, RunError>(match before {
            Some(before) => outcome.after(before),
            None => outcome,
        })
    };
    let mut taken_back = work.store.times_taken_back()?;
    let mut outcome = grow(&mut work, plan.schedule.first(), None)?;
    let mut deeper = plan.schedule.limits().skip(1);
    while outcome.goes_deeper() {
        let Some(limit) = deeper.next() else {
            outcome.exhausted = plan.schedule.has_stages().then_some(Exhausted::LastStage);
            break;
        };
        outcome = grow(&mut work, limit, Some(&outcome))?;
        let before = std::mem::replace(&mut taken_back, work.store.times_taken_back()?);
        if before != taken_back && [RunEnd::Settled, RunEnd::Stable].contains(&outcome.ending) {
            // Trees of earlier stages stood on what was taken back, perhaps.
            let again = grow(&mut work, plan.schedule.first(), None)?;
            outcome = again.instead_of(&outcome);
            deeper = plan.schedule.limits().skip(1);
        }
    }
    Ok(outcome)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::plan::Schedule;
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::search::Limit;
    use deepanalyze_engine::{PANICS, mute_pool};

    #[test]
    fn a_panic_in_an_engines_thread_ends_the_run_with_an_error_and_frees_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let root = deepanalyze_core::chess::parse_fen(PANICS).unwrap();
        let (game, schedule) = (Game::from_position(root), Schedule::Once(Limit::Depth(1)));
        let plan = Plan::new(game, 10.into(), schedule, 2);
        for _ in 0..2 {
            let mut pool = mute_pool("a run");
            let end = grow(&plan, &mut store, &mut pool, &ControlReceiver::never(), &mut |_| {});
            assert!(matches!(end, Err(RunError::EnginesGone)), "{end:?}");
        }
    }
}
