//! Whole duels of any kind: their positions, engines and memo.

use std::path::Path;

use deepanalyze_core::search::Profile;
use deepanalyze_engine::{Pool, Settings};
use deepanalyze_runner::{ControlReceiver, SerialSearcher, StartedEngine};
use deepanalyze_store::Store;

use super::error::DuelError;
use super::lane::Lane;
use super::side_by_side::{Ended, Searchers, Watcher, side_by_side};
use super::suite::{Entry, Suite};

/// A kind of duel: what is asked of each position.
pub trait Contest: Sync {
    /// What comes of a position.
    type Outcome: Send + 'static;

    /// The positions.
    fn suite(&self) -> &Suite;

    /// Plays one position.
    ///
    /// # Errors
    ///
    /// What was answered is kept.
    fn play(&self, entry: &Entry, lane: &mut Lane) -> Result<Self::Outcome, DuelError>;
}

/// A contest that is over.
#[derive(Debug)]
pub struct Duel<C: Contest> {
    /// What it was about.
    pub contest: C,
    /// What came of each position.
    pub outcomes: Vec<C::Outcome>,
}

/// The engines of a duel.
pub struct DuelEngines {
    /// That of the arms.
    pub player: StartedEngine,
    /// The judge, where there is one.
    pub judge: Option<StartedEngine>,
    /// The arms' engine with so many threads, for each number of engines, where that is an arm.
    pub threaded: Vec<StartedEngine>,
}

/// Runs a duel over the memo in `db`, with as many positions side by side as `lanes` says.
///
/// # Errors
///
/// What was answered is kept.
pub fn run<C: Contest>(
    contest: &C,
    db: &Path,
    engines: DuelEngines,
    lanes: usize,
    control: &ControlReceiver,
    watcher: &mut dyn Watcher,
) -> Result<Ended<C::Outcome>, DuelError> {
    let mut player = Source::from(engines.player);
    let mut judge = engines.judge.map(Source::from);
    let mut threaded: Vec<Source> = engines.threaded.into_iter().map(Source::from).collect();
    let entries = &contest.suite().entries;
    side_by_side((entries.len(), lanes), control, watcher, |searchers| {
        let mut lane = Lane {
            store: Store::open_with(db, searchers.patience())?,
            player: player.searcher(searchers),
            judge: judge.as_mut().map(|judge| judge.searcher(searchers)),
            threaded: threaded.iter_mut().map(|source| source.searcher(searchers)).collect(),
        };
        Ok(move |index: usize| {
            entries.get(index).map(|entry| contest.play(entry, &mut lane)).transpose()
        })
    })
}

/// What starts the processes of an engine, one for each lane; the first runs already.
struct Source {
    settings: Settings,
    profile: Profile,
    first: Option<Pool>,
}

impl From<StartedEngine> for Source {
    fn from(StartedEngine { settings, pool }: StartedEngine) -> Source {
        Source { settings, profile: pool.profile().clone(), first: Some(pool) }
    }
}

impl Source {
    fn searcher<T: Send + 'static>(&mut self, searchers: &Searchers<T>) -> SerialSearcher {
        searchers.searcher(&self.settings, &self.profile, self.first.take())
    }
}
