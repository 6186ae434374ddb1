//! Threads that are woken by every change of something.

use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};

/// Those who want to be woken. Whoever wakes them never waits.
#[derive(Debug, Clone, Default)]
pub struct Wakers {
    wakers: Arc<Mutex<Vec<Sender<()>>>>,
}

impl Wakers {
    /// Somebody more: gets something after every change from now on.
    pub fn subscribe(&self) -> Receiver<()> {
        let (waker, wake) = bounded(1);
        self.wakers.lock().unwrap_or_else(PoisonError::into_inner).push(waker);
        wake
    }

    /// Wakes all. One that is full will wake its thread anyway.
    pub fn wake(&self) {
        let mut wakers = self.wakers.lock().unwrap_or_else(PoisonError::into_inner);
        wakers.retain(|waker| !matches!(waker.try_send(()), Err(TrySendError::Disconnected(()))));
    }

    /// How many there are.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.wakers.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
