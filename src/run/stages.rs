//! Growing a root stage by stage: each an analysis of its own, in which the engines search deeper than in
//! the one before.

use std::fmt;

use crate::engine::Engines;
use crate::search::Limit;
use crate::store::{AnalysisId, Store};

use super::control::ControlReceiver;
use super::control::limits::Budget;
use super::error::RunError;
use super::feed::progress::Observer;
use super::grow::{End, Plan, RunOutcome, grow_stage};
use super::under_way::SearchesUnderWay;

/// One stage.
#[derive(Debug, Clone, Copy)]
pub struct Stage {
    /// The limit of its searches.
    pub limit: Limit,
    /// The stage before, which says what to expect.
    pub before: Option<AnalysisId>,
}

/// Why deeper searches would change nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhausted {
    /// Every line ends: in a finished position, in mate, or at a value that the user gave.
    Decided,
    /// The engine searches no deeper than so many plies, whatever it is asked.
    EngineDepth(u32),
    /// There is no deeper stage.
    LastStage,
}

/// As a clause.
impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
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
    let mut budget = Budget::new(plan.limits, engines.now());
    let mut under_way = SearchesUnderWay::default();
    let mut grow = |limit, before: Option<&RunOutcome>| {
        observer.stage_begins(limit);
        let stage = Stage { limit, before: before.map(|before| before.analysis) };
        let spent = (&mut budget, &mut under_way);
        let outcome = grow_stage(plan, stage, spent, store, engines, control, observer)?;
        let ahead = before.map(|before| before.ahead).unwrap_or_default() + outcome.ahead;
        Ok::<RunOutcome, RunError>(RunOutcome { ahead, ..outcome })
    };
    let mut outcome = grow(plan.schedule.first(), None)?;
    for limit in plan.schedule.limits().skip(1) {
        if !outcome.goes_deeper() {
            return Ok(outcome);
        }
        outcome = grow(limit, Some(&outcome))?;
    }
    if plan.schedule.has_stages() && outcome.goes_deeper() {
        outcome.exhausted = Some(Exhausted::LastStage);
    }
    Ok(outcome)
}

impl RunOutcome {
    /// Whether deeper searches are next, where there are stages.
    pub(super) fn goes_deeper(&self) -> bool {
        self.ending == End::Settled && self.exhausted.is_none()
    }
}
