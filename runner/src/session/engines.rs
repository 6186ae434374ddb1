//! The engines of a session: started when they are needed, in a thread, for nobody is to wait for them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::{Wakers, keep_orphans};
use deepanalyze_core::search::Profile;
use deepanalyze_engine::{EngineShare, Offer, Pool, Settings};
use deepanalyze_store::Patience;

use super::settings::SessionSettings;

/// Whether engines can work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// They can.
    Ready,
    /// They do not start, and why.
    Failed(String),
    /// They are not there yet.
    Starting,
}

/// Engines that are started once.
#[derive(Debug)]
pub struct EngineRoom {
    settings: Settings,
    database: PathBuf,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// They have started, or do not.
    decided: Condvar,
    /// Searches that wait for them.
    wakers: Wakers,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Cold,
    Starting,
    Up(Arc<Engines>),
    Failed(String),
}

/// Engines that work. They end when nobody has them any more.
#[derive(Debug)]
pub struct Engines {
    /// None at the end.
    share: Option<EngineShare>,
    offers: Vec<Offer>,
    /// Keeps answers whose run is gone.
    keeper: Option<JoinHandle<()>>,
    is_ending: Arc<AtomicBool>,
}

impl EngineRoom {
    /// The engines of these settings, not started yet.
    pub fn new(settings: &SessionSettings) -> EngineRoom {
        let (engines, database) = (settings.engines.clone(), settings.database.clone());
        EngineRoom { settings: engines, database, shared: Arc::default() }
    }

    /// Starts them, unless that was done.
    pub fn begin(&self) {
        let mut state = self.shared.state();
        if !matches!(*state, State::Cold) {
            return;
        }
        *state = State::Starting;
        let (shared, settings) = (Arc::clone(&self.shared), self.settings.clone());
        let database = self.database.clone();
        let start = move || {
            let started = Engines::start(&settings, database);
            shared.decide(started.map(Arc::new));
        };
        let thread = std::thread::Builder::new().name("engine start".to_owned());
        if let Err(error) = thread.spawn(start) {
            *state = State::Failed(error.to_string());
        }
    }

    /// Wakes these when the engines have started, or do not.
    pub fn wakes(&self) -> Wakers {
        self.shared.wakers.clone()
    }

    /// The engines, where they are up; why they are not, where that is known.
    pub fn engines(&self) -> Option<Result<Arc<Engines>, String>> {
        match &*self.shared.state() {
            State::Up(engines) => Some(Ok(Arc::clone(engines))),
            State::Failed(why) => Some(Err(why.clone())),
            State::Cold | State::Starting => None,
        }
    }

    /// Starts them, and waits for them so long.
    pub fn ready(&self, patience: Duration) -> Readiness {
        self.begin();
        let state = self.shared.state();
        let is_open = |state: &mut State| matches!(state, State::Cold | State::Starting);
        let waited = self.shared.decided.wait_timeout_while(state, patience, is_open);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match &*state {
            State::Up(_) => Readiness::Ready,
            State::Failed(why) => Readiness::Failed(why.clone()),
            State::Cold | State::Starting => Readiness::Starting,
        }
    }

    /// What they offer, where they are up.
    pub fn offers(&self) -> Option<Vec<Offer>> {
        Some(self.engines()?.ok()?.offers.clone())
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn decide(&self, started: Result<Arc<Engines>, String>) {
        *self.state() = started.map_or_else(State::Failed, State::Up);
        self.decided.notify_all();
        self.wakers.wake();
    }
}

impl Engines {
    fn start(settings: &Settings, database: PathBuf) -> Result<Engines, String> {
        let pool = Pool::start(settings).map_err(|error| error.to_string())?;
        let offers = pool.offers();
        let no_thread = |error: std::io::Error| format!("cannot start a thread: {error}");
        let (share, unclaimed) =
            EngineShare::start(move || Box::new(pool), || {}).map_err(no_thread)?;
        share.abandon_what_is_left();
        let (profile, is_ending) = (share.profile().clone(), Arc::new(AtomicBool::new(false)));
        let ends = Arc::clone(&is_ending);
        let keep = move || {
            let patience = Patience::until(move || ends.load(Ordering::SeqCst));
            keep_orphans(&database, &profile, &unclaimed, &patience, || {});
        };
        let keeper = std::thread::Builder::new().name("answers without a run".to_owned());
        let keeper = keeper.spawn(keep).map_err(no_thread)?;
        Ok(Engines { share: Some(share), offers, keeper: Some(keeper), is_ending })
    }

    /// The engine's name and options; its limit says nothing. None at the end.
    pub fn profile(&self) -> Option<&Profile> {
        self.share().map(EngineShare::profile)
    }

    /// What runs share.
    pub fn share(&self) -> Option<&EngineShare> {
        self.share.as_ref()
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        self.is_ending.store(true, Ordering::SeqCst);
        drop(self.share.take());
        if let Some(keeper) = self.keeper.take() {
            // It ends when the engines have.
            let _ = keeper.join();
        }
    }
}
