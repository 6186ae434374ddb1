//! Growing one analysis: pass after pass, depth after depth.

use std::sync::Arc;
use std::time::Duration;

use crate::analysis::{BestLine, load};
use crate::chess::Game;
use crate::engine::Engines;
use crate::store::{AnalysisId, AnalysisKey, Store};
use crate::tree::{Growth, Served, Server, Service, grow_by};

use super::context::{RowWriter, RunContext};
use super::control::ControlReceiver;
use super::control::limits::{Budget, RunLimits};
use super::error::RunError;
use super::feed::progress::{Observer, Progress};
use super::lists::Lists;
use super::look_ahead::{LookAhead, SearchedAhead};
use super::pass::{Pass, PassEnd, TreeState};
use super::tree_rows::TreeRows;
use super::under_way::SearchesUnderWay;

/// What to grow.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The game up to the root.
    pub game: Game,
    /// The move distance in centipawns.
    pub distance: u32,
    /// The depth to settle.
    pub depth: u32,
    /// What may end the run before.
    pub limits: RunLimits,
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
    /// The analysis.
    pub analysis: AnalysisId,
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
}

/// Grows or continues the tree of a root until its depth is settled, a limit is reached or somebody
/// wants the run to end.
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
    let spent = (&mut Budget::new(plan.limits, engines.now()), &mut SearchesUnderWay::default());
    grow_root(plan, spent, store, engines, control, observer)
}

/// The same with limits that other roots have spent from, and searches that they have left running.
///
/// # Errors
///
/// As [`grow`]; what was spent is counted all the same.
pub(super) fn grow_root(
    plan: &Plan,
    (budget, under_way): (&mut Budget, &mut SearchesUnderWay),
    store: &mut Store,
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    observer: &mut dyn Observer,
) -> Result<RunOutcome, RunError> {
    let profile = store.profile_id(engines.profile())?;
    let key = AnalysisKey { game: &plan.game, profile, distance: plan.distance };
    let analysis = store.open_analysis(key)?;
    let _lock = store.lock(analysis)?;
    store.aim(analysis, plan.depth)?;
    let (mut growth, rows) = TreeRows::of(load(store, analysis)?);
    let now = engines.now();
    let rows = RowWriter::new(rows, now);
    let mut run = RunContext {
        store,
        engines,
        budget: &mut *budget,
        control,
        observer,
        analysis,
        target: plan.depth,
        lists: Lists::new(profile),
        under_way,
        look_ahead: plan.look_ahead.then(|| LookAhead::new(now)),
        rows,
    };
    let (ending, best) = loop {
        if let Some(end) = passes(&mut run, &mut growth)? {
            break end;
        }
        let (read_again, rows) = TreeRows::of(load(run.store, analysis)?);
        run.rows = RowWriter::new(rows, run.engines.now());
        growth = read_again;
    };
    let last = run.progress(&growth, best.as_ref());
    run.observer.progress(Progress { ending: Some(ending), ..last });
    let now = run.engines.now();
    let ahead = run.look_ahead.map(|look_ahead| look_ahead.ahead()).unwrap_or_default();
    Ok(RunOutcome {
        analysis,
        ending,
        settled_depth: growth.settled().last().map(|last| last.depth),
        positions: growth.analysed(),
        admitted: growth.searches(),
        searches: budget.searches(),
        ahead,
        nodes: budget.nodes(),
        elapsed: now.saturating_duration_since(budget.started()),
        best,
    })
}

type Ended = (End, Option<Arc<BestLine>>);

/// Passes until the run ends; nothing where the tree is to be read again. Whatever ends it but a
/// database that cannot be written, all that was answered is in the file afterwards.
fn passes(run: &mut RunContext<'_>, growth: &mut Growth) -> Result<Option<Ended>, RunError> {
    match grow_by(growth, &mut Passes { run, settles: false, best: None }) {
        Ok(Some(end)) => Ok(run.save(growth)?.then_some(end)),
        Err(error) if !error.is_of_writing() => match run.save(growth) {
            Ok(_) => Err(error),
            Err(save) => Err(RunError::Unsaved { error: Box::new(error), save }),
        },
        end => end,
    }
}

/// The passes of a run; growing ends with nothing where the tree is to be read again.
struct Passes<'r, 'w> {
    run: &'r mut RunContext<'w>,
    /// Whether the pass before has settled a depth.
    settles: bool,
    /// What the tree says before the pass.
    best: Option<Arc<BestLine>>,
}

impl Server for Passes<'_, '_> {
    type End = Option<Ended>;
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
        if !pass.save_answers()? || self.settles && !pass.save_settled()? {
            return Ok(Served::End(None));
        }
        let end = match if done { PassEnd::Ended(End::Settled) } else { pass.serve()? } {
            PassEnd::Served(services) => {
                self.settles = services.is_empty();
                return Ok(Served::Answers(services));
            }
            PassEnd::Ended(end) => Some((end, self.best.take())),
            PassEnd::Overtaken => None,
        };
        Ok(Served::End(end))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::engine::{PANICS, mute_pool};
    use crate::run::made_up::Deaf;

    #[test]
    fn a_panic_in_an_engines_thread_ends_the_run_with_an_error_and_frees_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let root = crate::chess::parse_fen(PANICS).unwrap();
        let plan = Plan {
            game: Game::from_position(root),
            distance: 10,
            depth: 2,
            limits: RunLimits::default(),
            look_ahead: true,
        };
        for _ in 0..2 {
            let mut pool = mute_pool("a run");
            let end = grow(&plan, &mut store, &mut pool, &ControlReceiver::never(), &mut Deaf);
            assert!(matches!(end, Err(RunError::EnginesGone)), "{end:?}");
        }
    }
}
