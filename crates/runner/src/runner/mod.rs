//! The one who has the engines and holds roots, each with its weight, that grow side by side, and what the user wants of
//! each.
//!
//! Every root that grows has a thread, a store, a control and a feed of its own, and is grown as by `grow`
//! alone. What the user wants is kept in the database (`agenda`), so that the next start goes on with it. A run
//! that is paused ends: its answers are there, and its tree is read again when it goes on.

mod adding;
pub(crate) mod crew;
mod root;
mod shared;
mod steering;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use crossbeam_channel::Receiver;
use deepanalyze_core::search::Profile;
use deepanalyze_engine::{EngineStates, Engines};
use deepanalyze_store::{AgendaRow, AnalysisId, AnalysisRow, Store, StoreError, now};

pub use adding::enqueue;
pub use root::{Added, EntryState, RecheckAsked, RootEntry, RunnerSettings};
pub use steering::Amendment;

use crate::control::Wakers;
use crate::error::{RunError, RunnerError};
use crate::facts::GamesUse;
use crate::kept::{has_games, has_what_it_needs};
use crew::Crew;
use root::{RootRun, RunnerRoot, stages_of};
use shared::{RunnerShared, spawn};

/// All roots that are grown side by side. All copies are one agenda; the runs end when [`Runner::end`] was
/// called, or the last copy is gone.
///
/// What changes the agenda writes to the database, and waits where another program keeps that locked, until the
/// agenda ends; what only looks waits for nobody. The number of any stage of a root stands for the root.
#[derive(Debug, Clone)]
pub struct Runner {
    owner: Arc<RunnerOwner>,
}

/// Ends everything when it goes.
#[derive(Debug)]
struct RunnerOwner {
    shared: Arc<RunnerShared>,
}

impl Drop for RunnerOwner {
    fn drop(&mut self) {
        self.shared.end();
    }
}

impl Runner {
    /// Opens the agenda of a database, and goes on with what was growing.
    ///
    /// # Errors
    ///
    /// Where the database cannot be opened, or a thread not be started.
    pub fn start(
        path: &Path,
        engines: Box<dyn Engines + Send>,
        settings: RunnerSettings,
    ) -> Result<Runner, RunError> {
        Runner::start_with(path, move || engines, settings)
    }

    /// The same with engines that are made in the thread that drives them.
    pub(crate) fn start_with(
        path: &Path,
        engines: impl FnOnce() -> Box<dyn Engines> + Send + 'static,
        settings: RunnerSettings,
    ) -> Result<Runner, RunError> {
        let wakers = Wakers::default();
        let woken = wakers.clone();
        let (crew, unclaimed) =
            Crew::start(engines, move || woken.wake()).map_err(RunError::Thread)?;
        let store = Store::open_with(path, crew.patience())?;
        let shared = Arc::new(RunnerShared::new(store, crew, settings, wakers));
        let agenda = Runner { owner: Arc::new(RunnerOwner { shared: Arc::clone(&shared) }) };
        let emptied = Arc::downgrade(&shared);
        let are_emptied = move || emptied.upgrade().iter().for_each(|shared| shared.reopen_all());
        let kept = shared.crew.keep_orphans(shared.path.clone(), unclaimed, are_emptied);
        kept.map_err(RunError::Thread)?;
        agenda.take_up()?;
        Ok(agenda)
    }

    /// Goes on with what is to grow: what was growing, at the start, and later what others have put on the agenda
    /// of the database ([`enqueue`]).
    ///
    /// # Errors
    ///
    /// Where the database fails, or a thread cannot be started.
    pub fn take_up(&self) -> Result<(), RunError> {
        let shared = self.shared();
        let mut store = shared.store();
        let mut state = shared.state();
        // A root that is being replaced by another stage stands there under both numbers for a moment.
        if shared.crew.is_ending() || state.items.iter().any(|item| item.is_leaving) {
            return Ok(());
        }
        let known = state.items.len();
        for wish in store.agenda()? {
            if state.item(wish.analysis).is_none()
                && let Some(mut item) = self.item_of(&store, &wish)?
            {
                if item.is_overdue(now()) {
                    item.rest();
                    store.put_on_agenda(&item.wish)?;
                }
                state.items.push(item);
            }
        }
        // All of them take part in the engines before the first search begins.
        let wanted = state.items.iter().skip(known).filter(|item| item.wants_run());
        let wanted: Vec<AnalysisId> = wanted.map(|item| item.wish.analysis).collect();
        let mut runs: Vec<RootRun> = Vec::new();
        for id in wanted {
            if state.is_its_turn(id) {
                runs.extend(state.item(id).and_then(|item| shared.begin(item)));
            }
        }
        drop(state);
        runs.into_iter().try_for_each(|run| spawn(shared, run)).map_err(RunError::Thread)?;
        shared.wakers.wake();
        Ok(())
    }

