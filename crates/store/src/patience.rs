//! Waiting for a database that another program keeps locked: the one place that does, for every write.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::error::StoreError;

/// How long one attempt waits. Whoever wants the end is asked in between.
const ATTEMPT: Duration = Duration::from_secs(1);

/// After so many vain attempts it is told, and whoever wants the end by then has it. Before, somebody else just
/// writes something large.
const AT_LEAST: u32 = 5;

/// After so many more it is told again.
const REMINDER: u32 = 300;

/// How long a database is waited for that another program keeps locked: until somebody wants the end. All copies
/// are one.
#[derive(Clone)]
pub struct Patience {
    is_over: Arc<dyn Fn() -> bool + Send + Sync>,
    tell: Arc<dyn Fn(&str) + Send + Sync>,
    /// How long one attempt waits.
    pub(super) attempt: Duration,
}

impl Patience {
    /// That of somebody who waits until it is over, and tells why.
    pub fn new(
        is_over: impl Fn() -> bool + Send + Sync + 'static,
        tell: impl Fn(&str) + Send + Sync + 'static,
    ) -> Patience {
        Patience { is_over: Arc::new(is_over), tell: Arc::new(tell), attempt: ATTEMPT }
    }

    /// That of somebody who waits until it is over, and has nobody to tell but the log.
    pub fn until(is_over: impl Fn() -> bool + Send + Sync + 'static) -> Patience {
        Patience::new(is_over, |why| tracing::warn!("{why}; waiting for it"))
    }

    /// The same for tests, which wait for no clock: each attempt ends at once.
    #[cfg(test)]
    pub fn restless(self) -> Patience {
        Patience { attempt: Duration::ZERO, ..self }
    }

    /// Does something that fails where another program keeps the database locked; does it again for as long as that
    /// is so.
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
            // There are locks for which SQLite waits no moment.
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

/// Waits for ever: for commands that Ctrl-C ends where they are.
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
