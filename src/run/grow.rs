//! Growing one analysis: pass after pass, depth after depth.

use std::sync::Arc;
use std::time::Duration;

use crate::analysis::{BestLine, load};
use crate::chess::Game;
use crate::engine::Pool;
use crate::store::{AnalysisId, AnalysisKey, Store};
use crate::tree::{Growth, Values};

use super::context::{RowWriter, RunContext};
use super::error::RunError;
use super::limits::{Budget, RunLimits};
use super::lists::Lists;
use super::look_ahead::{LookAhead, SearchedAhead};
use super::pass::{Pass, PassEnd, TreeState};
use super::progress::{Observer, Progress};
use super::shutdown::Shutdown;
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
    /// A signal came.
    Interrupted,
}

/// What a run did.
#[derive(Debug, Clone)]
pub struct Outcome {
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

/// Grows or continues the tree of a root until its depth is settled, a limit is reached or a signal
/// comes.
///
/// # Errors
///
/// What was answered is kept.
pub fn grow(
    plan: &Plan,
    store: &mut Store,
    pool: &mut Pool,
    shutdown: &Shutdown,
    observer: &mut dyn Observer,
) -> Result<Outcome, RunError> {
    let spent = (&mut Budget::new(plan.limits), &mut SearchesUnderWay::default());
    grow_root(plan, spent, store, pool, shutdown, observer)
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
    pool: &mut Pool,
    shutdown: &Shutdown,
    observer: &mut dyn Observer,
) -> Result<Outcome, RunError> {
    let profile = store.profile_id(pool.profile())?;
    let key = AnalysisKey { game: &plan.game, profile, distance: plan.distance };
    let analysis = store.open_analysis(key)?;
    let _lock = store.lock(analysis)?;
    store.aim(analysis, plan.depth)?;
    let (mut growth, rows) = TreeRows::of(load(store, analysis)?);
    let rows = RowWriter::new(rows);
    let mut run = RunContext {
        store,
        pool,
        budget: &mut *budget,
        shutdown,
        observer,
        target: plan.depth,
        lists: Lists::new(profile),
        under_way,
        look_ahead: plan.look_ahead.then(LookAhead::new),
        rows,
    };
    let (ending, best) = loop {
        if let Some(end) = passes(&mut run, &mut growth)? {
            break end;
        }
        let (read_again, rows) = TreeRows::of(load(run.store, analysis)?);
        run.rows = RowWriter::new(rows);
        growth = read_again;
    };
    let last = run.progress(&growth, best.as_ref());
    run.observer.progress(Progress { ending: Some(ending), ..last });
    let ahead = run.look_ahead.map(|look_ahead| look_ahead.ahead()).unwrap_or_default();
    Ok(Outcome {
        analysis,
        ending,
        settled_depth: growth.settled().last().map(|last| last.depth),
        positions: growth.analysed(),
        admitted: growth.searches(),
        searches: budget.searches(),
        ahead,
        nodes: budget.nodes(),
        elapsed: budget.started().elapsed(),
        best,
    })
}

type Ended = (End, Option<Arc<BestLine>>);

/// Passes until the run ends; nothing where the tree is to be read again. Whatever ends it, all
/// that was answered is in the file afterwards.
fn passes(run: &mut RunContext<'_>, growth: &mut Growth) -> Result<Option<Ended>, RunError> {
    let mut values = Values::of(growth.graph());
    let end = pass_after_pass(run, growth, &mut values);
    if let Err(RunError::Store(_)) | Ok(None) = end {
        return end;
    }
    let mine = run.save(growth, &values)?;
    end.map(|end| end.filter(|_| mine))
}

fn pass_after_pass(
    run: &mut RunContext<'_>,
    growth: &mut Growth,
    values: &mut Values,
) -> Result<Option<Ended>, RunError> {
    let mut settles = false;
    loop {
        let best = BestLine::of(growth, values).map(Arc::new);
        run.rows.note(growth, best.as_deref());
        let tree = TreeState { growth, values, best: best.as_ref() };
        let done = growth.depth() > run.target;
        let requests = if done { Vec::new() } else { growth.requests(values) };
        // The engines work while the pass before is written. What they answer is taken in later.
        let mut pass = Pass::begin(run, tree, requests)?;
        if !pass.save_answers()? || settles && !pass.save_settled()? {
            return Ok(None);
        }
        if done {
            return Ok(Some((End::Settled, best)));
        }
        let served = match pass.serve()? {
            PassEnd::Served(services) => services,
            PassEnd::Limit => return Ok(Some((End::Limit, best))),
            PassEnd::Interrupted => return Ok(Some((End::Interrupted, best))),
            PassEnd::Overtaken => return Ok(None),
        };
        settles = served.is_empty();
        growth.finish_pass(served);
        *values = Values::of(growth.graph());
    }
}

#[cfg(all(test, unix))]
pub(super) mod tests {
    use super::*;
    use crate::engine::{EngineError, Notice, PANICS, mute_pool};
    use crate::run::RunLimits;

    /// Hears nothing of what a run tells.
    pub struct Deaf;

    impl Observer for Deaf {
        fn progress(&mut self, _: Progress) {}
        fn settled(&mut self, _: &crate::tree::Settled, _: Option<&Arc<BestLine>>, _: Duration) {}
        fn fault(&mut self, _: &EngineError, _: u32, _: Option<&shakmaty::Chess>) {}
        fn notice(&mut self, _: &Notice) {}
        fn stopping(&mut self, _: &str) {}
    }

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
            let end = grow(&plan, &mut store, &mut pool, &Shutdown::never(), &mut Deaf);
            assert!(matches!(end, Err(RunError::EnginesGone)), "{end:?}");
        }
    }
}
