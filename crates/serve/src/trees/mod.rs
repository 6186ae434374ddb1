//! Open trees: each is read, and read on as it grows, in a thread of its own. Few are kept, of
//! limited size, and none for long without questions.

mod open;

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, bounded};
use serde::Serialize;
use tokio::sync::oneshot;

use deepanalyze_store::{AnalysisId, AnalysisRow, StoreError};
use deepanalyze_view::{Closing, ClosingAsked, Tree};

use super::events::Events;
pub use open::OpenTree;
use open::{ThreadStatus, TreeAsk, keep};

/// Trees kept.
const KEPT: usize = 8;
/// Room for all of them, in bytes by estimate; the one asked last stays, however large it is.
const ROOM: u64 = 512 << 20;
/// A tree is dropped this long after the last question.
const FORGOTTEN: Duration = Duration::from_secs(600);
/// Capacity for questions to one tree.
const WAITING: usize = 64;

/// Reason why a tree cannot be asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TreeError {
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(Arc<StoreError>),
    /// Too many questions wait already.
    #[error("too many requests are waiting for this tree")]
    Busy,
    /// Its thread has ended.
    #[error("the tree was closed")]
    Closed,
}

/// All open trees. The threads end with it.
#[derive(Debug)]
pub struct Trees {
    path: PathBuf,
    events: Arc<Events>,
    room: u64,
    open: Mutex<Vec<Open>>,
}

/// Handle of a tree's thread.
#[derive(Debug)]
struct Open {
    root: AnalysisId,
    asks: Sender<TreeAsk>,
    used: Instant,
    /// Status of the thread.
    told: Arc<ThreadStatus>,
}

impl Trees {
    /// The trees of a database; none is open yet.
    pub fn new(path: &Path, events: Arc<Events>) -> Trees {
        Trees::within(path, events, ROOM)
    }

    fn within(path: &Path, events: Arc<Events>, room: u64) -> Trees {
        Trees { path: path.to_owned(), events, room, open: Mutex::default() }
    }

    /// Drops trees that were not asked for long, or for which there is no room.
    pub fn tidy(&self, now: Instant) {
        self.let_go(&mut self.lock(), now);
    }

    fn let_go(&self, all: &mut Vec<Open>, now: Instant) {
        all.retain(|open| now.saturating_duration_since(open.used) < FORGOTTEN);
        all.sort_by_key(|open| Reverse(open.used));
        let (mut count, mut bytes) = (0, 0_u64);
        all.retain(|open| {
            count += 1;
            bytes = bytes.saturating_add(open.told.bytes());
            count == 1 || (count <= KEPT && bytes <= self.room)
        });
    }

    /// The roots with open trees that send events as they are read on.
    pub fn followed(&self) -> HashSet<AnalysisId> {
        let open = self.lock();
        let followed = open.iter().filter(|open| open.told.follows());
        followed.map(|open| open.root).collect()
    }

    /// Asks the tree of a root.
    ///
    /// # Errors
    ///
    /// [`TreeError`] if it cannot be read, or too many questions wait.
    pub async fn ask<T: Send + 'static>(
        &self,
        root: AnalysisId,
        ask: impl FnOnce(&mut OpenTree) -> T + Send + 'static,
    ) -> Result<T, TreeError> {
        let (sender, answer) = oneshot::channel();
        let asked: TreeAsk = Box::new(move |tree: Result<&mut OpenTree, TreeError>| {
            // The asker may have left.
            let _ = sender.send(tree.map(ask));
        });
        self.send(root, asked)?;
        answer.await.map_err(|_| TreeError::Closed)?
    }

    /// Reads the tree of a root at once, if it is open.
    pub fn renew(&self, root: AnalysisId) {
        let open = self.lock();
        if let Some(open) = open.iter().find(|open| open.root == root) {
            // With many questions waiting, it is read on anyway.
            let _ = open.asks.try_send(Box::new(|tree| {
                if let Ok(tree) = tree {
                    tree.renew();
                }
            }));
        }
    }

    /// Drops the tree of a root.
    pub fn close(&self, root: AnalysisId) {
        self.lock().retain(|open| open.root != root);
    }

    fn send(&self, root: AnalysisId, ask: TreeAsk) -> Result<(), TreeError> {
        let mut all = self.lock();
        // A tree whose thread has ended is read again.
        all.retain(|open| !is_over(open));
        if !all.iter().any(|open| open.root == root) {
            let open = self.open(root).map_err(|error| TreeError::Unreadable(Arc::new(error)))?;
            all.push(open);
            self.let_go(&mut all, Instant::now());
        }
        let open = all.iter_mut().find(|open| open.root == root).ok_or(TreeError::Closed)?;
        open.used = Instant::now();
        open.asks.try_send(ask).map_err(|_| TreeError::Busy)
    }

    fn open(&self, root: AnalysisId) -> Result<Open, StoreError> {
        let (asks, asked) = bounded(WAITING);
        let told = Arc::new(ThreadStatus::default());
        let (path, events) = (self.path.clone(), Arc::clone(&self.events));
        let of_itself = Arc::clone(&told);
        std::thread::Builder::new()
            .name("tree".to_owned())
            .spawn(move || keep(&path, root, &asked, &events, &of_itself))
            .map_err(|source| StoreError::Io { path: self.path.clone(), source })?;
        Ok(Open { root, asks, used: Instant::now(), told })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// True if the thread has ended.
fn is_over(open: &Open) -> bool {
    // The closure of a running thread lives as long as the thread.
    Arc::strong_count(&open.told) == 1
}

/// Progress of a root's tree.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TreeEvent {
    id: i64,
    analysis: i64,
    passes: u64,
    /// Number of regrowths from the start.
    regrown: u64,
    /// Number of changes of the root's directives.
    revision: u64,
    /// Another number if more is known of the root by tablebases.
    known: usize,
    /// Another text if another closing search counts, of a tree in view.
    closing: Option<String>,
}

