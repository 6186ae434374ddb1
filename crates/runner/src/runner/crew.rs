//! Engines shared by any number of runs, and events of no run: answers whose run is gone, which
//! cost engine time and are kept as any others, and quarantined workers, whose answers are
//! invalidated.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crossbeam_channel::Receiver;

use deepanalyze_core::search::{Profile, Search};
use deepanalyze_engine::{
    EngineShare, EngineStates, Engines, Orphan, RunKey, SharedEngines, Unclaimed,
};
use deepanalyze_store::{Invalidated, NewAnswer, Patience, Store, StoreError};

/// Engines shared by runs. They end when dismissed or dropped.
#[derive(Debug)]
pub struct Crew {
    profile: Profile,
    /// `None` once ended.
    share: Mutex<Option<EngineShare>>,
    /// Engine states at the end.
    last: Mutex<EngineStates>,
    /// Keeps answers whose run is gone.
    keeper: Mutex<Option<JoinHandle<()>>>,
    is_ending: Arc<AtomicBool>,
}

impl Crew {
    /// Takes on engines, which are made in the thread that drives them; `change` is called at every
    /// change of their states. Orphaned answers are returned beside it.
    pub fn start(
        engines: impl FnOnce() -> Box<dyn Engines> + Send + 'static,
        change: impl Fn() + Send + Sync + 'static,
    ) -> io::Result<(Crew, Receiver<Unclaimed>)> {
        let (share, unclaimed) = EngineShare::start(engines, change)?;
        let crew = Crew {
            profile: share.profile().clone(),
            share: Mutex::new(Some(share)),
            last: Mutex::default(),
            keeper: Mutex::default(),
            is_ending: Arc::default(),
        };
        Ok((crew, unclaimed))
    }

    /// Keeps orphaned answers in a database. `are_emptied` is called if trees used answers that
    /// were invalidated.
    pub fn keep_orphans(
        &self,
        path: PathBuf,
        unclaimed: Receiver<Unclaimed>,
        are_emptied: impl Fn() + Send + 'static,
    ) -> io::Result<()> {
        let (profile, patience) = (self.profile.clone(), self.patience());
        let keep = move || keep_unclaimed(&path, &profile, &patience, &unclaimed, are_emptied);
        let keeper = std::thread::Builder::new().name("answers without a run".to_owned());
        *lock(&self.keeper) = Some(keeper.spawn(keep)?);
        Ok(())
    }

    /// The engine with its options; ignore its limit.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The engines' states.
    pub fn states(&self) -> EngineStates {
        let states = self.with(EngineShare::states);
        states.unwrap_or_else(|| lock(&self.last).clone())
    }

    /// Adds a run; `None` after the end.
    pub fn join(&self, key: RunKey, weight: u32) -> Option<SharedEngines> {
        self.with(|share| share.join(key, weight))
    }

    /// Calls `act` with the engines, if there are any.
    pub fn with<T>(&self, act: impl FnOnce(&EngineShare) -> T) -> Option<T> {
        lock(&self.share).as_ref().map(act)
    }

    /// How to wait for its locked database: until everything ends.
    pub fn patience(&self) -> Patience {
        let is_ending = Arc::clone(&self.is_ending);
        Patience::until(move || is_ending.load(Ordering::SeqCst))
    }

    /// Marks the end of everything: stops waits for a locked database.
    pub fn set_ending(&self) {
        self.is_ending.store(true, Ordering::SeqCst);
    }

    /// True if everything is to end.
    pub fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::SeqCst)
    }

    /// Ends the engines, and waits until their answers are kept.
    pub fn dismiss(&self) {
        self.set_ending();
        let (share, keeper) = (lock(&self.share).take(), lock(&self.keeper).take());
        if let Some(share) = share {
            *lock(&self.last) = share.states();
        }
        if let Some(keeper) = keeper {
            // It ends when the engines have.
            let _ = keeper.join();
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.dismiss();
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps orphaned answers until none can come.
fn keep_unclaimed(
    path: &Path,
    profile: &Profile,
    patience: &Patience,
    unclaimed: &Receiver<Unclaimed>,
    are_emptied: impl Fn(),
) {
    let mut opened = None;
    while let Ok(next) = unclaimed.recv() {
        let store = opened.take().map_or_else(|| Store::open_with(path, patience.clone()), Ok);
        let done = store.and_then(|store| take_in(opened.insert(store), profile, next));
        match done {
            Ok(0) => {}
            Ok(_) => are_emptied(),
            Err(error) => {
                opened = None;
                tracing::warn!(%error, "an answer is not stored, or not invalidated");
            }
        }
        // A waiting keeper holds no database: its log goes, and the file may be moved or copied.
        if unclaimed.is_empty() {
            opened = None;
        }
    }
}

/// Keeps an answer, unless the list has changed since the search began, or invalidates a worker's
/// answers; returns how many trees are empty by that.
fn take_in(store: &mut Store, profile: &Profile, unclaimed: Unclaimed) -> Result<u64, StoreError> {
    match unclaimed {
        Unclaimed::Answer(orphan) => {
            let Orphan { search, limit, keep_hash, answer, worker } = *orphan;
            // An answer on a kept hash depends on all searches before it, and these are unknown.
            if !keep_hash {
                let profile = Profile { limit, kept_hash: None, ..profile.clone() };
                let profile = store.profile_id(&profile)?;
                let Search { position, excluded } = search;
                store.keep(profile, &[NewAnswer { position, excluded, answer, worker }])?;
            }
            Ok(0)
        }
        Unclaimed::Quarantined { worker, why } => {
            let Some(Invalidated { answers, trees }) = store.invalidate(&worker, &why)? else {
                return Ok(0);
            };
            tracing::warn!(%worker, answers, trees, "answers invalidated");
            Ok(trees)
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::time::{Duration, Instant};

    use crossbeam_channel::unbounded;
    use shakmaty::Chess;

    use super::*;
    use crate::tests::made_up::{answer, profile};

    #[test]
    fn orphaned_answer_is_kept_and_the_database_freed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let (profile, patience) = (profile(), Patience::default());
        drop(Store::open(&path).unwrap());
        let empty = std::fs::read(&path).unwrap();
        let (give, unclaimed) = unbounded();
        std::thread::scope(|scope| {
            scope.spawn(|| keep_unclaimed(&path, &profile, &patience, &unclaimed, || {}));
            let search = Search { position: Chess::default(), excluded: Vec::new() };
            let answer = answer(&search);
            let limit = profile.limit;
            let orphan = Orphan { search, limit, keep_hash: false, answer, worker: None };
            give.send(Unclaimed::Answer(Box::new(orphan))).unwrap();
            // The log goes into the file on the last close.
            let began = Instant::now();
            while std::fs::read(&path).unwrap() == empty {
                assert!(began.elapsed() < Duration::from_secs(60), "the database stays open");
                std::thread::yield_now();
            }
            drop(give);
        });
        let store = Store::open_to_read(&path).unwrap();
        let profile = store.find_profile(&profile).unwrap().unwrap();
        assert!(store.answer(profile, &Chess::default(), 0).unwrap().is_some());
    }
}
