//! The thread that writes to the database: one change after the other, whatever waits for it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};

use crossbeam_channel::{Receiver, Sender, bounded};
use tokio::sync::oneshot;

use crate::directives::Directives;
use crate::store::{AnalysisId, Store, StoreError};

/// Changes that may wait.
const WAITING: usize = 64;
/// Changes of a root that can be taken back.
const UNDONE: usize = 100;

type Job = Box<dyn FnOnce(&mut Writing) + Send>;

/// The way to the thread. All copies are the same; it ends with the last of them.
#[derive(Debug, Clone)]
pub struct Writer {
    jobs: Sender<Job>,
}

/// Why nothing was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many changes wait to be written")]
pub struct WriterBusy;

impl Writer {
    /// Starts the thread for a database. What is given beside it loses its other end once all is written.
    ///
    /// # Errors
    ///
    /// Where the system gives no thread.
    pub fn start(path: &Path) -> io::Result<(Writer, Receiver<Infallible>)> {
        let (jobs, waiting) = bounded::<Job>(WAITING);
        let (written, all_written) = bounded(0);
        let undo = UndoStacks::default();
        let mut writing = Writing { path: path.to_owned(), store: None, undo };
        std::thread::Builder::new().name("writer".to_owned()).spawn(move || {
            waiting.iter().for_each(|job| job(&mut writing));
            drop::<Sender<Infallible>>(written);
        })?;
        Ok((Writer { jobs }, all_written))
    }

    /// Does something in that thread.
    ///
    /// # Errors
    ///
    /// [`WriterBusy`] where too much waits.
    pub async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Writing) -> T + Send + 'static,
    ) -> Result<T, WriterBusy> {
        let (sender, done) = oneshot::channel();
        let job: Job = Box::new(move |writing| {
            // Whoever has asked may have left.
            let _ = sender.send(job(writing));
        });
        self.jobs.try_send(job).map_err(|_| WriterBusy)?;
        done.await.map_err(|_| WriterBusy)
    }
}

/// What the thread writes with.
#[derive(Debug)]
pub struct Writing {
    path: PathBuf,
    store: Option<Store>,
    /// What can be taken back.
    pub undo: UndoStacks,
}

impl Writing {
    /// Does something with the database. After an error it is opened anew: another may be in its place.
    ///
    /// # Errors
    ///
    /// That of `work`, and where the database cannot be opened.
    pub fn with_store<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Store, &mut UndoStacks) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut store = match self.store.take() {
            Some(store) => store,
            None => Store::open(&self.path)?,
        };
        let done = work(&mut store, &mut self.undo)?;
        self.store = Some(store);
        Ok(done)
    }
}

/// A change that can be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undo {
    /// What was done, in words.
    pub words: String,
    /// What was said before.
    pub before: Directives,
    /// How often the root's directives had changed after it: where that is another number now, somebody else
    /// has changed them.
    pub revision: u64,
}

/// The changes of each root, the newest last.
#[derive(Debug, Default)]
pub struct UndoStacks {
    stacks: HashMap<AnalysisId, Vec<Undo>>,
}

impl UndoStacks {
    /// Notes a change.
    pub fn push(&mut self, root: AnalysisId, undo: Undo) {
        let stack = self.stacks.entry(root).or_default();
        if stack.len() >= UNDONE {
            stack.remove(0);
        }
        stack.push(undo);
    }

    /// The change that would be taken back, where the directives have changed so often.
    pub fn last(&self, root: AnalysisId, revision: u64) -> Option<&Undo> {
        self.stacks.get(&root)?.last().filter(|undo| undo.revision == revision)
    }

    /// Forgets the newest change, which has been taken back; by now the directives have changed so often.
    pub fn pop(&mut self, root: AnalysisId, revision: u64) {
        let Some(stack) = self.stacks.get_mut(&root) else {
            return;
        };
        stack.pop();
        if let Some(before) = stack.last_mut() {
            before.revision = revision;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undo(words: &str, revision: u64) -> Undo {
        Undo { words: words.to_owned(), before: Directives::default(), revision }
    }

    #[test]
    fn changes_are_taken_back_the_newest_first_unless_somebody_else_came_between() {
        let (mut stacks, root) = (UndoStacks::default(), AnalysisId(3));
        assert_eq!(stacks.last(root, 0), None);
        stacks.push(root, undo("first", 1));
        stacks.push(root, undo("second", 2));
        assert_eq!(stacks.last(root, 3), None, "somebody else");
        assert_eq!(stacks.last(AnalysisId(4), 2), None);
        assert_eq!(stacks.last(root, 2).unwrap().words, "second");
        stacks.pop(root, 3);
        assert_eq!(stacks.last(root, 3).unwrap().words, "first");
        stacks.pop(root, 4);
        assert_eq!(stacks.last(root, 4), None);
    }

    #[test]
    fn not_too_many_are_kept() {
        let (mut stacks, root) = (UndoStacks::default(), AnalysisId(3));
        (0..2 * UNDONE as u64).for_each(|n| stacks.push(root, undo("x", n)));
        assert_eq!(stacks.stacks[&root].len(), UNDONE);
        assert!(stacks.last(root, 2 * UNDONE as u64 - 1).is_some());
    }
}
