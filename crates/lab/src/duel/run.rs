//! Whole duels of any kind: their positions, engines and memo.

use std::path::Path;

use crate::duel::serial::{SerialSearcher, StartedEngine};
use deepanalyze_core::search::Profile;
use deepanalyze_core::tree::IllegalMove;
use deepanalyze_engine::{EngineError, Pool, Settings};
use deepanalyze_runner::{ControlReceiver, RunError};
use deepanalyze_store::{Store, StoreError};

use crate::duel::lane::DuelLane;
use crate::duel::lister::Lister;
use crate::duel::side_by_side::{DuelEnd, LaneSearchers, Watcher, side_by_side};
use crate::duel::suite::{Suite, SuitePosition};

/// A kind of duel: the task for each position.
pub trait Contest: Sync {
    /// Outcome of a position.
    type Outcome: Send + 'static;

    /// The positions.
    fn suite(&self) -> &Suite;

    /// Plays one position.
    ///
    /// # Errors
    ///
    /// Earlier answers are kept.
    fn play(&self, entry: &SuitePosition, lane: &mut DuelLane) -> Result<Self::Outcome, DuelError>;
}

/// A contest that is over.
#[derive(Debug)]
pub struct Duel<C: Contest> {
    /// Its contest.
    pub contest: C,
    /// Outcome of each position.
    pub outcomes: Vec<C::Outcome>,
}

/// The engines of a duel.
pub struct DuelEngines {
    /// The arms' engine.
    pub player: StartedEngine,
    /// The judge, if any.
    pub judge: Option<StartedEngine>,
    /// The arms' engine with this many threads, for each number of engines, if that is an arm.
    pub threaded: Vec<StartedEngine>,
}

/// Runs a duel over the memo in `db`, with as many positions side by side as `lanes` says.
///
/// # Errors
///
/// Earlier answers are kept.
pub fn run_duel<C: Contest>(
    contest: &C,
    db: &Path,
    engines: DuelEngines,
    lanes: usize,
    control: &ControlReceiver,
    watcher: &mut dyn Watcher,
) -> Result<DuelEnd<C::Outcome>, DuelError> {
    let mut player = EngineSource::from(engines.player);
    let mut judge = engines.judge.map(EngineSource::from);
    let mut threaded: Vec<EngineSource> =
        engines.threaded.into_iter().map(EngineSource::from).collect();
    let entries = &contest.suite().entries;
    side_by_side(entries.len(), lanes, control, watcher, |searchers| {
        let mut lane = DuelLane {
            store: Store::open_with(db, searchers.patience())?,
            player: player.searcher(searchers),
            judge: judge.as_mut().map(|judge| judge.searcher(searchers)),
            lister: player.lister(searchers),
            judges_lister: judge.as_ref().map(|judge| judge.lister(searchers)),
            threaded: threaded.iter_mut().map(|source| source.searcher(searchers)).collect(),
        };
        Ok(move |index: usize| {
            entries.get(index).map(|entry| contest.play(entry, &mut lane)).transpose()
        })
    })
}

/// Starts the processes of an engine, one for each lane; the first runs already.
struct EngineSource {
    settings: Settings,
    profile: Profile,
    first: Option<Pool>,
}

impl From<StartedEngine> for EngineSource {
    fn from(StartedEngine { settings, pool }: StartedEngine) -> EngineSource {
        EngineSource { settings, profile: pool.profile().clone(), first: Some(pool) }
    }
}

impl EngineSource {
    fn searcher<T: Send + 'static>(&mut self, searchers: &LaneSearchers<T>) -> SerialSearcher {
        searchers.searcher(&self.settings, &self.profile, self.first.take())
    }

    fn lister<T: Send + 'static>(&self, searchers: &LaneSearchers<T>) -> Lister {
        searchers.lister(&self.settings, &self.profile)
    }
}

/// Why a duel failed. Earlier answers are kept.
#[derive(Debug, thiserror::Error)]
pub enum DuelError {
    /// An engine reports no nodes: nothing can be made equal.
    #[error("engine {0:?} reports no nodes: a duel cannot give both arms as many")]
    NoNodes(String),
    /// No list of moves came.
    #[error("engine {engine:?} {what}")]
    Listing {
        /// The engine.
        engine: String,
        /// The failure.
        what: String,
    },
    /// An answer is no legal move: a bug of this program, which lets none in.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// A tree without a move: a bug of this program.
    #[error("the tree of {0} has no move")]
    NoMove(String),
    /// No answer came, or a run in virtual time failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The engine dies again and again while its hash is to be kept.
    #[error("engine {engine:?} failed again and again at {epd}, with a hash that is to be kept")]
    HashLost {
        /// The engine.
        engine: String,
        /// The position of the search.
        epd: String,
    },
    /// A search was not made, as the duel is to end: no failure, and never seen outside.
    #[error("stopped")]
    Stopped,
    /// No folder for the memo of a run in virtual time.
    #[error("cannot make a temporary folder: {0}")]
    Folder(std::io::Error),
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

impl From<StoreError> for DuelError {
    fn from(error: StoreError) -> DuelError {
        DuelError::Run(error.into())
    }
}

impl From<EngineError> for DuelError {
    fn from(error: EngineError) -> DuelError {
        DuelError::Run(error.into())
    }
}
