//! One stage: the tree is read, grown pass by pass, and read or grown again where others have changed it.

use std::sync::Arc;

use crate::analysis::{BestLine, load};
use crate::chess::Game;
use crate::engine::Engines;
use crate::run::context::{RowWriter, RunContext};
use crate::run::control::ControlReceiver;
use crate::run::control::limits::Budget;
use crate::run::directed::{Directed, DirectivesSeen, direct};
use crate::run::error::RunError;
use crate::run::feed::progress::{Observer, Progress};
use crate::run::lists::Lists;
use crate::run::look_ahead::{Forecast, LookAhead};
use crate::run::stages::{Exhausted, Stage};
use crate::run::tree_rows::TreeRows;
use crate::run::under_way::{Asking, SearchesUnderWay};
use crate::search::{Limit, Profile};
use crate::store::{AnalysisId, AnalysisKey, Store, StoreError};
use crate::tree::{Growth, is_decided};

use super::passes::{Ended, passes};
use super::{Plan, RunOutcome};

/// Grows or continues one tree of a root until its depth is settled, a limit is reached or somebody
/// wants the run to end. Stages, or roots, before it have spent from the limits, and left searches running.
///
/// # Errors
///
/// What was answered is kept; what was spent is counted.
pub(in crate::run) fn grow_stage(
    plan: &Plan,
    (limit, stage): (Limit, Stage),
    spent: (&mut Budget, &mut SearchesUnderWay),
    store: &mut Store,
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    observer: &mut dyn Observer,
) -> Result<RunOutcome, RunError> {
    let asked = Profile { limit, ..engines.profile().clone() };
    let profile = store.profile_id(&asked)?;
    let key = AnalysisKey { game: &plan.game, profile, breadth: &plan.breadth };
    let (analysis, lock) = store.begin_analysis(key)?;
    let keep_hash = asked.kept_hash.is_some();
    let asking = Asking { profile, limit, keep_hash };
    let begun = Begun { plan, stage, analysis, asking };
    let grown = grow_locked(begun, spent, store, engines, control, observer);
    // Where the database fails, the row stays: the next run deletes it, or fills it.
    let is_deleted = store.delete_if_empty(analysis, &lock).unwrap_or(false);
    grown.map(|outcome| RunOutcome { analysis: Some(analysis).filter(|_| !is_deleted), ..outcome })
}

/// A stage whose analysis is in the database, and whose lock the caller has.
struct Begun<'a> {
    plan: &'a Plan,
    stage: Stage,
    analysis: AnalysisId,
    asking: Asking,
}

/// The same with the analysis.
fn grow_locked(
    Begun { plan, stage, analysis, asking }: Begun<'_>,
    (budget, under_way): (&mut Budget, &mut SearchesUnderWay),
    store: &mut Store,
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    observer: &mut dyn Observer,
) -> Result<RunOutcome, RunError> {
    store.aim(analysis, plan.depth)?;
    if stage.before.is_none() {
        begin_directives(plan, store, observer)?;
        if let Some(name) = &plan.name {
            store.suggest_name(&plan.game, name)?;
        }
    }
    // Before the tree is read, which can take seconds: what is said meanwhile is not to be missed.
    let revision = store.revision(&plan.game)?;
    let kept = load(store, analysis)?;
    let mut is_directed = kept.is_pending();
    let (mut growth, rows) = TreeRows::of(kept);
    let forecast = match stage.before.filter(|_| plan.look_ahead) {
        Some(before) => Some(Forecast::new(load(store, before)?.growth)),
        None => None,
    };
    let before = BestLine::of(&growth).map(Arc::new);
    let settled_before = growth.settled().last().map(|last| last.depth);
    let now = engines.now();
    let mut run = RunContext {
        store,
        engines,
        budget: &mut *budget,
        control,
        observer,
        analysis,
        standing: stage.verdict,
        target: plan.depth,
        asking,
        lists: Lists::new(asking.profile),
        under_way,
        directives: DirectivesSeen::new(plan.game.clone(), revision, now),
        look_ahead: plan.look_ahead.then(|| LookAhead::new(forecast, now)),
        rows: RowWriter::new(rows, now),
    };
    let (ending, best) = loop {
        if std::mem::take(&mut is_directed) {
            growth = grow_again(&mut run, &plan.game, &growth)?;
        }
        match passes(&mut run, &mut growth)? {
            Ended::Run(ending, best) => break (ending, best),
            Ended::Directed => is_directed = true,
            Ended::Overtaken => {
                let kept = load(run.store, analysis)?;
                is_directed = kept.is_pending();
                let (read_again, rows) = TreeRows::of(kept);
                run.rows = RowWriter::new(rows, run.engines.now());
                growth = read_again;
            }
        }
    };
    let last = run.progress(&growth, best.as_ref());
    run.observer.progress(Progress { ending: Some(ending), ..last });
    let now = run.engines.now();
    let ahead = run.look_ahead.map(|look_ahead| look_ahead.ahead()).unwrap_or_default();
    Ok(RunOutcome {
        analysis: Some(analysis),
        limit: asking.limit,
        ending,
        settled_depth: growth.settled().last().map(|last| last.depth),
        positions: growth.analysed(),
        admitted: growth.searches(),
        searches: budget.searches(),
        ahead,
        nodes: budget.nodes(),
        elapsed: now.saturating_duration_since(budget.started()),
        best,
        deeper: None,
        exhausted: exhausted(store, stage.before, analysis, &growth)?,
        second: BestLine::second(&growth).map(Arc::new),
        before,
        settled_before,
    })
}

/// Why deeper searches would change nothing of a tree, where that is so.
pub(in crate::run) fn exhausted(
    store: &Store,
    before: Option<AnalysisId>,
    analysis: AnalysisId,
    growth: &Growth,
) -> Result<Option<Exhausted>, StoreError> {
    if is_decided(growth.graph()) {
        return Ok(Some(Exhausted::Decided));
    }
    let Some(before) = before else {
        return Ok(None);
    };
    let (before, now) = (store.deepest(before)?, store.deepest(analysis)?);
    // An engine need not say how deep it has searched.
    Ok((0 < now && now <= before).then_some(Exhausted::EngineDepth(now)))
}

/// Notes that the root is grown: one that goes on from a game with directives begins with a copy of them.
fn begin_directives(
    plan: &Plan,
    store: &mut Store,
    observer: &mut dyn Observer,
) -> Result<(), StoreError> {
    let begun = store.change_directives(&plan.game, |set| {
        if let Some(new) = &plan.directives {
            set.clone_from(new);
        }
        Ok::<(), StoreError>(())
    })?;
    if let Some((plies, count)) = begun.copied {
        observer.copied(count, plan.game.moves().len() - plies);
    }
    Ok(())
}

/// Begins the tree again under the directives that the root has by now, and tells what the present one
/// says under them. The memo answers what it knows.
fn grow_again(run: &mut RunContext<'_>, game: &Game, growth: &Growth) -> Result<Growth, RunError> {
    let said = run.store.directives(game)?;
    let Directed { growth, verdict } = direct(game, growth, &said)?;
    run.observer.directed(&said, verdict.map(Arc::new).as_ref());
    if let Some(look_ahead) = &mut run.look_ahead {
        look_ahead.forget_wants();
    }
    let now = run.engines.now();
    run.rows = run.rows.replaced(run.analysis, said.of_tree(), now);
    Ok(growth)
}
