//! What engines have spent on each tree. It takes a look at all answers of the tree, seconds of a large one, so a
//! thread of its own adds it up, and nobody waits for it.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use crate::store::{AnalysisId, Store};

/// A tree that grows is added up again once so many times its own cost have passed.
const REST: u32 = 50;
const LEAST_REST: Duration = Duration::from_secs(3);

/// A tree: its analysis, and how many passes it has.
pub type Tree = (AnalysisId, u64);

/// What engines have spent, as far as it is added up.
#[derive(Debug)]
pub struct Spent {
    shared: Arc<Shared>,
    wanted: Sender<()>,
    added_up: Receiver<()>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The trees that there are.
    trees: Vec<Tree>,
    known: BTreeMap<AnalysisId, Known>,
}

/// What engines have spent on a tree, as it was added up last.
#[derive(Debug, Clone, Copy)]
struct Known {
    milliseconds: u64,
    passes: u64,
    /// When it may be added up again.
    again: Instant,
}

impl Spent {
    /// Nothing is known yet. The thread ends when this is dropped.
    ///
    /// # Errors
    ///
    /// Where there is no thread.
    pub fn start(path: &Path) -> io::Result<Spent> {
        let (wanted, wants) = bounded(1);
        let (added, added_up) = bounded(1);
        let (shared, path) = (Arc::<Shared>::default(), path.to_owned());
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("spent".to_owned());
        thread.spawn(move || of_thread.keep(&path, &wants, &added))?;
        Ok(Spent { shared, wanted, added_up })
    }

    /// These are the trees by now.
    pub fn look_at(&self, trees: Vec<Tree>) {
        self.shared.lock().trees = trees;
        // Where a word waits already, the thread will see these.
        let _ = self.wanted.try_send(());
    }

    /// Hears when something is added up.
    pub fn added_up(&self) -> &Receiver<()> {
        &self.added_up
    }

    /// Milliseconds that engines have spent on the tree of an analysis; 0 as long as that is not known.
    pub fn on(&self, id: AnalysisId) -> u64 {
        self.shared.lock().known.get(&id).map_or(0, |known| known.milliseconds)
    }
}

impl Shared {
    fn keep(&self, path: &Path, wants: &Receiver<()>, added: &Sender<()>) {
        // One that rests is looked at again, though nothing has changed since.
        while wants.recv_timeout(LEAST_REST) != Err(RecvTimeoutError::Disconnected) {
            while self.add_one_up(path) {
                let _ = added.try_send(());
            }
        }
    }

    /// Adds up what was spent on the next tree; whether there is one.
    fn add_one_up(&self, path: &Path) -> bool {
        let began = Instant::now();
        let Some((id, passes)) = self.lock().next(began) else {
            return false;
        };
        // What cannot be read shows where the root is read.
        let milliseconds = Store::open_to_read(path)
            .and_then(|store| store.engine_time_ms(id))
            .inspect_err(|error| tracing::debug!(%error, "engine time cannot be added up"))
            .unwrap_or_default();
        let again = Instant::now() + (began.elapsed() * REST).max(LEAST_REST);
        self.lock().known.insert(id, Known { milliseconds, passes, again });
        true
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The tree that is to be added up at a moment; those that are gone are forgotten. One that has not changed since
    /// is not, nor one that has not rested.
    fn next(&mut self, now: Instant) -> Option<Tree> {
        let State { trees, known } = self;
        let there: HashSet<AnalysisId> = trees.iter().map(|(id, _)| *id).collect();
        known.retain(|id, _| there.contains(id));
        let is_due = |(id, passes): &&Tree| {
            known.get(id).is_none_or(|known| known.passes != *passes && known.again <= now)
        };
        trees.iter().find(is_due).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_adds_up_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let kept = include_str!("../../../tests/databases/version-5.sql");
        let db = rusqlite::Connection::open(&path).unwrap();
        db.execute_batch(kept).unwrap();
        db.execute("UPDATE search SET time_ms = 3", []).unwrap();
        let spent = Spent::start(&path).unwrap();
        assert_eq!(spent.on(AnalysisId(1)), 0);
        spent.look_at(vec![(AnalysisId(1), 11)]);
        spent.added_up().recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(spent.on(AnalysisId(1)), 3 * 26, "of so many admitted answers");
    }

    #[test]
    fn what_is_new_or_has_grown_and_rested_is_added_up() {
        let (now, [one, two]) = (Instant::now(), [AnalysisId(1), AnalysisId(2)]);
        let mut state = State { trees: vec![(one, 5), (two, 7)], known: BTreeMap::new() };
        assert_eq!(state.next(now), Some((one, 5)));
        let again = now + LEAST_REST;
        state.known.insert(one, Known { milliseconds: 9, passes: 5, again });
        assert_eq!(state.next(now), Some((two, 7)));
        state.known.insert(two, Known { milliseconds: 9, passes: 7, again });
        assert_eq!(state.next(again), None, "nothing has changed");
        state.trees = vec![(two, 8)];
        assert_eq!(state.next(now), None, "it rests");
        assert_eq!(state.next(again), Some((two, 8)));
        assert!(!state.known.contains_key(&one), "it is gone");
    }
}
