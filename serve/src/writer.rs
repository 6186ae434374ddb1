//! The thread that writes to the database: one change after the other, whatever waits for it.

use std::convert::Infallible;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use tokio::sync::oneshot;

use deepanalyze_store::{Patience, Store, StoreError};

use super::undo::UndoStacks;

/// Changes that may wait.
const WAITING: usize = 64;

type Job = Box<dyn FnOnce(&mut Writing) + Send>;

/// The way to the thread. All copies are the same; it ends with the last of them.
#[derive(Debug, Clone)]
pub struct Writer {
    jobs: Sender<Job>,
}

/// Why nothing was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotWritten {
    /// Too much waits.
    #[error("too many changes wait to be written")]
    Busy,
    /// There is a fault in the program.
    #[error("the server has failed at this change")]
    Failed,
}

impl Writer {
    /// Starts the thread for a database, which waits so where that is locked. What is given beside it loses its other end once all is written.
    ///
    /// # Errors
    ///
    /// Where the system gives no thread.
    pub fn start(
        path: &Path,
        patience: Patience,
        undo: UndoStacks,
    ) -> io::Result<(Writer, Receiver<Infallible>)> {
        let (jobs, waiting) = bounded::<Job>(WAITING);
        let (written, all_written) = bounded(0);
        let mut writing = Writing { path: path.to_owned(), patience, store: None, undo };
        std::thread::Builder::new().name("writer".to_owned()).spawn(move || {
            waiting.iter().for_each(|job| writing.take_on(job));
            drop::<Sender<Infallible>>(written);
        })?;
        Ok((Writer { jobs }, all_written))
    }

    /// Does something in that thread.
    ///
    /// # Errors
    ///
    /// [`NotWritten`] where too much waits, or `job` panics.
    pub async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Writing) -> T + Send + 'static,
    ) -> Result<T, NotWritten> {
        let (sender, done) = oneshot::channel();
        let job: Job = Box::new(move |writing| {
            // Whoever has asked may have left.
            let _ = sender.send(job(writing));
        });
        self.jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => NotWritten::Busy,
            TrySendError::Disconnected(_) => NotWritten::Failed,
        })?;
        done.await.map_err(|_| NotWritten::Failed)
    }
}

/// What the thread writes with.
#[derive(Debug)]
pub struct Writing {
    path: PathBuf,
    patience: Patience,
    store: Option<Store>,
    undo: UndoStacks,
}

impl Writing {
    /// Does something. Where that panics, the others are done all the same, with the database opened anew.
    fn take_on(&mut self, job: Job) {
        if catch_unwind(AssertUnwindSafe(|| job(self))).is_err() {
            self.store = None;
            tracing::error!("a change has panicked");
        }
    }

    /// Does something with the database. After an error it is opened anew: another may be in its place.
    ///
    /// # Errors
    ///
    /// That of `work`, and where the database cannot be opened.
    pub fn with_store<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Store, &UndoStacks) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut store = match self.store.take() {
            Some(store) => store,
            None => Store::open_with(&self.path, self.patience.clone())?,
        };
        let done = work(&mut store, &self.undo)?;
        self.store = Some(store);
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> (Writer, Receiver<Infallible>) {
        let path = Path::new("no/such/folder");
        Writer::start(path, Patience::default(), UndoStacks::default()).unwrap()
    }

    #[tokio::test]
    async fn a_job_that_panics_is_told_and_the_next_is_done() {
        let (writer, _all_written) = start();
        let failed = writer.run(|_| -> u32 { std::panic::panic_any("a panic of a test") });
        assert_eq!(failed.await, Err(NotWritten::Failed));
        assert_eq!(writer.run(|_| 7).await, Ok(7));
    }

    #[tokio::test]
    async fn what_waits_is_bounded() {
        let (writer, _all_written) = start();
        let (go, wait) = bounded::<()>(0);
        let (began, has_begun) = bounded::<()>(1);
        let first = tokio::spawn({
            let writer = writer.clone();
            async move {
                let wait = move |_: &mut Writing| {
                    let _ = began.send(());
                    let _ = wait.recv();
                };
                writer.run(wait).await
            }
        });
        tokio::task::yield_now().await;
        has_begun.recv().unwrap();
        (0..WAITING).for_each(|_| writer.jobs.try_send(Box::new(|_| {})).unwrap());
        assert_eq!(writer.run(|_| ()).await, Err(NotWritten::Busy));
        drop(go);
        assert_eq!(first.await.unwrap(), Ok(()));
    }
}
