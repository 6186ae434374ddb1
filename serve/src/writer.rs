//! The thread that writes to the database: one change after the other, whatever waits for it.

use std::convert::Infallible;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use tokio::sync::oneshot;

/// Changes that may wait.
const WAITING: usize = 64;

type Change = Box<dyn FnOnce() + Send>;

/// The way to the thread. All copies are the same; it ends with the last of them.
#[derive(Debug, Clone)]
pub struct Writer {
    changes: Sender<Change>,
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
    /// Starts the thread. What is given beside it loses its other end once all is written.
    ///
    /// # Errors
    ///
    /// Where the system gives no thread.
    pub fn start() -> io::Result<(Writer, Receiver<Infallible>)> {
        let (changes, waiting) = bounded::<Change>(WAITING);
        let (written, all_written) = bounded(0);
        std::thread::Builder::new().name("writer".to_owned()).spawn(move || {
            for change in waiting {
                // The others are done all the same.
                if catch_unwind(AssertUnwindSafe(change)).is_err() {
                    tracing::error!("a change has panicked");
                }
            }
            drop::<Sender<Infallible>>(written);
        })?;
        Ok((Writer { changes }, all_written))
    }

    /// Does something in that thread.
    ///
    /// # Errors
    ///
    /// [`NotWritten`] where too much waits, or `change` panics.
    pub async fn run<T: Send + 'static>(
        &self,
        change: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotWritten> {
        let (sender, done) = oneshot::channel();
        let change: Change = Box::new(move || {
            // Whoever has asked may have left.
            let _ = sender.send(change());
        });
        self.changes.try_send(change).map_err(|error| match error {
            TrySendError::Full(_) => NotWritten::Busy,
            TrySendError::Disconnected(_) => NotWritten::Failed,
        })?;
        done.await.map_err(|_| NotWritten::Failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_job_that_panics_is_told_and_the_next_is_done() {
        let (writer, _all_written) = Writer::start().unwrap();
        let failed = writer.run(|| -> u32 { std::panic::panic_any("a panic of a test") });
        assert_eq!(failed.await, Err(NotWritten::Failed));
        assert_eq!(writer.run(|| 7).await, Ok(7));
    }

    #[tokio::test]
    async fn what_waits_is_bounded() {
        let (writer, _all_written) = Writer::start().unwrap();
        let (go, wait) = bounded::<()>(0);
        let (began, has_begun) = bounded::<()>(1);
        let first = tokio::spawn({
            let writer = writer.clone();
            async move {
                let wait = move || {
                    let _ = began.send(());
                    let _ = wait.recv();
                };
                writer.run(wait).await
            }
        });
        tokio::task::yield_now().await;
        has_begun.recv().unwrap();
        (0..WAITING).for_each(|_| writer.changes.try_send(Box::new(|| {})).unwrap());
        assert_eq!(writer.run(|| ()).await, Err(NotWritten::Busy));
        drop(go);
        assert_eq!(first.await.unwrap(), Ok(()));
    }
}
