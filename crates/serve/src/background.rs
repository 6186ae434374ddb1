//! Background work; the answering thread never blocks: changes of the database, one after the other
//! or, if they may wait for the end of a run, each in a thread of its own; and trees that are read
//! for one answer.

use std::convert::Infallible;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::{JoinError, spawn_blocking};

/// Capacity for changes, and as many more until the end of a run.
const WAITING: usize = 64;
/// Room for all trees that are read for one answer (a report, an export), in MiB by estimate; a
/// larger one has all of it.
pub const ROOM: u32 = 512;
/// Estimated memory of a tree and its output for each search: JSON is the longest.
pub const BYTES_A_SEARCH: u64 = 85 + 170;

type Change = Box<dyn FnOnce() + Send>;

/// Work beside the thread that answers.
#[derive(Debug)]
pub struct BackgroundWork {
    /// Sender to the writing thread, which ends with the last change once this is dropped.
    changes: Sender<Change>,
    /// Places of changes that may wait for the end of a run.
    own_threads: Arc<Semaphore>,
    /// Room for trees.
    room: Arc<Semaphore>,
}

/// Reason why nothing was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotWritten {
    /// Too many changes wait.
    #[error("too many changes wait to be written")]
    Busy,
    /// A fault in the program.
    #[error("this change failed")]
    Failed,
}

impl BackgroundWork {
    /// Starts the writing thread. The receiver disconnects once all is written.
    ///
    /// # Errors
    ///
    /// If the system gives no thread.
    pub fn start() -> io::Result<(BackgroundWork, Receiver<Infallible>)> {
        let (changes, waiting) = bounded::<Change>(WAITING);
        let (written, all_written) = bounded(0);
        std::thread::Builder::new().name("writer".to_owned()).spawn(move || {
            for change in waiting {
                // The others are made all the same.
                if catch_unwind(AssertUnwindSafe(change)).is_err() {
                    tracing::error!("a change has panicked");
                }
            }
            drop::<Sender<Infallible>>(written);
        })?;
        let (own_threads, room) = (Semaphore::new(WAITING), Semaphore::new(ROOM as usize));
        Ok((
            BackgroundWork { changes, own_threads: Arc::new(own_threads), room: Arc::new(room) },
            all_written,
        ))
    }

    /// Makes a change in the writing thread, after those that wait.
    ///
    /// # Errors
    ///
    /// [`NotWritten`] where too much waits, or `change` panics.
    pub async fn in_turn<T: Send + 'static>(
        &self,
        change: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotWritten> {
        let (sender, done) = oneshot::channel();
        let change: Change = Box::new(move || {
            // The asker may have left.
            let _ = sender.send(change());
        });
        self.changes.try_send(change).map_err(|error| match error {
            TrySendError::Full(_) => NotWritten::Busy,
            TrySendError::Disconnected(_) => NotWritten::Failed,
        })?;
        done.await.map_err(|_| NotWritten::Failed)
    }

    /// Makes a change in a thread of its own, to its end, even if the asker leaves. Other changes
    /// go on meanwhile.
    ///
    /// # Errors
    ///
    /// [`NotWritten`] where too much waits, the system gives no thread, or `change` panics.
    pub async fn in_own_thread<T: Send + 'static>(
        &self,
        change: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotWritten> {
        let place =
            Arc::clone(&self.own_threads).try_acquire_owned().map_err(|_| NotWritten::Busy)?;
        let (sender, done) = oneshot::channel();
        let work = move || {
            // Once its end, or a panic, is known, another may begin.
            let place = place;
            let done = change();
            drop(place);
            let _ = sender.send(done);
        };
        let thread = std::thread::Builder::new().name("change".to_owned());
        thread.spawn(work).map_err(|_| NotWritten::Failed)?;
        done.await.map_err(|_| NotWritten::Failed)
    }

    /// Reads a tree of `searches` in a thread of its own as soon as there is room, side by side
    /// with others, and returns the room along with the result. If the asker leaves, it keeps its
    /// room until it is read.
    ///
    /// # Errors
    ///
    /// If `read` panics.
    pub async fn reading<T: Send + 'static>(
        &self,
        searches: u64,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(T, Option<OwnedSemaphorePermit>), JoinError> {
        let room = self.room_for(searches).await;
        spawn_blocking(move || (read(), room)).await
    }

    /// Waits for room for a tree of `searches`, taken until the value is dropped. `None` once the
    /// server ends.
    async fn room_for(&self, searches: u64) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.room).acquire_many_owned(wanted(searches)).await.ok()
    }
}

