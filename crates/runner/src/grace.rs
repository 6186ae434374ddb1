//! Waiting for searches when a run is to end.

use std::time::{Duration, Instant};

use deepanalyze_engine::Engines;

use crate::control::ControlReceiver;

/// Time for running searches to end by themselves.
const GRACE: Duration = Duration::from_secs(1);

/// Requests to end after which no search is waited for.
const AT_ONCE: u32 = 2;

/// The grace period of running searches.
#[derive(Debug, Clone, Copy)]
pub struct Grace {
    /// Its end.
    pub until: Instant,
    /// Requests to end before it.
    told: u32,
}

impl Grace {
    /// Begins now.
    pub fn begin(engines: &dyn Engines, control: &ControlReceiver) -> Grace {
        Grace { until: engines.now() + GRACE, told: control.times_told_to_end() }
    }

    /// True if searches are still waited for. A further request to end cuts the wait short.
    pub fn lasts(self, control: &ControlReceiver) -> bool {
        let times = control.times_told_to_end();
        times == self.told && times < AT_ONCE
    }
}
