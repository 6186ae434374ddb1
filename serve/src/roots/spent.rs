//! What engines have spent on each tree. It takes a look at all answers of the tree, seconds of a large one, so a
//! thread of its own adds it up, and nobody waits for it.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use deepanalyze_store::{AnalysisId, Store};

/// A tree that grows is added up again once so many times its own cost have passed.
const REST: u32 = 50;
const LEAST_REST: Duration = Duration::from_secs(3);

/// A tree as it is at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tree {
    pub id: AnalysisId,
    pub passes: u64,
    /// How often it was grown again from the start: it may have as many passes as before then.
    pub regrown: u64,
}

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
    /// The tree as it was then; none where it could not be read since.
    of: Option<Tree>,
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
        self.shared.lock().look_at(trees);
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
            self.add_up(path, added);
        }
    }

    /// Adds up what was spent on each tree that is due, and says so after each.
    fn add_up(&self, path: &Path, added: &Sender<()>) {
        let due = self.lock().due(Instant::now());
        for tree in due {
            let began = Instant::now();
            let spent = Store::open_to_read(path).and_then(|store| store.engine_time_ms(tree.id));
            let again = Instant::now() + (began.elapsed() * REST).max(LEAST_REST);
            match spent {
                Ok(milliseconds) => {
                    let known = Known { milliseconds, of: Some(tree), again };
                    self.lock().known.insert(tree.id, known);
                    let _ = added.try_send(());
                }
                // What cannot be read shows where the root is read.
                Err(error) => {
                    tracing::debug!(%error, "engine time cannot be added up");
                    self.lock().try_again(tree.id, again);
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// These are the trees by now; those that are gone are forgotten.
    fn look_at(&mut self, trees: Vec<Tree>) {
        let there: HashSet<AnalysisId> = trees.iter().map(|tree| tree.id).collect();
        self.known.retain(|id, _| there.contains(id));
        self.trees = trees;
    }

    /// The trees that are to be added up at a moment: those that have changed since, and have rested.
    fn due(&self, now: Instant) -> Vec<Tree> {
        let is_due = |tree: &&Tree| {
            let known = self.known.get(&tree.id);
            known.is_none_or(|known| known.of != Some(**tree) && known.again <= now)
        };
        self.trees.iter().filter(is_due).copied().collect()
    }

    /// A tree could not be read: what was known of it stays, and it is due again.
    fn try_again(&mut self, id: AnalysisId, again: Instant) {
        let milliseconds = self.known.get(&id).map_or(0, |known| known.milliseconds);
        self.known.insert(id, Known { milliseconds, of: None, again });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A database in which each of the 26 admitted answers of its first tree took 3 ms.
    fn database(path: &Path) {
        drop(Store::open(path).unwrap());
        let db = rusqlite::Connection::open(path).unwrap();
        db.execute_batch(include_str!("../../../tests/databases/pawns.sql")).unwrap();
        db.execute("UPDATE search SET time_ms = 3", []).unwrap();
    }

    fn tree(id: i64, passes: u64, regrown: u64) -> Tree {
        Tree { id: AnalysisId(id), passes, regrown }
    }

    #[test]
    fn somebody_adds_up_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        database(&path);
        let spent = Spent::start(&path).unwrap();
        assert_eq!(spent.on(AnalysisId(1)), 0);
        spent.look_at(vec![tree(1, 11, 0)]);
        spent.added_up().recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(spent.on(AnalysisId(1)), 3 * 26);
    }

    #[test]
    fn what_cannot_be_read_stays_as_it_was_and_is_read_again_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        database(&path);
        let (shared, (added, added_up)) = (Shared::default(), bounded(1));
        let known = || shared.lock().known[&AnalysisId(1)];
        shared.lock().look_at(vec![tree(1, 11, 0)]);
        shared.add_up(&path, &added);
        assert!(added_up.try_recv().is_ok());
        // It has grown and rested.
        shared.lock().look_at(vec![tree(1, 12, 0)]);
        shared.lock().known.get_mut(&AnalysisId(1)).unwrap().again = Instant::now();
        shared.add_up(&folder.path().join("none.db"), &added);
        assert!(added_up.try_recv().is_err(), "there is nothing new");
        assert_eq!((known().milliseconds, known().of), (3 * 26, None));
        let due = |now| shared.lock().due(now);
        assert_eq!(due(known().again), [tree(1, 12, 0)]);
        assert_eq!(due(known().again - LEAST_REST), [], "not at once");
    }

    #[test]
    fn what_is_new_or_has_grown_and_rested_is_added_up() {
        let now = Instant::now();
        let again = now + LEAST_REST;
        let added_up = |tree| Known { milliseconds: 9, of: Some(tree), again };
        let [one, two] = [tree(1, 5, 0), tree(2, 7, 0)];
        let mut state = State::default();
        state.look_at(vec![one, two]);
        assert_eq!(state.due(now), [one, two]);
        state.known.insert(one.id, added_up(one));
        assert_eq!(state.due(now), [two]);
        state.known.insert(two.id, added_up(two));
        assert_eq!(state.due(again), [], "nothing has changed");
        for changed in [tree(2, 8, 0), tree(2, 7, 1)] {
            state.look_at(vec![changed]);
            assert_eq!(state.due(now), [], "it rests");
            assert_eq!(state.due(again), [changed]);
        }
        assert!(!state.known.contains_key(&one.id), "it is gone");
    }
}
