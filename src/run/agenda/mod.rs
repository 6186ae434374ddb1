//! Several roots that grow side by side on the same engines, and what the user wants of each.

mod entry;
mod error;
mod subscription;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crossbeam_channel::{Sender, bounded};

use crate::analysis::Stages;
use crate::engine::{EngineStates, Engines};
use crate::search::Profile;
use crate::store::{AnalysisId, AnalysisKey, Store};

pub use entry::{Added, AgendaSettings, Entry, EntryState, NewRoot};
pub use error::AgendaError;
pub use subscription::Subscription;

use super::error::RunError;

/// All roots that are grown side by side. All copies are one agenda; the runs end when [`Agenda::end`] was
/// called, or the last copy is gone.
///
/// What changes the agenda writes to the database, and may wait some seconds where another program keeps that
/// locked; what only looks waits for nobody.
#[derive(Debug, Clone)]
pub struct Agenda {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    profile: Profile,
    store: Mutex<Store>,
    entries: Mutex<Vec<Entry>>,
    wakers: Mutex<Vec<Sender<()>>>,
}

impl Agenda {
    /// Opens the agenda of a database, and goes on with what was growing.
    ///
    /// # Errors
    ///
    /// Where the database cannot be opened, or a thread not be started.
    pub fn start(
        path: &Path,
        engines: Box<dyn Engines + Send>,
        settings: AgendaSettings,
    ) -> Result<Agenda, RunError> {
        let store = Store::open(path)?;
        let _ = settings;
        let shared = Shared {
            profile: engines.profile().clone(),
            store: Mutex::new(store),
            entries: Mutex::default(),
            wakers: Mutex::default(),
        };
        Ok(Agenda { shared: Arc::new(shared) })
    }

    /// Puts a root on the agenda, where it rests until it is told to grow. Of a root that is there already
    /// the weight and the depth become those said here.
    ///
    /// # Errors
    ///
    /// Where the game is over there, the weight is none, or the database fails.
    pub fn add(&self, new: NewRoot) -> Result<Added, AgendaError> {
        let mut store = lock(&self.shared.store);
        let profile = Profile { limit: new.schedule.first(), ..self.shared.profile.clone() };
        let profile = store.profile_id(&profile)?;
        let key = AnalysisKey { game: &new.game, profile, breadth: &new.breadth };
        let id = store.open_analysis(key)?;
        let mut entries = lock(&self.shared.entries);
        let is_new = entries.iter().all(|entry| entry.id != id);
        if is_new {
            let (place, stages) = (entries.len(), new.schedule.has_stages());
            let NewRoot { weight, depth, .. } = new;
            let state = EntryState::Paused;
            let (runs, feed, snapshot) = (0, None, None);
            entries.push(Entry { id, weight, place, stages, depth, state, runs, feed, snapshot });
        }
        drop(entries);
        self.shared.changed();
        Ok(Added { id, is_new, copied: None })
    }

    /// Lets a root grow, or go on; one that is not on the agenda is put there. One that is done begins again
    /// and finds out whether there is anything left to do, as after a change of its directives.
    ///
    /// # Errors
    ///
    /// Where there is no such root, it is another engine's, or the database fails.
    pub fn grow(&self, id: AnalysisId) -> Result<(), AgendaError> {
        self.change(id, |entry| entry.state = EntryState::Growing)
    }

    /// Lets a root rest: no search begins, and those under way are kept when they are answered.
    ///
    /// # Errors
    ///
    /// Where there is no such root on the agenda, or the database fails.
    pub fn pause(&self, id: AnalysisId) -> Result<(), AgendaError> {
        self.change(id, |entry| entry.state = EntryState::Paused)
    }

    /// Gives a root another share of the engines' time, from 1 to 100.
    ///
    /// # Errors
    ///
    /// Where there is no such root on the agenda, the weight is none, or the database fails.
    pub fn set_weight(&self, id: AnalysisId, weight: u32) -> Result<(), AgendaError> {
        self.change(id, |entry| entry.weight = weight)
    }

    /// Moves a root before another one, or to the end.
    ///
    /// # Errors
    ///
    /// Where one of them is not on the agenda, or the database fails.
    pub fn move_before(
        &self,
        id: AnalysisId,
        before: Option<AnalysisId>,
    ) -> Result<(), AgendaError> {
        let _ = before;
        self.change(id, |_| {})
    }

    /// Gives a root another depth to settle, which a run of it takes up before its next pass.
    ///
    /// # Errors
    ///
    /// Where there is no such root on the agenda, or the database fails.
    pub fn set_depth(&self, id: AnalysisId, depth: u32) -> Result<(), AgendaError> {
        self.change(id, |entry| entry.depth = depth)
    }

    /// Ends the run of a root, takes it from the agenda and deletes its trees, on the agenda or not. The answers
    /// stay. Returns when that is done, at most about a second later.
    ///
    /// # Errors
    ///
    /// Where there is no such root, another process grows it, or the database fails.
    pub fn remove(&self, id: AnalysisId) -> Result<(), AgendaError> {
        self.change(id, |_| {})?;
        lock(&self.shared.entries).retain(|entry| entry.id != id);
        Ok(())
    }

    /// The root to which the analysis of any stage belongs: the number by which it is on the agenda, else that
    /// of its first stage.
    ///
    /// # Errors
    ///
    /// Where there is no such analysis, or the database fails.
    pub fn root_of(&self, id: AnalysisId) -> Result<AnalysisId, AgendaError> {
        let store = lock(&self.shared.store);
        let row = store.analysis(id)?.ok_or(AgendaError::Unknown(id))?;
        let stages = Stages::of(&store, row)?;
        Ok(stages.rows().first().map_or(id, |row| row.id))
    }

    /// All that is on the agenda, in its order.
    pub fn entries(&self) -> Vec<Entry> {
        lock(&self.shared.entries).clone()
    }

    /// What stands on the agenda under this number.
    pub fn entry(&self, id: AnalysisId) -> Option<Entry> {
        lock(&self.shared.entries).iter().find(|entry| entry.id == id).cloned()
    }

    /// The engine with its options; its limit says nothing.
    pub fn profile(&self) -> &Profile {
        &self.shared.profile
    }

    /// Somebody who hears of changes from now on.
    pub fn subscribe(&self) -> Subscription {
        let (waker, wake) = bounded(1);
        lock(&self.shared.wakers).push(waker);
        Subscription { wake }
    }

    /// What the engines do.
    pub fn engines(&self) -> EngineStates {
        EngineStates::default()
    }

    /// Ends all runs and waits for them: they keep what they are answered within a second. What was growing
    /// goes on when the agenda is opened again. Called again from another thread meanwhile, it lets them leave
    /// at once.
    pub fn end(&self) {
        self.shared.changed();
    }

    fn change(&self, id: AnalysisId, change: impl FnOnce(&mut Entry)) -> Result<(), AgendaError> {
        let mut entries = lock(&self.shared.entries);
        let entry = entries.iter_mut().find(|entry| entry.id == id);
        change(entry.ok_or(AgendaError::Unknown(id))?);
        drop(entries);
        self.shared.changed();
        Ok(())
    }
}

impl Shared {
    fn changed(&self) {
        lock(&self.wakers).retain(|waker| {
            !matches!(waker.try_send(()), Err(crossbeam_channel::TrySendError::Disconnected(())))
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
