//! Open trees: each is read, and read on as it grows, in a thread of its own. Few are kept.

mod open;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crossbeam_channel::{Sender, bounded};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::analysis::{Closing, ClosingAsked, LiveTree};
use crate::store::{AnalysisId, AnalysisRow, StoreError};

use super::events::Events;
pub use open::OpenTree;
use open::{Ask, keep};

/// Trees that are kept.
const KEPT: usize = 8;
/// Questions that may wait for one tree.
const WAITING: usize = 64;

/// Why a tree cannot be asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TreeError {
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(Arc<StoreError>),
    /// Too many questions wait already.
    #[error("too many questions wait for this tree")]
    Busy,
    /// Its thread has ended.
    #[error("the tree was closed")]
    Closed,
}

/// All open trees. All copies are the same; the threads end with the last of them.
#[derive(Debug, Clone)]
pub struct Trees {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    events: Events,
    open: Mutex<Vec<Open>>,
}

/// The way to a tree's thread.
#[derive(Debug)]
struct Open {
    root: AnalysisId,
    asks: Sender<Ask>,
    used: Instant,
    /// Whether the thread reads it on by itself, and tells of it.
    follows: Arc<AtomicBool>,
}

impl Trees {
    /// The trees of a database; none is open yet.
    pub fn new(path: &Path, events: Events) -> Trees {
        let shared = Shared { path: path.to_owned(), events, open: Mutex::default() };
        Trees { shared: Arc::new(shared) }
    }

    /// The roots whose trees are open, and told of when they have been read on.
    pub fn followed(&self) -> HashSet<AnalysisId> {
        let open = self.lock();
        let followed = open.iter().filter(|open| open.follows.load(Ordering::SeqCst));
        followed.map(|open| open.root).collect()
    }

    /// Asks the tree of a root something.
    ///
    /// # Errors
    ///
    /// [`TreeError`] where it cannot be read, or too much is asked of it.
    pub async fn ask<T: Send + 'static>(
        &self,
        root: AnalysisId,
        ask: impl FnOnce(&mut OpenTree) -> T + Send + 'static,
    ) -> Result<T, TreeError> {
        let (sender, answer) = oneshot::channel();
        let asked: Ask = Box::new(move |tree: Result<&mut OpenTree, TreeError>| {
            // Whoever has asked may have left.
            let _ = sender.send(tree.map(ask));
        });
        self.send(root, asked)?;
        answer.await.map_err(|_| TreeError::Closed)?
    }

    /// Reads the tree of a root at once, if it is open.
    pub fn renew(&self, root: AnalysisId) {
        let open = self.lock();
        if let Some(open) = open.iter().find(|open| open.root == root) {
            // Where many questions wait, it is read on anyway.
            let _ = open.asks.try_send(Box::new(|tree| {
                if let Ok(tree) = tree {
                    tree.renew();
                }
            }));
        }
    }

    /// Lets the tree of a root go.
    pub fn close(&self, root: AnalysisId) {
        self.lock().retain(|open| open.root != root);
    }

    fn send(&self, root: AnalysisId, ask: Ask) -> Result<(), TreeError> {
        let mut all = self.lock();
        // One whose thread has ended is read again.
        all.retain(|open| !is_over(open));
        if !all.iter().any(|open| open.root == root) {
            let open = self.open(root).map_err(|error| TreeError::Unreadable(Arc::new(error)))?;
            all.push(open);
            all.sort_by_key(|open| std::cmp::Reverse(open.used));
            all.truncate(KEPT);
        }
        let open = all.iter_mut().find(|open| open.root == root).ok_or(TreeError::Closed)?;
        open.used = Instant::now();
        open.asks.try_send(ask).map_err(|_| TreeError::Busy)
    }

    fn open(&self, root: AnalysisId) -> Result<Open, StoreError> {
        let (asks, asked) = bounded(WAITING);
        let follows = Arc::new(AtomicBool::new(true));
        let (path, events) = (self.shared.path.clone(), self.shared.events.clone());
        let following = Arc::clone(&follows);
        std::thread::Builder::new()
            .name("tree".to_owned())
            .spawn(move || keep(&path, root, &asked, (&events, &following)))
            .map_err(|source| StoreError::Io { path: self.shared.path.clone(), source })?;
        Ok(Open { root, asks, used: Instant::now(), follows })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Open>> {
        self.shared.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether nobody is at the other end.
fn is_over(open: &Open) -> bool {
    // The closure of a thread that is there lives as long as the thread.
    Arc::strong_count(&open.follows) == 1
}

/// What changes of a tree while its row stays as it is.
#[derive(Debug, Default)]
pub struct Beside {
    /// How often the directives of its root have changed.
    pub revision: u64,
    /// How much tables have said of the root: its moves, and those whose distance is known, each counted.
    pub known: usize,
    /// What tells its closing search from others.
    pub closing: Option<String>,
}

impl Beside {
    /// That of a tree that is open.
    fn of(tree: &LiveTree, revision: Option<u64>) -> Beside {
        let known = tree.table_moves.iter().map(|m| 1 + usize::from(m.dtz.is_some())).sum();
        let closing = tree.closing.as_ref().map(|closing| {
            let Closing { asked: ClosingAsked { tree_limit, passes, .. }, nodes, .. } = closing;
            format!("{tree_limit}, pass {passes}, {nodes} nodes")
        });
        Beside { revision: revision.unwrap_or_default(), known, closing }
    }
}

/// How far the tree of a root has come, as it is told. What tables have said of it, and its closing search, where
/// somebody looks at it.
pub fn tree_object(root: AnalysisId, row: &AnalysisRow, beside: &Beside) -> Value {
    json!({
        "id": root.0,
        "analysis": row.id.0,
        "passes": row.passes,
        "regrown": row.regrown,
        "revision": beside.revision,
        "known": beside.known,
        "closing": beside.closing,
    })
}
