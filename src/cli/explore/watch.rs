//! Following a tree that another process grows: looked at twice a second, and read on in the
//! background where it has changed.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use crate::analysis::{load, read_on};
use crate::explore::Snapshot;
use crate::store::{AnalysisId, Store, StoreError};

/// How often the analysis' row is looked at.
const INTERVAL: Duration = Duration::from_millis(500);

/// A tree is read on once so many times the last reading's duration have passed: the values of a large
/// one take a while, and the engines want the processor, too.
const REST: u32 = 4;

/// What became of the tree.
pub enum Update {
    /// It has changed.
    Tree(Arc<Snapshot>),
    /// A process grows it from now on, or no more.
    Growing(bool),
    /// It is what it was, though the user asked.
    Unchanged,
    /// It cannot be read.
    Failed(String),
}

/// The thread that reads. It ends when this is dropped.
pub struct Watch {
    updates: Receiver<Update>,
    reload: Sender<()>,
}

impl Watch {
    /// Watches the analysis of a tree that has been read.
    pub fn start(store: Store, tree: Arc<Snapshot>) -> io::Result<Watch> {
        let (sender, updates) = unbounded();
        let (reload, asked) = bounded(1);
        let analysis = tree.row.id;
        let growing = store.is_growing(analysis);
        let mut reader =
            Reader { store, analysis, tree, growing, rested: Instant::now(), failed: false };
        std::thread::Builder::new().name("watch".to_owned()).spawn(move || {
            loop {
                let forced = match asked.recv_timeout(INTERVAL) {
                    Ok(()) => true,
                    Err(RecvTimeoutError::Timeout) => false,
                    Err(RecvTimeoutError::Disconnected) => return,
                };
                for update in reader.look(forced) {
                    if sender.send(update).is_err() {
                        return;
                    }
                }
            }
        })?;
        Ok(Watch { updates, reload })
    }

    /// What became of the tree.
    pub fn updates(&self) -> &Receiver<Update> {
        &self.updates
    }

    /// Looks at once.
    pub fn reload(&self) {
        // A request that waits already is enough.
        let _ = self.reload.try_send(());
    }
}

/// What the thread knows.
struct Reader {
    store: Store,
    analysis: AnalysisId,
    /// As it was read last.
    tree: Arc<Snapshot>,
    growing: bool,
    /// When the tree may be read again.
    rested: Instant,
    /// Whether the user knows that the database cannot be read.
    failed: bool,
}

impl Reader {
    fn look(&mut self, forced: bool) -> Vec<Update> {
        let mut updates = Vec::new();
        let growing = self.store.is_growing(self.analysis);
        if growing != self.growing {
            self.growing = growing;
            updates.push(Update::Growing(growing));
        }
        match self.read(forced) {
            Ok(Some(tree)) => updates.push(Update::Tree(tree)),
            Ok(None) if forced => updates.push(Update::Unchanged),
            Ok(None) => {}
            Err(error) if forced || !self.failed => {
                self.failed = true;
                updates.push(Update::Failed(error.to_string()));
            }
            Err(_) => {}
        }
        updates
    }

    /// The tree, if it has changed and it is time to read it.
    fn read(&mut self, forced: bool) -> Result<Option<Arc<Snapshot>>, StoreError> {
        let began = Instant::now();
        if !forced && began < self.rested {
            return Ok(None);
        }
        let row = self.store.analysis(self.analysis)?;
        if row.as_ref() == Some(&self.tree.row) {
            self.failed = false;
            return Ok(None);
        }
        self.tree = Arc::new(self.tree_now()?);
        self.failed = false;
        self.rested = Instant::now() + began.elapsed() * REST;
        Ok(Some(Arc::clone(&self.tree)))
    }

    fn tree_now(&self) -> Result<Snapshot, StoreError> {
        let Snapshot { row, game, growth } = &*self.tree;
        match read_on(&self.store, row, growth)? {
            Some((row, growth)) => Ok(Snapshot { row, game: game.clone(), growth }),
            None => load(&self.store, self.analysis).map(Snapshot::from),
        }
    }
}
