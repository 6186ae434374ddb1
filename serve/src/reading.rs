//! Trees that are read for one answer (a report, an export): as many side by side as there is room for.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, spawn_blocking};

/// Room for them together, in MiB by estimate; a larger one has all of it.
const ROOM: u32 = 512;
/// About what a tree and what is written of it take in memory for each search: JSON is the longest.
const BYTES_A_SEARCH: u64 = 85 + 170;

/// Room for trees that are read for one answer.
#[derive(Debug, Clone)]
pub struct Reading {
    room: Arc<Semaphore>,
}

impl Default for Reading {
    /// All of it.
    fn default() -> Reading {
        Reading { room: Arc::new(Semaphore::new(ROOM as usize)) }
    }
}

impl Reading {
    /// Reads a tree of so many searches in a thread of its own as soon as there is room, and gives the room along with
    /// what is read. Whoever has asked may leave: it takes its room until it is read all the same.
    ///
    /// # Errors
    ///
    /// Where `read` panics.
    pub async fn within<T: Send + 'static>(
        &self,
        searches: u64,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(T, Option<OwnedSemaphorePermit>), JoinError> {
        let room = self.room_for(searches).await;
        spawn_blocking(move || (read(), room)).await
    }

    /// Waits for room for a tree of so many searches, which is taken until the value is dropped. None once the
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

    #[test]
    fn small_trees_are_read_side_by_side_and_large_ones_one_after_the_other() {
        assert_eq!([0, 1, 5_000, u64::MAX].map(wanted), [1, 1, 2, ROOM]);
        let reading = Reading::default();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let small = [reading.room_for(1000).await, reading.room_for(1000).await];
            let large = reading.room_for(u64::MAX);
            tokio::pin!(large);
            let mut context = Context::from_waker(Waker::noop());
            let waits = large.as_mut().poll(&mut context).is_pending();
            assert!(waits && small.iter().all(Option::is_some));
            drop(small);
            assert!(large.await.is_some());
        });
    }

    #[tokio::test]
    async fn what_nobody_waits_for_any_more_takes_its_room_until_it_is_read() {
        let reading = Reading::default();
        let (go_on, told) = std::sync::mpsc::channel::<()>();
        let mut asked = Box::pin(reading.within(1, move || told.recv()));
        let mut context = Context::from_waker(Waker::noop());
        assert!(asked.as_mut().poll(&mut context).is_pending());
        drop(asked);
        assert_eq!(reading.room.available_permits(), ROOM as usize - 1);
        go_on.send(()).unwrap();
        assert!(reading.room_for(u64::MAX).await.is_some());
    }
}
