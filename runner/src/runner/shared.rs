//! What all copies of a runner and its threads share.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::control::Wakers;
use deepanalyze_core::chess::{Game, Tables};
use deepanalyze_engine::RunKey;
use deepanalyze_store::{AnalysisId, Store};

use super::crew::{Crew, lock};
use super::entry::RunnerSettings;
use super::root::{RootJob, RunnerRoot};
use super::runs::spawn;
use crate::error::RunnerError;

/// How long the end waits for runs that have nothing to keep yet.
const READING: Duration = Duration::from_secs(1);

/// Whoever takes several of the locks takes them in the order of the fields: first that of the store.
#[derive(Debug)]
pub(super) struct RunnerShared {
    pub(super) path: PathBuf,
    pub(super) settings: RunnerSettings,
    /// For what the user wants; runs have stores of their own.
    store: Mutex<Store>,
    /// It is said to end only by who has the state.
    state: Mutex<RunnerState>,
    /// The thread of a root has ended, or a root is no longer being taken away.
    pub(super) has_ended: Condvar,
    pub(super) crew: Crew,
    pub(super) wakers: Wakers,
}

/// What stands on the agenda.
#[derive(Debug, Default)]
pub(super) struct RunnerState {
    /// In the order of the agenda.
    pub(super) items: Vec<RunnerRoot>,
    /// So long the end waits for runs that have nothing to keep.
    patience: Option<Instant>,
}

impl RunnerState {
    pub(super) fn item(&mut self, id: AnalysisId) -> Option<&mut RunnerRoot> {
        self.items.iter_mut().find(|item| item.id == id)
    }

    /// A root that nobody is taking away.
    pub(super) fn standing(&mut self, id: AnalysisId) -> Result<&mut RunnerRoot, RunnerError> {
        let item = self.item(id).filter(|item| !item.is_leaving);
        item.ok_or(RunnerError::Unknown(id))
    }
}

impl RunnerShared {
    pub(super) fn new(
        store: Store,
        crew: Crew,
        settings: RunnerSettings,
        wakers: Wakers,
    ) -> RunnerShared {
        RunnerShared {
            path: store.path().to_owned(),
            settings,
            store: Mutex::new(store),
            state: Mutex::default(),
            has_ended: Condvar::new(),
            crew,
            wakers,
        }
    }

    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        lock(&self.store)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, RunnerState> {
        lock(&self.state)
    }

    /// The endgame tables by which new trees go here.
    pub(super) fn tables(&self) -> Option<Tables> {
        self.settings.tables.as_ref().map(|used| used.tables)
    }

    /// Begins a run of a root.
    pub(super) fn begin(&self, item: &mut RunnerRoot) -> Option<RootJob> {
        let engines = self.crew.join(RunKey(item.id.0), item.weight)?;
        Some(item.begin(engines, &self.settings, &self.wakers))
    }

    /// Begins the run that a root wants and has not, unless everything ends.
    pub(super) fn begin_wanted(
        self: &Arc<RunnerShared>,
        state: &mut RunnerState,
        id: AnalysisId,
    ) -> std::io::Result<()> {
        let is_ending = self.crew.is_ending();
        let may_begin =
            |item: &&mut RunnerRoot| !is_ending && item.control.is_none() && item.wants_run();
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
    pub(super) fn reopen_all(self: &Arc<RunnerShared>) {
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
    pub(super) fn clear(&self, id: AnalysisId) -> Result<(), RunnerError> {
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
        let is_leaving = |state: &mut RunnerState| {
            state.items.iter().any(|item| item.is_leaving && item.is_of(game))
        };
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
        self.crew.set_ending();
        let until = *state.patience.get_or_insert_with(|| Instant::now() + READING);
        for control in state.items.iter().filter_map(|item| item.control.as_ref()) {
            control.end();
        }
        while state.items.iter().any(|item| item.control.is_some()) {
            let left = until.saturating_duration_since(Instant::now());
            let mut running = state.items.iter().filter(|item| item.control.is_some());
            if left.is_zero() && running.all(RunnerRoot::is_reading) {
                break;
            }
            // Who keeps something is waited for, however long that takes.
            let most = if left.is_zero() { READING } else { left };
            let waited = self.has_ended.wait_timeout(state, most);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        self.crew.dismiss();
        self.store().leave_short();
        self.wakers.wake();
    }
}
