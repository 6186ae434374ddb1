//! A command line, and how its engines start.

use std::time::{Duration, Instant};

use super::slot::pause;

/// A source whose engine does not start so many times in a row is down. With the default pauses
/// that is after some three seconds: a connection may be gone for a moment.
const STARTS: u32 = 6;

/// A command line.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// Failed starts since the last good one.
    pub(super) failed_starts: u32,
    /// Before that moment it is not tried again.
    pub(super) tries_at: Option<Instant>,
    /// Whether it was told of that it is down.
    told: bool,
}

impl Source {
    /// Whether its last start did not fail.
    pub(super) fn starts(&self) -> bool {
        self.failed_starts == 0
    }

    /// Whether too many starts in a row failed.
    pub(super) fn is_down(&self) -> bool {
        self.failed_starts >= STARTS
    }

    /// An engine was started. `true` where it failed before.
    pub(super) fn started(&mut self) -> bool {
        let before = std::mem::take(self);
        before.failed_starts > 0
    }

    /// An engine did not start. `true` where it is the first time that this is to be told.
    pub(super) fn not_started(&mut self, now: Instant, backoff: Duration) -> bool {
        self.failed_starts = self.failed_starts.saturating_add(1);
        self.tries_at = now.checked_add(pause(backoff, self.failed_starts));
        self.is_down() && !std::mem::replace(&mut self.told, true)
    }

    /// No engine works any more: this one is to try at once, and not to give up soon.
    pub(super) fn hurry(&mut self) {
        self.failed_starts = self.failed_starts.min(1);
        self.tries_at = None;
    }
}
