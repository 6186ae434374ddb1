//! The engines of a session, which are started when needed, in a thread, so that no caller waits;
//! and its runs, each in a thread of its own.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded, select};

use crate::feed::BUG;
use crate::runner::crew::Crew;
use crate::{
    Control, ControlReceiver, Job, Keeping, RunEnd, RunError, RunEvent, RunFeed, RunListener,
    RunOutcome, Wakers, control, grow,
};
use deepanalyze_core::chess::Game;
use deepanalyze_engine::{EngineShare, Offer, Pool, RunKey, Settings, SharedEngines};
use deepanalyze_store::{Store, StoreError};

use super::SessionSettings;

/// State of the engines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// Up.
    Ready,
    /// Failed to start, and why.
    Failed(String),
    /// Not up yet.
    Starting,
}

/// Engines that are started once.
#[derive(Debug)]
pub struct EngineRoom {
    settings: Settings,
    database: PathBuf,
    is_begun: AtomicBool,
    shared: Arc<RoomShared>,
}

/// Engines and their options, or why they do not start.
type StartedCrew = Result<(Arc<Crew>, Vec<Offer>), String>;

#[derive(Debug, Default)]
struct RoomShared {
    engines: OnceLock<StartedCrew>,
    /// Their waiters.
    wakers: Wakers,
}

impl EngineRoom {
    /// The engines of these settings, not started yet.
    pub fn new(settings: &SessionSettings) -> EngineRoom {
        let (engines, database) = (settings.engines.clone(), settings.database.clone());
        let (is_begun, shared) = (AtomicBool::default(), Arc::default());
        EngineRoom { settings: engines, database, is_begun, shared }
    }

    /// Starts them, unless already done.
    pub fn begin(&self) {
        if self.is_begun.swap(true, Ordering::SeqCst) {
            return;
        }
        let (shared, settings) = (Arc::clone(&self.shared), self.settings.clone());
        let database = self.database.clone();
        let begin = move || shared.decide(start(&settings, database));
        let thread = std::thread::Builder::new().name("engine start".to_owned());
        if let Err(error) = thread.spawn(begin) {
            self.shared.decide(Err(error.to_string()));
        }
    }

    /// The engines, if they are up, or why they are not, once known.
    pub fn engines(&self) -> Option<Result<Arc<Crew>, String>> {
        let engines = self.shared.engines.get()?.as_ref();
        Some(engines.map(|(crew, _)| Arc::clone(crew)).map_err(String::clone))
    }

    /// Starts them, and waits this long.
    pub fn ready(&self, patience: Duration) -> Readiness {
        self.begin();
        if self.engines().is_none() {
            let (woken, until) = (self.shared.wakers.subscribe(), Instant::now() + patience);
            while self.engines().is_none() && woken.recv_deadline(until).is_ok() {}
        }
        match self.engines() {
            Some(Ok(_)) => Readiness::Ready,
            Some(Err(why)) => Readiness::Failed(why),
            None => Readiness::Starting,
        }
    }

    /// Their options, once they are up.
    pub fn offers(&self) -> Option<Vec<Offer>> {
        let (_, offers) = self.shared.engines.get()?.as_ref().ok()?;
        Some(offers.clone())
    }
}

impl RoomShared {
    fn decide(&self, started: StartedCrew) {
        self.engines.get_or_init(|| started);
        self.wakers.wake();
    }
}

/// Engines and their options. They end with their last owner.
fn start(settings: &Settings, database: PathBuf) -> StartedCrew {
    let pool = Pool::start(settings).map_err(|error| error.to_string())?;
    let offers = pool.offers();
    let no_thread = |error: std::io::Error| format!("cannot start a thread: {error}");
    let (crew, unclaimed) = Crew::start(move || Box::new(pool), || {}).map_err(no_thread)?;
    crew.with(EngineShare::abandon_what_is_left);
    crew.keep_orphans(database, unclaimed, || {}).map_err(no_thread)?;
    Ok((Arc::new(crew), offers))
}

/// Running runs.
#[derive(Debug, Clone, Default)]
pub struct SessionRuns {
    under_way: Arc<Mutex<Vec<UnderWay>>>,
    numbers: Arc<AtomicI64>,
}

/// One run.
#[derive(Debug, Clone)]
struct UnderWay {
    game: Game,
    /// Disconnects at its end.
    end: Receiver<Infallible>,
}

/// A run with a listener. Dropped, it ends at once; its answers are kept.
#[derive(Debug)]
pub struct SessionRun {
    control: Control,
    /// Its events.
    pub feed: RunFeed,
}

impl Drop for SessionRun {
    fn drop(&mut self) {
        // The second request skips the searches' grace.
        self.control.end();
        self.control.end();
    }
}

/// A run's inputs.
struct SessionWork {
    job: Job,
    database: PathBuf,
    key: RunKey,
    /// Earlier runs of the same game: an analysis has one run at a time.
    earlier: Vec<Receiver<Infallible>>,
    control: ControlReceiver,
    feed: RunFeed,
    wakers: Wakers,
}

