//! Waiting for a database locked by another program: the one place for all writes.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::error::StoreError;

/// Wait per attempt; `is_over` is asked in between.
const ATTEMPT: Duration = Duration::from_secs(1);

/// Report the lock and ask `is_over` after this many vain attempts. Before, another program just
/// writes something large.
const AT_LEAST: u32 = 5;

/// Report it again after this many more.
const REMINDER: u32 = 300;

/// Waits for a database that another program keeps locked, until `is_over`. Copies share its state.
#[derive(Clone)]
pub struct Patience {
    is_over: Arc<dyn Fn() -> bool + Send + Sync>,
    tell: Arc<dyn Fn(&str) + Send + Sync>,
    /// Wait per attempt.
    pub(super) attempt: Duration,
}

impl Patience {
    /// Waits until `is_over`, and reports through `tell`.
    pub fn new(
        is_over: impl Fn() -> bool + Send + Sync + 'static,
        tell: impl Fn(&str) + Send + Sync + 'static,
    ) -> Patience {
        Patience { is_over: Arc::new(is_over), tell: Arc::new(tell), attempt: ATTEMPT }
    }

    /// Waits until `is_over`, and reports to the log only.
    pub fn until(is_over: impl Fn() -> bool + Send + Sync + 'static) -> Patience {
        Patience::new(is_over, |why| tracing::warn!("{why}; waiting for it"))
    }

    /// For tests, without a clock: each attempt ends at once.
    #[cfg(test)]
    pub fn restless(self) -> Patience {
        Patience { attempt: Duration::ZERO, ..self }
    }

    /// Repeats an attempt for as long as it fails because another program keeps the database
    /// locked.
    pub(super) fn wait<T>(
        &self,
        mut attempt: impl FnMut() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut vain = 0_u32;
        loop {
            let began = Instant::now();
            let error = match attempt() {
                Err(error) if error.is_busy() => error,
                done => return done,
            };
            // Some locks make SQLite fail at once.
            std::thread::sleep(self.attempt.saturating_sub(began.elapsed()));
            vain = vain.saturating_add(1);
            if vain < AT_LEAST {
                continue;
            }
            if (self.is_over)() {
                return Err(error);
            }
            if (vain - AT_LEAST).is_multiple_of(REMINDER) {
                (self.tell)(&error.to_string());
            }
        }
    }
}

/// Waits for ever: for commands that Ctrl-C ends at once.
impl Default for Patience {
    fn default() -> Patience {
        Patience::until(|| false)
    }
}

impl fmt::Debug for Patience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Patience").field("attempt", &self.attempt).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
