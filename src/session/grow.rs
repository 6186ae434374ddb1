//! Growing one analysis: pass after pass, depth after depth.

use std::time::Duration;

use crate::chess::Game;
use crate::engine::{EngineError, Pool};
use crate::store::{AnalysisId, AnalysisKey, Store, StoreError};
use crate::tree::{Growth, Values};

use super::desk::DeskError;
use super::flight::Flight;
use super::foresight::{Ahead, Foresight};
use super::kept::load;
use super::known::Known;
use super::limits::{Budget, Limits};
use super::pass::{Pass, PassEnd, Stand};
use super::progress::{BestLine, Observer};
use super::shutdown::Shutdown;
use super::workshop::{Rows, Workshop};

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
    pub ahead: Ahead,
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
    /// A thread of the engines has ended by itself: a fault of this program.
    #[error("a thread that drives an engine has failed: a fault of this program")]
    EnginesGone,
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// The closing search.
    #[error(transparent)]
    Closing(Box<DeskError>),
}

impl From<DeskError> for SessionError {
    fn from(error: DeskError) -> SessionError {
        match error {
            DeskError::Store(error) => error.into(),
            DeskError::Engine(error) => error.into(),
            DeskError::EnginesGone => SessionError::EnginesGone,
            error @ (DeskError::HashLost { .. } | DeskError::Stopped) => {
                SessionError::Closing(error.into())
            }
        }
    }
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
    let spent = (&mut Budget::new(plan.limits), &mut Flight::default());
    grow_root(plan, spent, store, pool, shutdown, observer)
}

/// The same with limits that other roots have spent from, and searches that they have left running.
///
/// # Errors
///
/// As [`grow`]; what was spent is counted all the same.
pub(super) fn grow_root(
    plan: &Plan,
    (budget, flight): (&mut Budget, &mut Flight),
    store: &mut Store,
    pool: &mut Pool,
    shutdown: &Shutdown,
    observer: &mut dyn Observer,
) -> Result<Outcome, SessionError> {
    let profile = store.profile_id(pool.profile())?;
    let key = AnalysisKey { game: &plan.game, profile, distance: plan.distance };
    let analysis = store.open_analysis(key)?;
    let _lock = store.lock(analysis)?;
    store.aim(analysis, plan.depth)?;
    let (mut growth, ledger) = load(store, analysis)?.into_growth();
    let rows = Rows::new(ledger);
    let mut shop = Workshop {
        store,
        pool,
        budget: &mut *budget,
        shutdown,
        observer,
        target: plan.depth,
        known: Known::new(profile),
        flight,
        foresight: plan.look_ahead.then(Foresight::new),
        rows,
    };
    let (ending, best) = loop {
        if let Some(end) = passes(&mut shop, &mut growth)? {
            break end;
        }
        let (read_again, ledger) = load(shop.store, analysis)?.into_growth();
        shop.rows = Rows::new(ledger);
        growth = read_again;
    };
    let ahead = shop.foresight.map(|foresight| foresight.ahead()).unwrap_or_default();
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

type Ended = (End, Option<BestLine>);

/// Passes until the run ends; nothing where the tree is to be read again. Whatever ends it, all
/// that was answered is in the file afterwards.
fn passes(shop: &mut Workshop<'_>, growth: &mut Growth) -> Result<Option<Ended>, SessionError> {
    let mut values = Values::of(growth.graph());
    let end = pass_after_pass(shop, growth, &mut values);
    if let Err(SessionError::Store(_)) | Ok(None) = end {
        return end;
    }
    let mine = shop.save(growth, &values)?;
    end.map(|end| end.filter(|_| mine))
}

fn pass_after_pass(
    shop: &mut Workshop<'_>,
    growth: &mut Growth,
    values: &mut Values,
) -> Result<Option<Ended>, SessionError> {
    let mut settles = false;
    loop {
        let best = BestLine::of(growth, values);
        shop.rows.note(growth, best.as_ref());
        let stand = Stand { growth, values, best: best.as_ref() };
        let done = growth.depth() > shop.target;
        let requests = if done { Vec::new() } else { growth.requests(values) };
        // The engines work while the pass before is written. What they answer is taken in later.
        let mut pass = Pass::begin(shop, stand, requests)?;
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
mod tests {
    use super::*;
    use crate::engine::{Notice, PANICS, mute_pool};
    use crate::session::{Limits, Progress};

    struct Deaf;

    impl Observer for Deaf {
        fn progress(&mut self, _: &Progress<'_>) {}
        fn settled(&mut self, _: &crate::tree::Settled, _: Option<&BestLine>, _: Duration) {}
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
            limits: Limits::default(),
            look_ahead: true,
        };
        for _ in 0..2 {
            let mut pool = mute_pool("a run");
            let end = grow(&plan, &mut store, &mut pool, &Shutdown::never(), &mut Deaf);
            assert!(matches!(end, Err(SessionError::EnginesGone)), "{end:?}");
        }
    }
}