impl SessionRuns {
    /// Begins a run, which wakes these when it has news.
    ///
    /// # Errors
    ///
    /// If the system gives no thread.
    pub fn begin(
        &self,
        job: Job,
        database: PathBuf,
        engines: Arc<EngineRoom>,
        wakers: Wakers,
    ) -> std::io::Result<SessionRun> {
        let (steer, control) = control();
        let feed = RunFeed::default();
        feed.wakes(wakers.clone());
        let (running, end) = bounded(0);
        let earlier = self.enter(&job.game, end);
        let key = RunKey(self.numbers.fetch_add(1, Ordering::Relaxed));
        let work = SessionWork { job, database, key, earlier, control, feed: feed.clone(), wakers };
        let thread = std::thread::Builder::new().name(format!("run {}", key.0));
        thread.spawn(move || {
            work.run(&engines);
            drop(running);
        })?;
        Ok(SessionRun { control: steer, feed })
    }

    /// Waits until all have ended, but no longer than this.
    pub fn wait_for_all(&self, patience: Duration) {
        let until = Instant::now() + patience;
        let under_way = std::mem::take(&mut *self.lock());
        // Nothing is ever sent: it disconnects, or the time is up.
        for run in under_way {
            let _ = run.end.recv_deadline(until);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<UnderWay>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a run, and returns the earlier ones of its game.
    fn enter(&self, game: &Game, end: Receiver<Infallible>) -> Vec<Receiver<Infallible>> {
        let mut under_way = self.lock();
        under_way.retain(|run| !has_ended(&run.end));
        let same = under_way.iter().filter(|run| run.game == *game);
        let earlier = same.map(|run| run.end.clone()).collect();
        under_way.push(UnderWay { game: game.clone(), end });
        earlier
    }
}

fn has_ended(end: &Receiver<Infallible>) -> bool {
    end.try_recv() == Err(crossbeam_channel::TryRecvError::Disconnected)
}

impl SessionWork {
    fn run(mut self, room: &EngineRoom) {
        // Waiters for the end must hear of it last.
        let feed = self.feed.clone();
        let _ = feed.tell_of(|ending: &RunEnd| *ending, |tell| self.grow_in(room, tell));
    }

    fn grow_in(&mut self, room: &EngineRoom, tell: &mut RunListener<'_>) -> Result<RunEnd, String> {
        let Some(engines) = self.engines(room) else { return Ok(RunEnd::Interrupted) };
        let crew = engines?;
        // The engine is known now, so the root can be looked up.
        self.wakers.wake();
        let mut joined = crew.join(self.key, 1).ok_or(BUG)?;
        let grown = self.grow(&mut joined, tell).map_err(|error| error.to_string())?;
        Ok(grown.ending)
    }

    /// The engines, once they are up and the earlier runs have ended; `None` if this one is to end
    /// before.
    fn engines(&self, room: &EngineRoom) -> Option<Result<Arc<Crew>, String>> {
        for earlier in &self.earlier {
            self.wait_until(earlier, || has_ended(earlier).then_some(()))?;
        }
        self.wait_until(&room.shared.wakers.subscribe(), || room.engines())
    }

    /// Retries `look` at every wakeup; `None` if the run is to end before.
    fn wait_until<T, W>(&self, woken: &Receiver<W>, look: impl Fn() -> Option<T>) -> Option<T> {
        while !self.control.is_told_to_end() {
            if let Some(found) = look() {
                return Some(found);
            }
            select! {
                recv(self.control.wake()) -> _ => {}
                recv(woken) -> _ => {}
            }
        }
        None
    }

    fn grow(
        &mut self,
        engines: &mut SharedEngines,
        tell: &mut RunListener<'_>,
    ) -> Result<RunOutcome, RunError> {
        let patience = self.feed.patience(&self.control);
        let mut store = Store::open_with(&self.database, patience)?;
        if self.job.keeping == Keeping::Tree {
            self.job.depth = self.job.depth.max(stored_target(&store, &self.job)?);
        }
        loop {
            if let Some(tables) = &self.job.tree.tables {
                tables.look_again(&mut store, &self.control, &mut |_| {})?;
            }
            match grow(&self.job, &mut store, engines, &self.control, tell) {
                // Another program grows the same tree: the answers of both are kept, and serve
                // both.
                Err(RunError::Store(error @ StoreError::Growing { .. }))
                    if self.job.keeping == Keeping::Tree =>
                {
                    tell(RunEvent::Waiting(format!("{error}; its answers are used here")));
                    self.job.keeping = Keeping::AnswersAlone { only: Vec::new() };
                }
                grown => return grown,
            }
        }
    }
}

/// The deepest target of the stored trees of a job's game and settings, or 0: no question lowers
/// it.
fn stored_target(store: &Store, job: &Job) -> Result<u32, StoreError> {
    let Some(settings) = job.tree.known(store)? else { return Ok(0) };
    let rows = store.analyses_of(&job.game)?.into_iter();
    Ok(rows.filter(|row| row.settings == settings).map(|row| row.target_depth).max().unwrap_or(0))
}
