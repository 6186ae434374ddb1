//! Steering a search from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Wakers;

/// Stops a search, or says that the expected move was played. All copies steer the same one; it hears of it at
/// once.
#[derive(Debug, Clone, Default)]
pub struct Steering {
    shared: Arc<Shared>,
    wakers: Wakers,
}

#[derive(Debug, Default)]
struct Shared {
    is_stopped: AtomicBool,
    is_ponder_hit: AtomicBool,
}

impl Steering {
    /// Steers a search that these wake.
    pub(super) fn new(wakers: Wakers) -> Steering {
        Steering { shared: Arc::default(), wakers }
    }

    /// The search answers now.
    pub fn stop(&self) {
        self.shared.is_stopped.store(true, Ordering::SeqCst);
        self.wakers.wake();
    }

    /// The expected move was played: the clock counts.
    pub fn ponder_hit(&self) {
        self.shared.is_ponder_hit.store(true, Ordering::SeqCst);
        self.wakers.wake();
    }

    /// Whether the search is to answer.
    pub(super) fn is_stopped(&self) -> bool {
        self.shared.is_stopped.load(Ordering::SeqCst)
    }

    /// Whether the expected move was played.
    pub(super) fn is_ponder_hit(&self) -> bool {
        self.shared.is_ponder_hit.load(Ordering::SeqCst)
    }
}
