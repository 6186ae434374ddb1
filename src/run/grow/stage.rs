//! One stage: the tree is read, grown pass by pass, and read or grown again where others have changed it.

use std::sync::Arc;
use std::time::Instant;

use crate::analysis::{BestLine, BestLines, load};
use crate::chess::Game;
use crate::engine::Engines;
use crate::run::context::{RowWriter, RunContext};
use crate::run::control::ControlReceiver;
use crate::run::control::limits::Budget;
use crate::run::directed::{Directed, DirectivesSeen, direct};
use crate::run::error::RunError;
use crate::run::feed::progress::{Observer, Progress};
use crate::run::keeping::{Keeping, narrowed};
use crate::run::lists::Lists;
use crate::run::look_ahead::{Forecast, LookAhead};
use crate::run::stages::{Exhausted, Stage};
use crate::run::tree_rows::TreeRows;
use crate::run::under_way::{Asking, SearchesUnderWay};
use crate::search::{Limit, Profile};
use crate::store::{AnalysisId, AnalysisKey, Store, StoreError};
use crate::tree::{Growth, Selection, is_decided};

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
    let asking = Asking { profile, limit, keep_hash: asked.kept_hash.is_some() };
    if plan.keeping != Keeping::Tree {
        let begun = Begun { plan, stage, analysis: None, asking };
        return grow_begun(begun, spent, store, engines, control, observer);
    }
    let key = AnalysisKey { game: &plan.game, profile, breadth: &plan.breadth };
    let (analysis, lock) = store.begin_analysis(key)?;
    let begun = Begun { plan, stage, analysis: Some(analysis), asking };
    let grown = grow_begun(begun, spent, store, engines, control, observer);
    // Where the database fails, the row stays: the next run deletes it, or fills it.
    let is_deleted = store.delete_if_empty(analysis, &lock).unwrap_or(false);
    grown.map(|outcome| RunOutcome { analysis: Some(analysis).filter(|_| !is_deleted), ..outcome })
}

/// A stage whose analysis is in the database, and whose lock the caller has; no analysis where none is kept.
struct Begun<'a> {
    plan: &'a Plan,
    stage: Stage,
    analysis: Option<AnalysisId>,
    asking: Asking,
}

/// A tree as it is kept, or before its first pass.
struct TreeRead {
    growth: Growth,
    rows: RowWriter,
    /// Whether its root has other directives by now.
    is_pending: bool,
}

impl Begun<'_> {
    /// Notes that the tree is grown, and gives the directives that the run has an eye on.
    fn note(
        &self,
        store: &mut Store,
        observer: &mut dyn Observer,
        now: Instant,
    ) -> Result<DirectivesSeen, RunError> {
        let plan = self.plan;
        let Some(analysis) = self.analysis else {
            return Ok(DirectivesSeen::fixed(plan.game.clone()));
        };
        store.aim(analysis, plan.depth)?;
        if self.stage.before.is_none() {
            begin_directives(plan, store, observer)?;
            if let Some(name) = &plan.name {
                store.suggest_name(&plan.game, name)?;
            }
        }
        let revision = store.revision(&plan.game)?;
        Ok(DirectivesSeen::new(plan.game.clone(), revision, now))
    }

    fn read(&self, store: &Store, clock: &dyn Engines) -> Result<TreeRead, RunError> {
        if let Some(analysis) = self.analysis {
            let kept = load(store, analysis)?;
            let is_pending = kept.is_pending();
            let (growth, rows) = TreeRows::of(kept);
            return Ok(TreeRead { growth, rows: RowWriter::new(rows, clock.now()), is_pending });
        }
        let Plan { game, breadth, keeping, .. } = self.plan;
        let only = match keeping {
            Keeping::AnswersAlone { only } => only.as_slice(),
            Keeping::Tree => &[],
        };
        let wishes = narrowed(store.directives_to_begin_with(game)?.0.wishes(), game, only);
        let growth = Growth::new(game, Selection { breadth: breadth.clone(), wishes });
        Ok(TreeRead { growth, rows: RowWriter::none(clock.now()), is_pending: false })
    }
}

/// The same with the analysis.
fn grow_begun(
    begun: Begun<'_>,
    (budget, under_way): (&mut Budget, &mut SearchesUnderWay),
    store: &mut Store,
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    observer: &mut dyn Observer,
) -> Result<RunOutcome, RunError> {
    let Begun { plan, analysis, asking, .. } = begun;
    // Before the tree is read, which can take seconds: what is said meanwhile is not to be missed.
    let directives = begun.note(store, observer, engines.now())?;
    let TreeRead { mut growth, rows, is_pending: mut is_directed } = begun.read(store, engines)?;
    let forecast = match begun.stage.before.filter(|_| plan.look_ahead) {
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
        standing: begun.stage.verdict.clone(),
        target: plan.depth,
        asking,
        lists: Lists::new(asking.profile),
        under_way,
        directives,
        look_ahead: plan.look_ahead.then(|| LookAhead::new(forecast, now)),
        rows,
    };
    let (ending, lines) = loop {
        if std::mem::take(&mut is_directed) {
            growth = grow_again(&mut run, &plan.game, &growth)?;
        }
        match passes(&mut run, &mut growth, plan.told)? {
            Ended::Run(ending, lines) => break (ending, lines),
            Ended::Directed => is_directed = true,
            Ended::Overtaken => {
                let read_again = begun.read(run.store, run.engines)?;
                is_directed = read_again.is_pending;
                (run.rows, growth) = (read_again.rows, read_again.growth);
            }
        }
    };
    let last = run.progress(&growth, &lines);
    run.observer.progress(Progress { ending: Some(ending), ..last });
    let now = run.engines.now();
    let ahead = run.look_ahead.map(|look_ahead| look_ahead.ahead()).unwrap_or_default();
    let BestLines { best, others } = lines;
    Ok(RunOutcome {
        analysis,
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
        others,
        deeper: None,
        exhausted: exhausted(store, begun.stage.before, analysis, &growth)?,
        second: BestLine::second(&growth).map(Arc::new),
        before,
        settled_before,
    })
}

/// Why deeper searches would change nothing of a tree, where that is so.
pub(in crate::run) fn exhausted(
    store: &Store,
    before: Option<AnalysisId>,
    analysis: Option<AnalysisId>,
    growth: &Growth,
) -> Result<Option<Exhausted>, StoreError> {
    if is_decided(growth.graph()) {
        return Ok(Some(Exhausted::Decided));
    }
    let Some((before, analysis)) = before.zip(analysis) else {
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
    if let Some(analysis) = run.analysis {
        run.rows = run.rows.replaced(analysis, said.of_tree(), run.engines.now());
    }
    Ok(growth)
}
