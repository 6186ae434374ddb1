//! How long searches are waited for when a run is to end.

use std::time::{Duration, Instant};

use deepanalyze_engine::Engines;

use crate::control::ControlReceiver;

/// How long running searches get to end by themselves.
const GRACE: Duration = Duration::from_secs(1);

/// Whoever asks a run so often to end does not wait for searches.
const AT_ONCE: u32 = 2;

/// The moment that running searches get.
#[derive(Debug, Clone, Copy)]
pub struct Grace {
    /// When it is over.
    pub until: Instant,
    /// How often the run had been told to end.
    told: u32,
}

impl Grace {
    /// One that begins now.
    pub fn begin(engines: &dyn Engines, control: &ControlReceiver) -> Grace {
        Grace { until: engines.now() + GRACE, told: control.times_told_to_end() }
    }

    /// Whether searches are still waited for. Whoever wants the run to end, though it ends already, does not wait.
    pub fn lasts(self, control: &ControlReceiver) -> bool {
        let times = control.times_told_to_end();
        times == self.told && times < AT_ONCE
    }
}