impl TreeEvent {
    /// Of a root with this revision of its directives: its tablebase facts, and its closing search,
    /// if in view.
    pub fn of(
        root: AnalysisId,
        row: &AnalysisRow,
        revision: u64,
        looked_at: Option<&Tree>,
    ) -> TreeEvent {
        TreeEvent {
            id: root.0,
            analysis: row.id.0,
            passes: row.passes,
            regrown: row.regrown,
            revision,
            known: looked_at.map_or(0, known_by_tables),
            closing: looked_at.and_then(|tree| tree.closing.as_ref()).map(closing_mark),
        }
    }
}

/// Count of the root's tablebase facts: its moves, and those with a known distance.
fn known_by_tables(tree: &Tree) -> usize {
    tree.table_moves.iter().map(|m| 1 + usize::from(m.dtz.is_some())).sum()
}

/// A mark that tells closing searches apart.
fn closing_mark(closing: &Closing) -> String {
    let Closing { asked: ClosingAsked { tree_limit, passes, .. }, nodes, is_done, .. } = closing;
    let so_far = if *is_done { "" } else { " so far" };
    format!("{tree_limit}, pass {passes}, {nodes} nodes{so_far}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pawns::pawns;

    const ROOTS: [AnalysisId; 2] = [AnalysisId(1), AnalysisId(3)];

    fn place(room: u64) -> (tempfile::TempDir, Trees) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        std::fs::write(&path, pawns()).unwrap();
        let trees = Trees::within(&path, Arc::new(Events::new("x".to_owned())), room);
        (folder, trees)
    }

    /// The number of positions of a tree.
    fn ask(trees: &Trees, root: AnalysisId) -> u64 {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(trees.ask(root, |open| open.tree().growth.analysed())).unwrap()
    }

    fn open(trees: &Trees) -> Vec<AnalysisId> {
        trees.lock().iter().map(|open| open.root).collect()
    }

    #[test]
    fn unasked_tree_is_dropped_with_its_thread() {
        let (_folder, trees) = place(ROOM);
        assert_eq!(ROOTS.map(|root| ask(&trees, root)), [13, 2]);
        let asked: Vec<Instant> = trees.lock().iter().map(|open| open.used).collect();
        let told: Vec<_> = trees.lock().iter().map(|open| Arc::downgrade(&open.told)).collect();
        let [last, first] = asked[..] else { panic!("{asked:?}") };
        trees.tidy(last + FORGOTTEN - Duration::from_millis(1));
        assert!(open(&trees).contains(&ROOTS[1]));
        trees.tidy(first + FORGOTTEN);
        assert!(!open(&trees).contains(&ROOTS[0]));
        trees.tidy(last + FORGOTTEN);
        assert_eq!(open(&trees), []);
        // The thread ends by itself, and with it the tree.
        while told.iter().any(|told| told.upgrade().is_some()) {
            std::thread::yield_now();
        }
        assert_eq!(ask(&trees, ROOTS[0]), 13, "it is read again");
    }

    #[test]
    fn last_asked_tree_stays_and_older_ones_if_they_fit() {
        let (_folder, trees) = place(0);
        for root in [ROOTS[0], ROOTS[1], ROOTS[0]] {
            ask(&trees, root);
            trees.tidy(Instant::now());
            assert_eq!(open(&trees), [root]);
        }
        let (_folder, trees) = place(ROOM);
        ROOTS.iter().for_each(|root| _ = ask(&trees, *root));
        let bytes: Vec<u64> = trees.lock().iter().map(|open| open.told.bytes()).collect();
        assert!(bytes.iter().all(|bytes| *bytes > 0), "{bytes:?}");
        trees.tidy(Instant::now());
        assert_eq!(open(&trees), [ROOTS[1], ROOTS[0]]);
    }
}
