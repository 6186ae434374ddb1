//! The owner of the engines and of roots, each with its weight, that grow side by side, and the
//! user's wishes for each.
//!
//! Every root that grows has a thread, a store, a control and a feed of its own, and is grown as by
//! `grow` alone. The user's wishes are kept in the database (`agenda`), so that the next start goes
//! on with them. A paused run ends: its answers are kept, and its tree is read again when it goes
//! on.

mod adding;
mod asking;
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
use crate::facts::GamesUse;
use crate::job::{has_games, has_what_it_needs};
use crate::outcome::{RunError, RunnerError};
use crew::Crew;
use root::{RootRun, RunnerRoot, stages_of};
use shared::{RunnerShared, spawn};

/// All roots grown side by side. All copies are one agenda; the runs end at [`Runner::end`], or
/// with the last copy.
///
/// Methods that change the agenda write to the database, and wait if another program keeps it
/// locked, until the agenda ends; those that only look never wait. The number of any stage of a
/// root stands for the root.
#[derive(Debug, Clone)]
pub struct Runner {
    owner: Arc<RunnerOwner>,
}

/// Ends everything on drop.
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
    /// Opens the agenda of a database, and resumes its growing roots.
    ///
    /// # Errors
    ///
    /// If the database cannot be opened, or a thread not be started.
    pub fn start(
        path: &Path,
        engines: Box<dyn Engines + Send>,
        settings: RunnerSettings,
    ) -> Result<Runner, RunError> {
        Runner::start_with(path, move || engines, settings)
    }

    /// [`Self::start`] with engines made in their own thread.
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

    /// Resumes all growing roots: at the start those of before, later those that others have put on
    /// the agenda of the database ([`enqueue`]).
    ///
    /// # Errors
    ///
    /// If the database fails, or a thread cannot be started.
    pub fn take_up(&self) -> Result<(), RunError> {
        let shared = self.shared();
        let mut store = shared.store();
        let mut state = shared.state();
        // A root being replaced by another stage is briefly there under both numbers.
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
        // All of them join the engines before the first search begins.
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

    /// The root of a row on the agenda; `None` if its data are missing or damaged.
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

    /// The root of an analysis of any stage: its number on the agenda, else that of its first
    /// stage.
    ///
    /// # Errors
    ///
    /// If the analysis is unknown, or the database fails.
    pub fn root_of(&self, id: AnalysisId) -> Result<AnalysisId, RunnerError> {
        Ok(self.found(&self.shared().store(), id)?.0)
    }

    /// The whole agenda, in its order.
    pub fn entries(&self) -> Vec<RootEntry> {
        let state = self.shared().state();
        let items = state.items.iter().enumerate();
        items.map(|(place, item)| item.entry(place)).collect()
    }

    /// The entry with this number on the agenda.
    pub fn entry(&self, id: AnalysisId) -> Option<RootEntry> {
        self.entries().into_iter().find(|entry| entry.id == id)
    }

    /// The engine with its options; ignore its limit.
    pub fn profile(&self) -> &Profile {
        self.shared().crew.profile()
    }

    /// Gets a wakeup after every change of the agenda, of its runs, and of the engines from now on,
    /// with no more information: there may have been several, or one seen already.
    pub fn subscribe(&self) -> Receiver<()> {
        self.shared().wakers.subscribe()
    }

    /// The engines' states.
    pub fn engines(&self) -> EngineStates {
        self.shared().crew.states()
    }

    /// Ends all runs and waits for them: answers within a second are kept. Growing roots go on when
    /// the agenda is opened again. Called again from another thread meanwhile, it lets them leave
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

    /// The tablebases of new trees, if any.
    pub fn tables(&self) -> Option<deepanalyze_core::chess::Tables> {
        self.shared().tables()
    }

    /// The games for trees here, and the default rules for following them.
    pub fn games(&self) -> Option<&GamesUse> {
        self.shared().settings.games.as_ref()
    }

    /// Checks that the games of a root's tree, if any, are here.
    ///
    /// # Errors
    ///
    /// If they are not.
    pub fn has_games(&self, row: &AnalysisRow) -> Result<(), RunnerError> {
        has_games(row, self.games())
    }

    /// Checks that a root's engine, tablebases and games are here.
    fn is_ours(&self, row: &AnalysisRow) -> Result<(), RunnerError> {
        has_what_it_needs(row, self.profile(), self.shared().settings.tables.as_ref(), self.games())
    }
}

/// True if tables were added since a root's tree, or a stage's, was grown.
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
