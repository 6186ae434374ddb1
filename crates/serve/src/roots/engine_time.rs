//! Time that engines have spent on each tree, and their speed. The former needs a look at all
//! answers of the tree, seconds for a large one, so a thread of its own adds it up in the
//! background.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};

use deepanalyze_store::{AnalysisId, Store};

/// Rest of a growing tree between sums, as a multiple of its own cost.
const REST: u32 = 50;
const LEAST_REST: Duration = Duration::from_secs(3);
/// Time span of the engines' speed.
const SPAN: Duration = Duration::from_secs(2);

/// A tree as it is at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeMoment {
    pub id: AnalysisId,
    pub passes: u64,
    /// Number of regrowths from the start: it may have as many passes as before then.
    pub regrown: u64,
}

/// Channels of the adding thread.
#[derive(Debug)]
pub struct Adding {
    /// Sender of the present trees. The thread ends with it.
    pub trees: Sender<Vec<TreeMoment>>,
    /// The milliseconds that engines have spent on a tree, once added up.
    pub added_up: Receiver<(AnalysisId, u64)>,
}

impl Adding {
    /// Starts with no sums.
    ///
    /// # Errors
    ///
    /// If the system gives no thread.
    pub fn start(path: &Path) -> io::Result<Adding> {
        let (trees, wanted) = unbounded::<Vec<TreeMoment>>();
        let (added, added_up) = unbounded();
        let path = path.to_owned();
        let add_up = move || {
            let mut sums = Sums::default();
            loop {
                match wanted.recv_timeout(LEAST_REST) {
                    Ok(trees) => sums.look_at(wanted.try_iter().last().unwrap_or(trees)),
                    // A resting one is looked at again, though nothing has changed since.
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                }
                sums.add_up(&path, &added);
            }
        };
        std::thread::Builder::new().name("spent".to_owned()).spawn(add_up)?;
        Ok(Adding { trees, added_up })
    }
}

/// State of the thread.
#[derive(Debug, Default)]
struct Sums {
    /// The present trees.
    trees: Vec<TreeMoment>,
    /// Each tree as last added up, `None` if unreadable since; and when it may be added up again.
    known: BTreeMap<AnalysisId, (Option<TreeMoment>, Instant)>,
}

impl Sums {
    /// Sets the present trees; removed ones are forgotten.
    fn look_at(&mut self, trees: Vec<TreeMoment>) {
        let there: HashSet<AnalysisId> = trees.iter().map(|tree| tree.id).collect();
        self.known.retain(|id, _| there.contains(id));
        self.trees = trees;
    }

    /// Adds up each tree that is due, and sends each sum.
    fn add_up(&mut self, path: &Path, added: &Sender<(AnalysisId, u64)>) {
        for tree in self.due(Instant::now()) {
            let began = Instant::now();
            let spent = Store::open_to_read(path).and_then(|store| store.engine_time_ms(tree.id));
            let again = Instant::now() + (began.elapsed() * REST).max(LEAST_REST);
            // The error shows where the root is read.
            let failed = |error| tracing::debug!(%error, "engine time cannot be added up");
            let spent = spent.map_err(failed).ok();
            self.known.insert(tree.id, (spent.map(|_| tree), again));
            if let Some(milliseconds) = spent {
                let _ = added.send((tree.id, milliseconds));
            }
        }
    }

    /// The trees due at a moment: changed since, and rested.
    fn due(&self, now: Instant) -> Vec<TreeMoment> {
        let is_due = |tree: &&TreeMoment| {
            let known = self.known.get(&tree.id);
            known.is_none_or(|(of, again)| *of != Some(**tree) && *again <= now)
        };
        self.trees.iter().filter(is_due).copied().collect()
    }
}

/// Speed of the engines.
#[derive(Debug, Default)]
pub struct Speed {
    since: Option<(Instant, u64)>,
    last: u64,
}

impl Speed {
    /// Nodes a second, from the count at a moment.
    pub fn of(&mut self, nodes: u64, now: Instant) -> u64 {
        let (since, before) = *self.since.get_or_insert((now, nodes));
        let passed = now.saturating_duration_since(since);
        if passed >= SPAN {
            let milliseconds = u64::try_from(passed.as_millis()).unwrap_or(u64::MAX).max(1);
            self.last = nodes.saturating_sub(before).saturating_mul(1000) / milliseconds;
            self.since = Some((now, nodes));
        }
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pawns::pawns;

    /// A database in which each of the 26 admitted answers of its first tree took 3 ms.
    fn database(path: &Path) {
        std::fs::write(path, pawns()).unwrap();
        let db = rusqlite::Connection::open(path).unwrap();
        db.execute("UPDATE answer SET time_ms = 3", []).unwrap();
    }

    fn tree(id: i64, passes: u64, regrown: u64) -> TreeMoment {
        TreeMoment { id: AnalysisId(id), passes, regrown }
    }

    #[test]
    fn somebody_adds_up_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        database(&path);
        let Adding { trees, added_up } = Adding::start(&path).unwrap();
        trees.send(vec![tree(1, 11, 0)]).unwrap();
        let added = added_up.recv_timeout(Duration::from_secs(60));
        assert_eq!(added, Ok((AnalysisId(1), 3 * 26)));
    }

    #[test]
    fn unreadable_tree_is_skipped_and_retried() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        database(&path);
        let (mut sums, (added, added_up)) = (Sums::default(), unbounded());
        sums.look_at(vec![tree(1, 11, 0)]);
        sums.add_up(&path, &added);
        assert_eq!(added_up.try_recv(), Ok((AnalysisId(1), 3 * 26)));
        // It has grown and rested.
        sums.look_at(vec![tree(1, 12, 0)]);
        sums.known.get_mut(&AnalysisId(1)).unwrap().1 = Instant::now();
        sums.add_up(&folder.path().join("none.db"), &added);
        assert!(added_up.try_recv().is_err(), "there is nothing new");
        let (of, again) = sums.known[&AnalysisId(1)];
        assert_eq!(of, None);
        assert_eq!(sums.due(again), [tree(1, 12, 0)]);
        assert_eq!(sums.due(again - LEAST_REST), [], "not at once");
    }

    #[test]
    fn what_is_new_or_has_grown_and_rested_is_added_up() {
        let now = Instant::now();
        let again = now + LEAST_REST;
        let [one, two] = [tree(1, 5, 0), tree(2, 7, 0)];
        let mut sums = Sums::default();
        sums.look_at(vec![one, two]);
        assert_eq!(sums.due(now), [one, two]);
        sums.known.insert(one.id, (Some(one), again));
        assert_eq!(sums.due(now), [two]);
        sums.known.insert(two.id, (Some(two), again));
        assert_eq!(sums.due(again), [], "nothing has changed");
        for changed in [tree(2, 8, 0), tree(2, 7, 1)] {
            sums.look_at(vec![changed]);
            assert_eq!(sums.due(now), [], "it rests");
            assert_eq!(sums.due(again), [changed]);
        }
        assert!(!sums.known.contains_key(&one.id), "it is gone");
    }
}
