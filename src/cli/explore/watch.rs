//! Following a tree that another process grows: looked at twice a second, and read on in the
//! background where it has changed. Where a deeper stage speaks by now, its tree is read instead.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use crate::analysis::{Stages, load, read_on};
use crate::explore::{Change, Snapshot};
use crate::store::{AnalysisId, Store, StoreError};

use super::change::change;

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
    /// What came of a change of directives.
    Directed(Result<String, String>),
    /// It cannot be read.
    Failed(String),
}

/// What is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watched {
    /// One analysis.
    Analysis,
    /// The stages of a root: the tree of the one that speaks.
    Stages,
}

/// What the user asks for.
enum Request {
    /// To look at once.
    Reload,
    /// To change the directives of the root.
    Change(Change),
}

/// Requests that may wait: more come only where the database is locked.
const WAITING: usize = 16;

/// The thread that reads, and that writes where directives are given. It ends when this is dropped.
pub struct Watch {
    updates: Receiver<Update>,
    requests: Sender<Request>,
}

impl Watch {
    /// Watches the analysis of a tree that has been read, or its root's stages.
    pub fn start(store: Store, tree: Arc<Snapshot>, of: Watched) -> io::Result<Watch> {
        let (sender, updates) = unbounded();
        let (requests, asked) = bounded(WAITING);
        let mut reader = Reader::new(store, tree, of);
        std::thread::Builder::new().name("watch".to_owned()).spawn(move || {
            loop {
                let updates = match asked.recv_timeout(INTERVAL) {
                    Ok(Request::Reload) => reader.look(true),
                    Ok(Request::Change(change)) => reader.change(&change),
                    Err(RecvTimeoutError::Timeout) => reader.look(false),
                    Err(RecvTimeoutError::Disconnected) => return,
                };
                if updates.into_iter().any(|update| sender.send(update).is_err()) {
                    return;
                }
            }
        })?;
        Ok(Watch { updates, requests })
    }

    /// What became of the tree.
    pub fn updates(&self) -> &Receiver<Update> {
        &self.updates
    }

    /// Looks at once.
    pub fn reload(&self) {
        // Where many requests wait, one more is not needed.
        let _ = self.requests.try_send(Request::Reload);
    }

    /// Changes the directives of the root; says whether it will be tried.
    pub fn change(&self, change: Change) -> bool {
        self.requests.try_send(Request::Change(change)).is_ok()
    }
}

/// What the thread knows.
struct Reader {
    store: Store,
    of: Watched,
    /// The one that is read.
    analysis: AnalysisId,
    /// As it was read last.
    tree: Arc<Snapshot>,
    /// How often the root's directives had changed when they were read last.
    revision: Option<u64>,
    growing: bool,
    /// When the tree may be read again.
    rested: Instant,
    /// Whether the user knows that the database cannot be read.
    failed: bool,
}

impl Reader {
    fn new(store: Store, tree: Arc<Snapshot>, of: Watched) -> Reader {
        let analysis = tree.row.id;
        let rested = Instant::now();
        let growing = store.is_growing(analysis);
        let (revision, failed) = (None, false);
        Reader { store, of, analysis, tree, revision, growing, rested, failed }
    }

    fn look(&mut self, forced: bool) -> Vec<Update> {
        let mut updates = Vec::new();
        // What cannot be read is told below.
        let growing = self.is_growing().unwrap_or(self.growing);
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

    /// Whether a process grows what is watched.
    fn is_growing(&self) -> Result<bool, StoreError> {
        if self.of == Watched::Analysis {
            return Ok(self.store.is_growing(self.analysis));
        }
        let stages = Stages::of(&self.store, self.tree.row.clone())?;
        Ok(stages.rows().iter().any(|stage| self.store.is_growing(stage.id)))
    }

    /// Changes the directives, and reads what the tree says under them.
    fn change(&mut self, asked: &Change) -> Vec<Update> {
        let path = self.store.path().to_owned();
        let changed = change(&path, &self.tree.game, asked).map_err(|error| error.to_string());
        let mut updates = vec![Update::Directed(changed)];
        self.rested = Instant::now();
        updates.extend(self.look(false));
        updates
    }

    /// The tree, if it has changed and it is time to read it.
    fn read(&mut self, forced: bool) -> Result<Option<Arc<Snapshot>>, StoreError> {
        let began = Instant::now();
        if !forced && began < self.rested {
            return Ok(None);
        }
        if self.store.reopen_if_migrated()? {
            self.revision = None;
        }
        let (analysis, revision, tree) = self.store.at_one_moment(|| self.changed())?;
        (self.analysis, self.revision, self.failed) = (analysis, Some(revision), false);
        let Some(tree) = tree else {
            return Ok(None);
        };
        self.tree = Arc::new(tree);
        self.rested = Instant::now() + began.elapsed() * REST;
        Ok(Some(Arc::clone(&self.tree)))
    }

    /// Which analysis is to be read, how often the root's directives have changed, and the tree, if it is
    /// another one than was read last.
    fn changed(&self) -> Result<(AnalysisId, u64, Option<Snapshot>), StoreError> {
        let analysis = self.to_read()?;
        let revision = self.store.revision(&self.tree.game)?;
        if analysis != self.tree.row.id {
            return Ok((analysis, revision, Some(load(&self.store, analysis)?.into())));
        }
        let row = self.store.analysis(analysis)?;
        let tree = match (row.as_ref() == Some(&self.tree.row), self.revision == Some(revision)) {
            (true, true) => None,
            (true, false) => self.directed()?,
            (false, _) => Some(self.tree_now()?),
        };
        Ok((analysis, revision, tree))
    }

    /// The analysis that is watched; of stages the one that speaks.
    fn to_read(&self) -> Result<AnalysisId, StoreError> {
        if self.of == Watched::Analysis {
            return Ok(self.analysis);
        }
        let stages = Stages::of(&self.store, self.tree.row.clone())?;
        Ok(stages.speaking().map_or(self.analysis, |speaking| speaking.id))
    }

    /// The same tree under the directives that the root has now, if those are others.
    fn directed(&self) -> Result<Option<Snapshot>, StoreError> {
        let Snapshot { row, game, kept, grown_with, directives, .. } = &*self.tree;
        let said = self.store.directives(game)?;
        let new = || {
            Snapshot::new(
                row.clone(),
                game.clone(),
                Arc::clone(kept),
                grown_with.clone(),
                said.clone(),
            )
        };
        Ok((said != *directives).then(new))
    }

    fn tree_now(&self) -> Result<Snapshot, StoreError> {
        let Snapshot { row, game, kept, .. } = &*self.tree;
        let Some((row, growth)) = read_on(&self.store, row, kept)? else {
            return load(&self.store, self.analysis).map(Snapshot::from);
        };
        let (grown_with, said) =
            (self.store.grown_with(self.analysis)?, self.store.directives(game)?);
        Ok(Snapshot::new(row, game.clone(), Arc::new(growth), grown_with, said))
    }
}

#[cfg(test)]
mod tests;
