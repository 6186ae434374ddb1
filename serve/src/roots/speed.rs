//! How fast the engines are.

use std::time::{Duration, Instant};

/// Over so long.
const SPAN: Duration = Duration::from_secs(2);

/// How fast the engines have been.
#[derive(Debug, Default)]
pub struct Speed {
    since: Option<(Instant, u64)>,
    last: u64,
}

impl Speed {
    /// Nodes a second, by how many there are at a moment.
    pub fn of(&mut self, nodes: u64, now: Instant) -> u64 {
        let (since, before) = *self.since.get_or_insert((now, nodes));
        let passed = now.saturating_duration_since(since);
        if passed >= SPAN {
            let milliseconds = u64::try_from(passed.as_millis()).unwrap_or(u64::MAX).max(1);
            self.last = nodes.saturating_sub(before).saturating_mul(1000) / milliseconds;
            self.since = Some((now, nodes));
        }
        self.last
    }
}
