//! What all copies of an agenda and its threads share.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::control::Wakers;
use deepanalyze_core::chess::{Game, Tables};
use deepanalyze_core::search::Profile;
use deepanalyze_engine::{EngineShare, EngineStates};
use deepanalyze_store::{AnalysisId, Store};

use super::entry::AgendaSettings;
use super::error::AgendaError;
use super::item::{Item, Job};
use super::runs::spawn;

/// How long the end waits for runs that have nothing to keep yet.
const READING: Duration = Duration::from_secs(1);

/// Whoever takes several of the locks takes them in the order of the fields: first that of the store.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) path: PathBuf,
    pub(super) profile: Profile,
    pub(super) settings: AgendaSettings,
    /// For what the user wants; runs have stores of their own.
    store: Mutex<Store>,
    state: Mutex<State>,
    /// Set while nobody else has the state.
    ending: Arc<AtomicBool>,
    /// The thread of a root has ended, or a root is no longer being taken away.
    pub(super) has_ended: Condvar,
    /// None after the end.
    share: Mutex<Option<EngineShare>>,
    /// What the engines have done, after the end.
    last: Mutex<EngineStates>,
    /// Keeps answers whose run is gone.
    keeper: Mutex<Option<JoinHandle<()>>>,
    pub(super) wakers: Wakers,
}

/// What stands on the agenda.
#[derive(Debug, Default)]
pub(super) struct State {
    /// In the order of the agenda.
    pub(super) items: Vec<Item>,
    /// So long the end waits for runs that have nothing to keep.
    patience: Option<Instant>,
}

impl State {
    pub(super) fn item(&mut self, id: AnalysisId) -> Option<&mut Item> {
        self.items.iter_mut().find(|item| item.id == id)
    }

    /// A root that nobody is taking away.
    pub(super) fn standing(&mut self, id: AnalysisId) -> Result<&mut Item, AgendaError> {
        let item = self.item(id).filter(|item| !item.is_leaving);
        item.ok_or(AgendaError::Unknown(id))
    }
}

impl Shared {
    pub(super) fn new(
        (store, ending): (Store, Arc<AtomicBool>),
        share: EngineShare,
        settings: AgendaSettings,
        wakers: Wakers,
    ) -> Shared {
        Shared {
            path: store.path().to_owned(),
            profile: share.profile().clone(),
            settings,
            store: Mutex::new(store),
            state: Mutex::default(),
            ending,
            has_ended: Condvar::new(),
            share: Mutex::new(Some(share)),
            last: Mutex::default(),
            keeper: Mutex::default(),
            wakers,
        }
    }

    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        lock(&self.store)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Everything is to end.
    pub(super) fn set_ending(&self) {
        self.ending.store(true, Ordering::SeqCst);
    }

    /// Whether everything ends. What begins while the state is held does so before that.
    pub(super) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::SeqCst)
    }

    pub(super) fn set_keeper(&self, keeper: JoinHandle<()>) {
        *lock(&self.keeper) = Some(keeper);
    }

    /// Does something with the engines, while there are any.
    pub(super) fn with_share<T>(&self, act: impl FnOnce(&EngineShare) -> T) -> Option<T> {
        lock(&self.share).as_ref().map(act)
    }

    /// What the engines do.
    pub(super) fn engines(&self) -> EngineStates {
        self.with_share(EngineShare::states).unwrap_or_else(|| lock(&self.last).clone())
    }

    /// The endgame tables by which new trees go here.
    pub(super) fn tables(&self) -> Option<Tables> {
        self.settings.tables.as_ref().map(|used| used.tables)
    }

    /// Begins a run of a root.
    pub(super) fn begin(&self, item: &mut Item) -> Option<Job> {
        self.with_share(|share| item.begin(share, &self.settings, &self.wakers))
    }

    /// Begins the run that a root wants and has not, unless everything ends.
    pub(super) fn begin_wanted(
        self: &Arc<Shared>,
        state: &mut State,
        id: AnalysisId,
    ) -> std::io::Result<()> {
        let is_ending = self.is_ending();
        let may_begin = |item: &&mut Item| !is_ending && item.control.is_none() && item.wants_run();
        let Some(item) = state.item(id).filter(may_begin) else {
            return Ok(());
        };
        let Some(job) = self.begin(item) else {
            return Ok(());
        };
        spawn(self, job).inspect_err(|error| {
            item.control = None;
            item.fail(format!("cannot start a thread: {error}"));
        })
    }

    /// Trees of some roots are empty by now: those that were done grow again, and are soon done where theirs are
    /// whole.
    pub(super) fn reopen_all(self: &Arc<Shared>) {
        let mut state = self.state();
        let done = state.items.iter_mut().filter(|item| item.is_done());
        let done: Vec<AnalysisId> = done
            .map(|item| {
                item.reopen();
                item.id
            })
            .collect();
        for id in done {
            if let Err(error) = self.begin_wanted(&mut state, id) {
                tracing::warn!(%error, analysis = id.0, "not grown again");
            }
        }
        drop(state);
        self.wakers.wake();
    }

    /// Ends the run of a root, and waits until its thread has ended; no other begins before it is let go on.
    pub(super) fn clear(&self, id: AnalysisId) -> Result<(), AgendaError> {
        let mut state = self.state();
        let item = state.standing(id)?;
        item.is_leaving = true;
        item.control.iter().for_each(|control| control.end());
        while state.item(id).is_some_and(|item| item.control.is_some()) {
            state = self.has_ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }

    /// Waits while a root of this game is being taken away, or given another stage.
    pub(super) fn wait_for_leaving(&self, game: &Game) {
        let is_leaving =
            |state: &mut State| state.items.iter().any(|item| item.is_leaving && item.is_of(game));
        drop(self.has_ended.wait_while(self.state(), is_leaving));
    }

    /// Tells whoever waits that a root has gone, or stays.
    pub(super) fn has_left(&self) {
        self.has_ended.notify_all();
        self.wakers.wake();
    }

    /// Ends all runs and the engines. A run that still reads its tree has nothing to keep: it is waited for a second,
    /// and ends by itself.
    pub(super) fn end(&self) {
        let mut state = self.state();
        self.set_ending();
        let until = *state.patience.get_or_insert_with(|| Instant::now() + READING);
        for control in state.items.iter().filter_map(|item| item.control.as_ref()) {
            control.end();
        }
        while state.items.iter().any(|item| item.control.is_some()) {
            let left = until.saturating_duration_since(Instant::now());
            let mut running = state.items.iter().filter(|item| item.control.is_some());
            if left.is_zero() && running.all(Item::is_reading) {
                break;
            }
            // Who keeps something is waited for, however long that takes.
            let most = if left.is_zero() { READING } else { left };
            let waited = self.has_ended.wait_timeout(state, most);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        let (share, keeper) = (lock(&self.share).take(), lock(&self.keeper).take());
        if let Some(share) = share {
            *lock(&self.last) = share.states();
        }
        if let Some(keeper) = keeper {
            // It ends when the engines have.
            let _ = keeper.join();
        }
        self.store().leave_short();
        self.wakers.wake();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
