//! Growing one analysis: pass after pass, depth after depth.

use std::time::Duration;

use crate::chess::Game;
use crate::engine::{EngineError, Pool};
use crate::store::{AnalysisId, AnalysisKey, Store, StoreError};
use crate::tree::{Growth, Values};

use super::kept::load;
use super::ledger::Ledger;
use super::limits::{Budget, Limits};
use super::pass::{Pass, PassEnd, Workshop};
use super::progress::{BestLine, Observer};
use super::shutdown::Shutdown;

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
    pub limits: Limits,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
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
    pub ending: Ending,
    /// The greatest settled depth.
    pub settled_depth: Option<u32>,
    /// Analysed positions of the tree.
    pub positions: u64,
    /// Answers in the tree.
    pub admitted: u64,
    /// Searches of this run.
    pub searches: u64,
    /// Engine nodes of this run.
    pub nodes: u64,
    /// How long this run took.
    pub elapsed: Duration,
    /// The best line.
    pub best: Option<BestLine>,
}

/// Why a run failed. Whatever was answered before is kept.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The engines' threads have ended by themselves: a fault of this program.
    #[error("the engine pool has gone")]
    EnginesGone,
}

/// Grows or continues the tree of a root until its depth is settled, a limit is reached or a signal
/// comes.
///
/// # Errors
///
/// [`SessionError`] where the store or an engine fails for good; what was answered is kept.
pub fn grow(
    plan: &Plan,
    store: &mut Store,
    pool: &mut Pool,
    shutdown: &Shutdown,
    observer: &mut dyn Observer,
) -> Result<Outcome, SessionError> {
    let mut budget = Budget::new(plan.limits);
    let profile = store.profile_id(pool.profile())?;
    let key = AnalysisKey { game: &plan.game, profile, distance: plan.distance };
    let analysis = store.open_analysis(key)?;
    let _lock = store.lock(analysis)?;
    store.aim(analysis, plan.depth)?;
    let tree = load(store, analysis)?;
    let mut ledger = Ledger::new(&tree);
    let mut growth = tree.growth;
    let target = plan.depth;
    let mut shop =
        Workshop { store, profile, pool, budget: &mut budget, shutdown, observer, target };
    let (ending, best) = passes(&mut shop, &mut growth, &mut ledger)?;
    Ok(Outcome {
        analysis,
        ending,
        settled_depth: growth.settled().last().map(|last| last.depth),
        positions: growth.analysed(),
        admitted: growth.searches(),
        searches: budget.searches(),
        nodes: budget.nodes(),
        elapsed: budget.started().elapsed(),
        best,
    })
}

fn passes(
    shop: &mut Workshop<'_>,
    growth: &mut Growth,
    ledger: &mut Ledger,
) -> Result<(Ending, Option<BestLine>), SessionError> {
    let mut values = Values::of(growth.graph());
    let mut best = BestLine::of(growth, &values);
    while growth.depth() <= shop.target {
        let requests = growth.requests(&values);
        let served = match Pass::new(shop, growth, best.as_ref(), requests).serve()? {
            PassEnd::Served(services) => services,
            PassEnd::Limit => return Ok((Ending::Limit, best)),
            PassEnd::Interrupted => return Ok((Ending::Interrupted, best)),
        };
        let settles = served.is_empty();
        growth.finish_pass(served);
        values = Values::of(growth.graph());
        best = BestLine::of(growth, &values);
        ledger.commit(shop.store, growth, &values)?;
        if let Some(settled) = growth.settled().last().filter(|_| settles) {
            let elapsed = shop.budget.started().elapsed();
            shop.observer.settled(settled, best.as_ref(), elapsed);
        }
    }
    Ok((Ending::Settled, best))
}
