//! Whoever wants to hear of changes.

use std::time::Duration;

use crossbeam_channel::Receiver;

/// Hears of every change of the agenda, of its runs, and of the engines. It says no more than that: there may
/// have been several, or one that was seen already.
#[derive(Debug, Clone)]
pub struct Subscription {
    pub(super) wake: Receiver<()>,
}

impl Subscription {
    /// Waits for a change; `false` where none came in this time.
    pub fn wait(&self, timeout: Duration) -> bool {
        self.wake.recv_timeout(timeout).is_ok()
    }

    /// Gets something after every change, to be waited for with others.
    pub fn receiver(&self) -> &Receiver<()> {
        &self.wake
    }
}