    /// What the database says of a root on the agenda; nothing where that cannot be.
    fn item_of(&self, store: &Store, wish: &AgendaRow) -> Result<Option<RunnerRoot>, StoreError> {
        let Some(row) = store.analysis(wish.analysis)? else {
            return Ok(None);
        };
        let Some(mut item) = RunnerRoot::of(&row, wish, &self.shared().settings) else {
            tracing::warn!(analysis = row.id.0, "its game cannot be played");
            return Ok(None);
        };
        if item.is_done() && lacks_facts(store, &row)? {
            item.reopen();
        }
        if let Err(error) = self.is_ours(&row) {
            item.fail(error.to_string());
        }
        Ok(Some(item))
    }

    /// The root to which the analysis of any stage belongs: the number by which it is on the agenda, else that
    /// of its first stage.
    ///
    /// # Errors
    ///
    /// Where there is no such analysis, or the database fails.
    pub fn root_of(&self, id: AnalysisId) -> Result<AnalysisId, RunnerError> {
        Ok(self.found(&self.shared().store(), id)?.0)
    }

    /// All that is on the agenda, in its order.
    pub fn entries(&self) -> Vec<RootEntry> {
        let state = self.shared().state();
        let items = state.items.iter().enumerate();
        items.map(|(place, item)| item.entry(place)).collect()
    }

    /// What stands on the agenda under this number.
    pub fn entry(&self, id: AnalysisId) -> Option<RootEntry> {
        self.entries().into_iter().find(|entry| entry.id == id)
    }

    /// The engine with its options; its limit says nothing.
    pub fn profile(&self) -> &Profile {
        self.shared().crew.profile()
    }

    /// Gets something after every change of the agenda, of its runs, and of the engines from now on. It says no more than
    /// that: there may have been several, or one that was seen already.
    pub fn subscribe(&self) -> Receiver<()> {
        self.shared().wakers.subscribe()
    }

    /// What the engines do.
    pub fn engines(&self) -> EngineStates {
        self.shared().crew.states()
    }

    /// Ends all runs and waits for them: they keep what they are answered within a second. What was growing
    /// goes on when the agenda is opened again. Called again from another thread meanwhile, it lets them leave
    /// at once.
    pub fn end(&self) {
        self.shared().end();
    }

    fn shared(&self) -> &Arc<RunnerShared> {
        &self.owner.shared
    }

    /// The root of any stage, by its number on the agenda, or else its first stage.
    fn found(
        &self,
        store: &Store,
        id: AnalysisId,
    ) -> Result<(AnalysisId, AnalysisRow), RunnerError> {
        let Some(row) = store.analysis(id)? else {
            // Another program may have deleted it.
            let is_gone = |item: &RunnerRoot| item.wish.analysis == id && item.control.is_none();
            self.shared().state().items.retain(|item| !is_gone(item));
            return Err(RunnerError::Unknown(id));
        };
        let stages = stages_of(store, row)?;
        let mut state = self.shared().state();
        let listed = stages.iter().position(|stage| state.item(stage.id).is_some());
        let root = stages.into_iter().nth(listed.unwrap_or(0)).ok_or(RunnerError::Unknown(id))?;
        Ok((root.id, root))
    }

    /// The tablebases by which new trees go; none where they do not.
    pub fn tables(&self) -> Option<deepanalyze_core::chess::Tables> {
        self.shared().tables()
    }

    /// The games that trees can know here, and the rules by which they are followed where nothing is said.
    pub fn games(&self) -> Option<&GamesUse> {
        self.shared().settings.games.as_ref()
    }

    /// Whether the games are here that a root's tree knows, if it knows any.
    ///
    /// # Errors
    ///
    /// Where they are not.
    pub fn has_games(&self, row: &AnalysisRow) -> Result<(), RunnerError> {
        has_games(row, self.games())
    }

    /// Whether the engine, tablebases and games are here with which a root was analysed.
    fn is_ours(&self, row: &AnalysisRow) -> Result<(), RunnerError> {
        has_what_it_needs(row, self.profile(), self.shared().settings.tables.as_ref(), self.games())
    }
}

/// Whether tables have come since the tree of a root, or of a stage of it, was grown.
fn lacks_facts(store: &Store, row: &AnalysisRow) -> Result<bool, StoreError> {
    let Some(_) = row.settings.tables else {
        return Ok(false);
    };
    let last = store.last_fact_round()?;
    Ok(stages_of(store, row.clone())?.iter().any(|stage| stage.fact_round < last))
}

fn check_weight(weight: u32) -> Result<(), RunnerError> {
    if (1..=100).contains(&weight) { Ok(()) } else { Err(RunnerError::Weight(weight)) }
}
