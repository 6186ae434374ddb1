//! Following a tree that another process grows: looked at twice a second, and read again in the
//! background where it has changed.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use crate::analysis::load;
use crate::explore::Snapshot;
use crate::store::{AnalysisId, AnalysisRow, Store, StoreError};

/// How often the analysis' row is looked at.
const INTERVAL: Duration = Duration::from_millis(500);

/// A tree is read again once so many times the last reading's duration have passed: a large one
/// takes a while, and the engines want the processor, too.
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
    /// Watches an analysis of which this row is known.
    pub fn start(store: Store, analysis: AnalysisId, row: AnalysisRow) -> io::Result<Watch> {
        let (sender, updates) = unbounded();
        let (reload, asked) = bounded(1);
        let growing = store.is_growing(analysis);
        let mut reader =
            Reader { store, analysis, row, growing, rested: Instant::now(), failed: false };
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
    row: AnalysisRow,
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
        if row.as_ref() == Some(&self.row) {
            self.failed = false;
            return Ok(None);
        }
        let tree = Arc::new(Snapshot::from(load(&self.store, self.analysis)?));
        self.row = tree.row.clone();
        self.failed = false;
        self.rested = Instant::now() + began.elapsed() * REST;
        Ok(Some(tree))
    }
}