fn wanted(searches: u64) -> u32 {
    let wanted = searches.saturating_mul(BYTES_A_SEARCH).div_ceil(1 << 20);
    u32::try_from(wanted).unwrap_or(ROOM).clamp(1, ROOM)
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::task::{Context, Waker};

    use super::*;

    fn background() -> Arc<BackgroundWork> {
        Arc::new(BackgroundWork::start().unwrap().0)
    }

    #[tokio::test]
    async fn a_job_that_panics_is_told_and_the_next_is_done() {
        let background = background();
        let failed = background.in_turn(|| -> u32 { std::panic::panic_any("a panic of a test") });
        assert_eq!(failed.await, Err(NotWritten::Failed));
        assert_eq!(background.in_turn(|| 7).await, Ok(7));
        let failed =
            background.in_own_thread(|| -> u32 { std::panic::panic_any("a panic of a test") });
        assert_eq!(failed.await, Err(NotWritten::Failed));
        assert_eq!(background.own_threads.available_permits(), WAITING);
    }

    #[tokio::test]
    async fn all_is_written_once_senders_are_gone() {
        let (background, all_written) = BackgroundWork::start().unwrap();
        let (go, wait) = bounded::<()>(0);
        background.changes.send(Box::new(move || _ = wait.recv())).unwrap();
        drop(background);
        assert!(all_written.try_recv().is_err_and(|error| error.is_empty()));
        drop(go);
        assert!(all_written.recv().is_err());
    }

    #[tokio::test]
    async fn what_waits_for_its_turn_is_bounded() {
        let background = background();
        let (go, wait) = bounded::<()>(0);
        let (began, has_begun) = bounded::<()>(1);
        let first = tokio::spawn({
            let background = Arc::clone(&background);
            async move {
                let wait = move || {
                    let _ = began.send(());
                    let _ = wait.recv();
                };
                background.in_turn(wait).await
            }
        });
        tokio::task::yield_now().await;
        has_begun.recv().unwrap();
        (0..WAITING).for_each(|_| background.changes.try_send(Box::new(|| {})).unwrap());
        assert_eq!(background.in_turn(|| ()).await, Err(NotWritten::Busy));
        drop(go);
        assert_eq!(first.await.unwrap(), Ok(()));
    }

    #[tokio::test]
    async fn changes_apart_block_none_and_are_bounded() {
        let background = background();
        let (go, wait) = bounded::<()>(0);
        let waits = |wait: Receiver<()>| {
            let background = Arc::clone(&background);
            tokio::spawn(async move { background.in_own_thread(move || wait.recv().is_ok()).await })
        };
        let waiting: Vec<_> = (0..WAITING - 1).map(|_| waits(wait.clone())).collect();
        while background.own_threads.available_permits() > 1 {
            tokio::task::yield_now().await;
        }
        assert_eq!(background.in_own_thread(|| 7).await, Ok(7));
        assert_eq!(background.in_turn(|| 7).await, Ok(7));
        let last = waits(wait);
        while background.own_threads.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(background.in_own_thread(|| 7).await, Err(NotWritten::Busy));
        drop(go);
        for waiting in waiting.into_iter().chain([last]) {
            assert_eq!(waiting.await.unwrap(), Ok(false));
        }
    }

    #[tokio::test]
    async fn small_trees_are_read_in_parallel_large_in_turn() {
        assert_eq!([0, 1, 5_000, u64::MAX].map(wanted), [1, 1, 2, ROOM]);
        let background = background();
        let small = [background.room_for(1000).await, background.room_for(1000).await];
        let large = background.room_for(u64::MAX);
        tokio::pin!(large);
        let mut context = Context::from_waker(Waker::noop());
        let waits = large.as_mut().poll(&mut context).is_pending();
        assert!(waits && small.iter().all(Option::is_some));
        drop(small);
        assert!(large.await.is_some());
    }

    #[tokio::test]
    async fn abandoned_reading_keeps_its_room_until_done() {
        let background = background();
        let (go_on, told) = std::sync::mpsc::channel::<()>();
        let mut asked = Box::pin(background.reading(1, move || told.recv()));
        let mut context = Context::from_waker(Waker::noop());
        assert!(asked.as_mut().poll(&mut context).is_pending());
        drop(asked);
        assert_eq!(background.room.available_permits(), ROOM as usize - 1);
        go_on.send(()).unwrap();
        assert!(background.room_for(u64::MAX).await.is_some());
    }
}
