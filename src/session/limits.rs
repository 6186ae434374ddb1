//! When a run has done enough.

use std::time::{Duration, Instant};

/// What may end a run before its depth is settled. All are of this run alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Searches.
    pub searches: Option<u64>,
    /// Engine nodes: no search starts once so many have been spent.
    pub nodes: Option<u64>,
}

/// Limits with what has been spent of them.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    started: Instant,
    searches: u64,
    nodes: u64,
}

impl Budget {
    /// Nothing spent.
    pub fn new(limits: Limits) -> Budget {
        Budget { limits, started: Instant::now(), searches: 0, nodes: 0 }
    }

    /// Counts a finished search.
    pub fn spend(&mut self, nodes: u64) {
        self.searches += 1;
        // An engine may report anything.
        self.nodes = self.nodes.saturating_add(nodes);
    }

    /// Whether another search may start beside those that are running.
    pub fn allows(&self, running: usize) -> bool {
        let begun = self.searches + running as u64;
        self.limits.searches.is_none_or(|limit| begun < limit)
            && self.limits.nodes.is_none_or(|limit| self.nodes < limit)
            && self.limits.time.is_none_or(|limit| self.started.elapsed() < limit)
    }

    /// When the time is up.
    pub fn deadline(&self) -> Option<Instant> {
        self.limits.time.and_then(|time| self.started.checked_add(time))
    }

    /// When the run began.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Finished searches.
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// Engine nodes spent.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }
}
