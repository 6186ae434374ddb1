//! Growing a root stage by stage: each an analysis of its own, in which the engines search deeper than in
//! the one before.

use std::time::{Duration, Instant};

use deepanalyze_core::search::{Answer, Limit, Search, WorkerId};
use deepanalyze_engine::{Engines, LongEnd};
use deepanalyze_store::{AnalysisId, NewAnswer, Store, StoreError};
use deepanalyze_view::BestLines;

use crate::closing::{ClosingOutcome, ClosingPlan, close};
use crate::control::ControlReceiver;
use crate::control::limits::{Budget, RunLimits};
use crate::error::RunError;
use crate::feed::event::{RunEvent, RunListener, Speaking};
use crate::outcome::{Exhausted, RunEnd, RunOutcome};
use crate::plan::Plan;
use crate::recheck::{MovesUnderWay, recheck_grown};
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
    /// Searches of moves alone, and the analysis for which they are made now.
    pub(crate) moves: MovesUnderWay,
    pub(crate) rechecked: Option<AnalysisId>,
}

impl InProgress {
    /// A run that begins now.
    pub fn new(engines: &dyn Engines) -> InProgress {
        let budget = Budget::new(RunLimits::default(), engines.now());
        InProgress {
            budget,
            under_way: SearchesUnderWay::default(),
            moves: MovesUnderWay::default(),
            rechecked: None,
        }
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

impl RunWork<'_> {
    /// Keeps the answer of a search that a tree has left running.
    pub(crate) fn keep_left_running(
        &mut self,
        ticket: u64,
        answer: Answer,
        worker: Option<WorkerId>,
    ) -> Result<(), StoreError> {
        let Some(ended) = self.progress.under_way.finish(ticket) else { return Ok(()) };
        let Search { position, excluded } = ended.search;
        self.progress.budget.spend(answer.nodes, !ended.of_earlier_root);
        let new = NewAnswer { position, excluded, answer, worker };
        self.store.keep(ended.profile, &[new]).map(drop)
    }
}

/// Grows or continues the tree of a root, stage by stage where the plan has stages, until all is settled and
/// deeper searches would change nothing, a limit is reached, or somebody wants the run to end. Makes the closing searches
/// of the plan.
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
    let work = RunWork { store, engines, control, tell, progress: &mut progress };
    StagesRun { plan, work }.grow_and_close()
}

/// A run on one root.
struct StagesRun<'p, 'w> {
    plan: &'p Plan,
    work: RunWork<'w>,
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

impl StagesRun<'_, '_> {
    fn grow_and_close(mut self) -> Result<RunOutcome, RunError> {
        let plan = self.plan;
        let said = match &plan.directives {
            Some(said) => said.clone(),
            None => self.work.store.directives_to_begin_with(&plan.game, plan.origin)?.0,
        };
        let closing = plan.closing_under(&said);
        self.work.progress.budget.limit(plan.limits_of_tree(closing));
        let mut outcome = self.all_stages()?;
        self.until_it_holds(&mut outcome)?;
        let (began, now) = (self.work.progress.budget.began(), self.work.engines.now());
        let Some(end) = closing.at_the_end(outcome.ending, (plan.limits, began), now) else {
            return Ok(outcome);
        };
        // Moves may have been included meanwhile.
        let closed = match closing == self.closing_now()? {
            true => self.close(&mut outcome, end),
            false => Ok(Closed::Disturbed),
        };
        let why = match (closed, closing) {
            (Ok(Closed::Made), _) => return Ok(outcome),
            (Ok(Closed::Disturbed), ClosingPlan::SecondHalf) => None,
            (Ok(Closed::Nothing), ClosingPlan::SecondHalf) => {
                Some("no result in the first half of the time".to_owned())
            }
            (Err(RunError::Engine(error)), ClosingPlan::SecondHalf) => {
                Some(format!("the closing search failed: {error}"))
            }
            (Ok(Closed::Nothing | Closed::Disturbed), _) => return Ok(outcome),
            (Err(RunError::Engine(error)), _) => {
                outcome.failed = Some(error);
                return Ok(outcome);
            }
            (Err(error), _) => return Err(error),
        };
        if let Some(why) = why {
            let warning = format!("{why}; using the remaining time for the tree");
            (self.work.tell)(RunEvent::Warning(warning));
        }
        self.work.progress.budget.limit(plan.limits);
        // The directives of a file are the root's by now, and those that were given since count.
        let rest = Plan { directives: None, ..plan.clone() };
        let later = StagesRun { plan: &rest, work: self.work }.all_stages()?;
        Ok(later.instead_of(&outcome))
    }

    /// Which closing searches there are under the directives that the root has by now.
    fn closing_now(&self) -> Result<ClosingPlan, StoreError> {
        Ok(self.plan.closing_under(&self.work.store.directives(&self.plan.game)?))
    }

    /// Searches the leaves deeper that could change the best move, where that is wanted, with all that is left of the limits.
    fn until_it_holds(&mut self, outcome: &mut RunOutcome) -> Result<(), RunError> {
        let wanted = self.plan.until_holds.zip(outcome.analysis);
        let Some((within, analysis)) = wanted.filter(|_| outcome.ending != RunEnd::Interrupted)
        else {
            return Ok(());
        };
        self.work.progress.budget.limit(self.plan.limits);
        let (end, rechecked) = recheck_grown(&mut self.work, (analysis, outcome.limit), within)?;
        outcome.rechecked = rechecked;
        if end != RunEnd::Settled {
            outcome.ending = end;
        }
        let (budget, now) = (&self.work.progress.budget, self.work.engines.now());
        (outcome.searches, outcome.nodes) = (budget.searches(), budget.nodes());
        outcome.elapsed = budget.elapsed(now);
        Ok(())
    }

