//! What a run has come to: the best line of the stage that speaks, and what was best before.

use shakmaty::uci::UciMove;

use crate::analysis::{BestLine, Stages, load};
use crate::chess::Value;
use crate::run::{Plan, RunOutcome};
use crate::search::Profile;
use crate::store::{AnalysisId, AnalysisRow, Store, StoreError};

/// The verdict at the end of a run.
#[derive(Debug)]
pub struct Verdict {
    /// The analysis that speaks.
    pub analysis: AnalysisId,
    /// Which stage that is; none where there are no stages.
    pub stage: Option<String>,
    /// The best line.
    pub best: Option<BestLine>,
    /// The line of the second best move.
    pub second: Option<BestLine>,
    /// The best move and its alpha before the run.
    pub before: Option<(UciMove, Value)>,
}

/// What was best before a run; nothing where the root is new.
pub fn before(
    plan: &Plan,
    profile: &Profile,
    store: &Store,
) -> Result<Option<(UciMove, Value)>, StoreError> {
    let is_own = |row: &AnalysisRow| {
        let own = &row.profile;
        row.breadth == plan.breadth
            && own.engine == profile.engine
            && own.options == profile.options
            && own.kept_hash == profile.kept_hash
            && (plan.schedule.has_stages() || own.limit == profile.limit)
    };
    let Some(row) = store.analyses_of(&plan.game)?.into_iter().find(is_own) else {
        return Ok(None);
    };
    let analysis = speaking(plan, row, store)?.id;
    Ok(store.course(analysis)?.points.last().map(|point| (point.best, point.alpha)))
}

/// What the run has come to.
pub fn verdict(
    plan: &Plan,
    outcome: &RunOutcome,
    before: Option<(UciMove, Value)>,
    store: &Store,
) -> Result<Verdict, StoreError> {
    let (analysis, best) = (outcome.analysis, outcome.best.as_deref().cloned());
    let second = outcome.second.as_deref().cloned();
    let last = Verdict { analysis, stage: None, best, second, before };
    let Some(row) = store.analysis(analysis)? else {
        return Ok(last);
    };
    let row = speaking(plan, row, store)?;
    let settled = row.settled_depth.map(|depth| format!(", depth {depth} complete"));
    let stage = format!("engine {}{}", row.profile.limit, settled.unwrap_or_default());
    let stage = plan.schedule.has_stages().then_some(stage);
    if row.id == analysis {
        return Ok(Verdict { stage, ..last });
    }
    let growth = load(store, row.id)?.growth;
    let (best, second) = (BestLine::of(&growth), BestLine::second(&growth));
    Ok(Verdict { analysis: row.id, stage, best, second, before })
}

/// The analysis that speaks for one: of its stages, where the run makes stages.
fn speaking(plan: &Plan, row: AnalysisRow, store: &Store) -> Result<AnalysisRow, StoreError> {
    if !plan.schedule.has_stages() {
        return Ok(row);
    }
    let stages = Stages::of(store, row.clone())?;
    Ok(stages.speaking().cloned().unwrap_or(row))
}
