//! Changes that may wait for the end of a run: each in a thread of its own, so that the thread that writes goes on
//! meanwhile.

use std::io;
use std::sync::Arc;

use tokio::sync::{Semaphore, oneshot};

use super::writer::NotWritten;

/// Changes that may wait at the same time.
const WAITING: usize = 64;

/// The way to such threads. All copies are one.
#[derive(Debug, Clone)]
pub struct Apart {
    free: Arc<Semaphore>,
}

impl Default for Apart {
    fn default() -> Apart {
        Apart { free: Arc::new(Semaphore::new(WAITING)) }
    }
}

impl Apart {
    /// Does something in a thread of its own, to its end, whether whoever has asked still waits for it or not.
    ///
    /// # Errors
    ///
    /// [`NotWritten`] where too much waits, the system gives no thread, or `job` panics.
    pub async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotWritten> {
        let free = Arc::clone(&self.free).try_acquire_owned().map_err(|_| NotWritten::Busy)?;
        let (sender, done) = oneshot::channel();
        spawn(move || {
            // Whoever hears of the end, of a panic, too, may begin with another.
            let free = free;
            let done = job();
            drop(free);
            let _ = sender.send(done);
        })
        .map_err(|_| NotWritten::Failed)?;
        done.await.map_err(|_| NotWritten::Failed)
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name("change".to_owned()).spawn(work).map(drop)
}

#[cfg(test)]
mod tests {
    use crossbeam_channel::bounded;

    use super::*;

    #[tokio::test]
    async fn one_that_waits_holds_up_no_other_and_what_waits_is_bounded() {
        let apart = Apart::default();
        let (go, wait) = bounded::<()>(0);
        let waiting: Vec<_> = (0..WAITING - 1)
            .map(|_| {
                let (apart, wait) = (apart.clone(), wait.clone());
                tokio::spawn(async move { apart.run(move || wait.recv().is_ok()).await })
            })
            .collect();
        while apart.free.available_permits() > 1 {
            tokio::task::yield_now().await;
        }
        assert_eq!(apart.run(|| 7).await, Ok(7));
        let last = tokio::spawn({
            let apart = apart.clone();
            async move { apart.run(move || wait.recv().is_ok()).await }
        });
        while apart.free.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(apart.run(|| 7).await, Err(NotWritten::Busy));
        drop(go);
        for waiting in waiting.into_iter().chain([last]) {
            assert_eq!(waiting.await.unwrap(), Ok(false));
        }
    }

    #[tokio::test]
    async fn a_panic_is_told() {
        let apart = Apart::default();
        let failed = apart.run(|| -> u32 { std::panic::panic_any("a panic of a test") });
        assert_eq!(failed.await, Err(NotWritten::Failed));
        assert_eq!(apart.free.available_permits(), WAITING);
    }
}
