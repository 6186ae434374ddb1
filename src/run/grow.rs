//! Growing one analysis: pass after pass, depth after depth.

use std::sync::Arc;
use std::time::Duration;

use crate::analysis::{BestLine, load};
use crate::chess::Game;
use crate::directives::Directives;
use crate::engine::Engines;
use crate::search::{Limit, Profile};
use crate::store::{AnalysisId, AnalysisKey, Store, StoreError};
use crate::tree::{Breadth, Growth, Served, Server, Service, grow_by, is_decided};

use super::context::{RowWriter, RunContext};
use super::control::ControlReceiver;
use super::control::limits::{Budget, RunLimits};
use super::directed::{Directed, DirectivesSeen, direct};
use super::error::RunError;
use super::feed::progress::{Observer, Progress};
use super::lists::Lists;
use super::look_ahead::{Forecast, LookAhead, SearchedAhead};
use super::pass::{Pass, PassEnd, TreeState};
use super::schedule::Schedule;
use super::stages::{Exhausted, Stage};
use super::tree_rows::TreeRows;
use super::under_way::{Asking, SearchesUnderWay};

/// What to grow.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The game up to the root.
    pub game: Game,
    /// The move distances, and how many moves the root has at least.
    pub breadth: Breadth,
    /// The depth to settle.
    pub depth: u32,
    /// How deep the engines search.
    pub schedule: Schedule,
    /// What may end the run before.
    pub limits: RunLimits,
    /// The directives that the root is to have in place of those it has.
    pub directives: Option<Directives>,
    /// Whether engines that would be idle search what will probably be asked.
    pub look_ahead: bool,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The depth is settled.
    Settled,
    /// A limit is reached.
    Limit,
    /// Somebody wanted it to: a signal came, or another holder of its control asked.
    Interrupted,
}

/// What a run did.
#[derive(Debug, Clone)]
pub struct RunOutcome {
    /// The analysis, with stages the one that speaks; none where no answer came, and nothing is kept of it.
    pub analysis: Option<AnalysisId>,
    /// The limit of its searches.
    pub limit: Limit,
    /// How the run ended.
    pub ending: End,
    /// The greatest settled depth.
    pub settled_depth: Option<u32>,
    /// Analysed positions of the tree.
    pub positions: u64,
    /// Answers in the tree.
    pub admitted: u64,
    /// Searches of this run.
    pub searches: u64,
    /// Those of them that were made ahead of need.
    pub ahead: SearchedAhead,
    /// Engine nodes of this run.
    pub nodes: u64,
    /// How long this run took.
    pub elapsed: Duration,
    /// The best line.
    pub best: Option<Arc<BestLine>>,
    /// The limit of a deeper stage that has not come far enough to speak, and the depth that it has settled.
    pub deeper: Option<(Limit, Option<u32>)>,
    /// Why deeper searches would change nothing, where that is so.
    pub exhausted: Option<Exhausted>,
    /// The line of the second best move.
    pub second: Option<Arc<BestLine>>,
    /// The best line that the analysis had before this run.
    pub before: Option<Arc<BestLine>>,
}

/// Grows or continues one tree of a root until its depth is settled, a limit is reached or somebody
/// wants the run to end. Stages, or roots, before it have spent from the limits, and left searches running.
///
/// # Errors
///
/// What was answered is kept; what was spent is counted.
pub(super) fn grow_stage(
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
    })
}

/// Why deeper searches would change nothing of a tree, where that is so.
pub(super) fn exhausted(
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

/// Why passes have ended.
enum Ended {
    /// The run ends.
    Run(End, Option<Arc<BestLine>>),
    /// Another run has stored other answers: the tree is to be read again.
    Overtaken,
    /// The tree is to be grown again under other directives.
    Directed,
}

/// Passes until the run ends, or the tree is to be read or grown again. Whatever ends it but the database
/// itself, all that was answered is in the file afterwards.
fn passes(run: &mut RunContext<'_>, growth: &mut Growth) -> Result<Ended, RunError> {
    match grow_by(growth, &mut Passes { run, settles: false, best: None }) {
        Ok(Ended::Overtaken) => Ok(Ended::Overtaken),
        Ok(end) => Ok(if run.save(growth)? { end } else { Ended::Overtaken }),
        Err(error) if !error.is_of_writing() => match run.save(growth) {
            Ok(_) => Err(error),
            Err(save) => Err(RunError::Unsaved { error: Box::new(error), save }),
        },
        Err(error) => Err(error),
    }
}

/// The passes of a run.
struct Passes<'r, 'w> {
    run: &'r mut RunContext<'w>,
    /// Whether the pass before has settled a depth.
    settles: bool,
    /// What the tree says before the pass.
    best: Option<Arc<BestLine>>,
}

impl Server for Passes<'_, '_> {
    type End = Ended;
    type Error = RunError;

    fn before_pass(&mut self, growth: &mut Growth) -> Result<Option<Self::End>, RunError> {
        self.run.redirect()?;
        self.best = BestLine::of(growth).map(Arc::new);
        self.run.rows.note(growth, self.best.as_deref());
        Ok(None)
    }

    fn requests(&mut self, growth: &mut Growth) -> Vec<Service> {
        if growth.depth() > self.run.target { Vec::new() } else { growth.requests() }
    }

    fn serve(
        &mut self,
        growth: &mut Growth,
        services: Vec<Service>,
    ) -> Result<Served<Self::End>, RunError> {
        let done = growth.depth() > self.run.target;
        let tree = TreeState { growth, best: self.best.as_ref() };
        // The engines work while the pass before is written. What they answer is taken in later.
        let mut pass = Pass::begin(self.run, tree, services)?;
        if done {
            pass.has_caught_up();
        }
        if !pass.save_answers()? || self.settles && !pass.save_settled()? {
            return Ok(Served::End(Ended::Overtaken));
        }
        let end = match if done { pass.end_settled()? } else { pass.serve()? } {
            PassEnd::Served(services) => {
                self.settles = services.is_empty();
                return Ok(Served::Answers(services));
            }
            PassEnd::Ended(end) => Ended::Run(end, self.best.take()),
            PassEnd::Overtaken => Ended::Overtaken,
            PassEnd::Directed => Ended::Directed,
        };
        Ok(Served::End(end))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::engine::{PANICS, mute_pool};
    use crate::run::made_up::Deaf;
    use crate::run::stages::grow;

    #[test]
    fn a_panic_in_an_engines_thread_ends_the_run_with_an_error_and_frees_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let root = crate::chess::parse_fen(PANICS).unwrap();
        let plan = Plan {
            game: Game::from_position(root),
            breadth: 10.into(),
            depth: 2,
            schedule: Schedule::Once(Limit::Depth(1)),
            limits: RunLimits::default(),
            directives: None,
            look_ahead: true,
        };
        for _ in 0..2 {
            let mut pool = mute_pool("a run");
            let end = grow(&plan, &mut store, &mut pool, &ControlReceiver::never(), &mut Deaf);
            assert!(matches!(end, Err(RunError::EnginesGone)), "{end:?}");
        }
    }
}