    /// Stage after stage, with a closing search behind each where the plan has them.
    fn all_stages(&mut self) -> Result<RunOutcome, RunError> {
        let schedule = self.plan.schedule;
        let mut taken_back = self.work.store.times_taken_back()?;
        let mut since = self.moment();
        let (mut limit, mut deeper) = (schedule.first(), schedule.limits().skip(1));
        let mut before: Option<RunOutcome> = None;
        loop {
            let mut outcome = self.stage(limit, before.as_ref())?;
            let until_now = std::mem::replace(&mut taken_back, self.work.store.times_taken_back()?);
            let is_whole = [RunEnd::Settled, RunEnd::Stable].contains(&outcome.ending);
            if before.is_some() && until_now != taken_back && is_whole {
                // Trees of earlier stages stood on what was taken back, perhaps.
                (limit, deeper, before) = (schedule.first(), schedule.limits().skip(1), None);
                outcome = self.stage(limit, None)?.instead_of(&outcome);
            }
            if !outcome.goes_deeper() {
                return Ok(outcome);
            }
            let is_disturbed = self.close_stage(&mut outcome, &mut since)?;
            if outcome.ending == RunEnd::Interrupted {
                return Ok(outcome);
            }
            if is_disturbed {
                // The same stage once more: it is wanted otherwise.
                continue;
            }
            let Some(next) = deeper.next() else {
                outcome.exhausted = schedule.has_stages().then_some(Exhausted::LastStage);
                return Ok(outcome);
            };
            (limit, before) = (next, Some(outcome));
        }
    }

    fn stage(&mut self, limit: Limit, before: Option<&RunOutcome>) -> Result<RunOutcome, RunError> {
        if self.plan.schedule.has_stages() {
            (self.work.tell)(RunEvent::StageBegins(limit));
        }
        let stage = before.map(RunOutcome::next_stage).unwrap_or_default();
        let outcome = grow_stage(self.plan, limit, stage, &mut self.work)?;
        Ok(match before {
            Some(before) => outcome.after(before),
            None => outcome,
        })
    }

    /// The closing search behind a stage, where the tree has grown long enough since the one before ended; whether somebody
    /// has disturbed it. The tree goes on where engines fail at it.
    fn close_stage(
        &mut self,
        outcome: &mut RunOutcome,
        since: &mut (Instant, Duration),
    ) -> Result<bool, RunError> {
        let (now, worked) = self.moment();
        // Where the engines worked for others, the tree has not grown.
        let grown = now.saturating_duration_since(since.0).min(worked.saturating_sub(since.1));
        let Some(end) = self.closing_now()?.after_stage(outcome.ending, grown, now) else {
            return Ok(false);
        };
        let is_disturbed = match self.close(outcome, end) {
            Ok(how) => how == Closed::Disturbed,
            Err(RunError::Engine(error)) => {
                let warning = format!("the closing search failed: {error}; the tree goes on");
                (self.work.tell)(RunEvent::Warning(warning));
                false
            }
            Err(error) => return Err(error),
        };
        *since = self.moment();
        Ok(is_disturbed)
    }

    /// What time it is, and how long engines have searched for the run.
    fn moment(&self) -> (Instant, Duration) {
        (self.work.engines.now(), self.work.progress.budget.worked())
    }

    /// Makes a closing search of the tree that speaks, and tells of it.
    fn close(&mut self, outcome: &mut RunOutcome, end: LongEnd) -> Result<Closed, RunError> {
        let Some(tree) = outcome.tree.clone() else {
            if self.work.engines.long_searches() == 0 {
                let warning = "no engine here can make a closing search".to_owned();
                (self.work.tell)(RunEvent::Warning(warning));
            }
            return Ok(Closed::Nothing);
        };
        let ClosingOutcome { ending, closing } = close(&mut self.work, (&tree, self.plan), end)?;
        if closing.is_none() && ending == RunEnd::Limit {
            let warning = "the closing search found nothing in its time".to_owned();
            (self.work.tell)(RunEvent::Warning(warning));
        }
        if let Some(closing) = closing {
            let closing = Box::new(closing);
            (self.work.tell)(RunEvent::Closed(closing.clone()));
            outcome.closing = Some(closing);
        }
        let now = self.work.engines.now();
        outcome.elapsed = self.work.progress.budget.elapsed(now);
        match (ending, self.work.control.is_told_to_end()) {
            (RunEnd::Interrupted, true) => outcome.ending = RunEnd::Interrupted,
            (RunEnd::Interrupted, false) => return Ok(Closed::Disturbed),
            _ => {}
        }
        Ok(Closed::Made)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::plan::Schedule;
    use deepanalyze_core::chess::Game;
    use deepanalyze_engine::{PANICS, mute_pool};

    #[test]
    fn a_panic_in_an_engines_thread_ends_the_run_with_an_error_and_frees_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let root = deepanalyze_core::chess::parse_fen(PANICS).unwrap();
        let (game, schedule) = (Game::from_position(root), Schedule::Once(Limit::Depth(1)));
        let plan = Plan::new(game, 10, schedule, 2);
        for _ in 0..2 {
            let mut pool = mute_pool("a run");
            let end = grow(&plan, &mut store, &mut pool, &ControlReceiver::never(), &mut |_| {});
            assert!(matches!(end, Err(RunError::EnginesGone)), "{end:?}");
        }
    }
}
