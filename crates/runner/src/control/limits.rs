//! Limits of a run.

use std::time::{Duration, Instant};

/// Limits that may end a run, or the work on one root, before a depth is settled. All are of one
/// run alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunLimits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Searches.
    pub searches: Option<u64>,
    /// Engine nodes: no search starts once this many are spent.
    pub nodes: Option<u64>,
}

impl RunLimits {
    /// True if any is set.
    pub fn is_any(&self) -> bool {
        *self != RunLimits::default()
    }

    /// Half of each.
    pub(crate) fn halved(self) -> RunLimits {
        let half = |limit: Option<u64>| limit.map(|limit| limit / 2);
        let (searches, nodes) = (half(self.searches), half(self.nodes));
        RunLimits { time: self.time.map(|time| time / 2), searches, nodes }
    }

    /// The lesser of each.
    pub(crate) fn least(self, other: RunLimits) -> RunLimits {
        RunLimits {
            time: self.time.into_iter().chain(other.time).min(),
            searches: self.searches.into_iter().chain(other.searches).min(),
            nodes: self.nodes.into_iter().chain(other.nodes).min(),
        }
    }

    /// The rest for a root that has spent this.
    pub(crate) fn after(self, spent: Spent) -> RunLimits {
        RunLimits {
            time: self.time.map(|time| time.saturating_add(spent.time)),
            searches: self.searches.map(|searches| searches.saturating_add(spent.searches)),
            nodes: self.nodes.map(|nodes| nodes.saturating_add(spent.nodes)),
        }
    }
}

/// A root's spending in all its turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Wall-clock time of its turns.
    pub time: Duration,
    /// Finished searches made for it.
    pub searches: u64,
    /// Their engine nodes.
    pub nodes: u64,
}

impl Spent {
    /// True if one of these limits is reached.
    pub(crate) fn reaches(self, limits: RunLimits) -> bool {
        limits.time.is_some_and(|time| time <= self.time)
            || limits.searches.is_some_and(|searches| searches <= self.searches)
            || limits.nodes.is_some_and(|nodes| nodes <= self.nodes)
    }
}

/// Limits and spending: those of the whole run, and those of the root being grown.
#[derive(Debug)]
pub struct Budget {
    whole: BudgetAccount,
    root: BudgetAccount,
    /// Total search time of the engines in the whole run.
    worked: Duration,
}

/// One set of limits with its spending.
#[derive(Debug)]
struct BudgetAccount {
    limits: RunLimits,
    started: Instant,
    searches: u64,
    nodes: u64,
    /// True: its time ends nothing yet.
    is_granted: bool,
}

impl Budget {
    /// Nothing spent; the limits are those of the whole run, which begins now.
    pub fn new(limits: RunLimits, now: Instant) -> Budget {
        let root = BudgetAccount::new(RunLimits::default(), now);
        Budget { whole: BudgetAccount::new(limits, now), root, worked: Duration::ZERO }
    }

    /// Turns to a root, which has limits of its own and has spent this in earlier turns.
    pub fn turn_to_root(&mut self, limits: RunLimits, spent: Spent, now: Instant) {
        let Spent { time, searches, nodes } = spent;
        let started = now.checked_sub(time).unwrap_or(now);
        self.root = BudgetAccount { limits, started, searches, nodes, is_granted: false };
    }

    /// Lets the time of this root end nothing until it has a verdict; that of the whole run still
    /// does.
    pub fn grant_verdict(&mut self) {
        self.root.is_granted = true;
    }

    /// Notes that this root has a verdict.
    pub fn has_verdict(&mut self) {
        self.root.is_granted = false;
    }

    /// Spending on this root, in its turns before this one, too.
    pub fn spent_on_root(&self, now: Instant) -> Spent {
        let BudgetAccount { started, searches, nodes, .. } = self.root;
        Spent { time: now.saturating_duration_since(started), searches, nodes }
    }

    /// Sets other limits for the whole run; past spending still counts.
    pub fn limit(&mut self, limits: RunLimits) {
        self.whole.limits = limits;
    }

    /// Counts a finished search; to this root, too, if made for it.
    pub fn spend(&mut self, nodes: u64, for_this_root: bool) {
        self.whole.spend(nodes);
        if for_this_root {
            self.root.spend(nodes);
        }
    }

    /// Adds engine search time.
    pub fn work(&mut self, time: Duration) {
        self.worked = self.worked.saturating_add(time);
    }

    /// Total engine search time.
    pub fn worked(&self) -> Duration {
        self.worked
    }

    /// True if another search may start beside those running.
    pub fn allows(&self, running: usize, now: Instant) -> bool {
        self.whole.allows(running, now) && self.root.allows(running, now)
    }

    /// True if the limits end the work on this root: the time is up, or positions want a search,
    /// none is running, and none may begin.
    pub fn ends_root(&self, wanting: usize, running: usize, now: Instant) -> bool {
        self.deadline().is_some_and(|at| at <= now)
            || wanting > 0 && running == 0 && !self.allows(0, now)
    }

    /// True if the limits of the whole run are reached, not only those of this root.
    pub fn is_spent(&self, now: Instant) -> bool {
        !self.whole.allows(0, now)
    }

    /// When the time is up.
    pub fn deadline(&self) -> Option<Instant> {
        [self.whole.deadline(), self.root.deadline()].into_iter().flatten().min()
    }

    /// When the whole run began.
    pub fn began(&self) -> Instant {
        self.whole.started
    }

    /// When this root was begun, as if all its turns had come at once.
    pub fn started(&self) -> Instant {
        self.root.started
    }

    /// Finished searches of this root.
    pub fn searches(&self) -> u64 {
        self.root.searches
    }

    /// Engine nodes spent on this root.
    pub fn nodes(&self) -> u64 {
        self.root.nodes
    }

    /// The rest of the whole run's limits.
    pub fn left(&self, now: Instant) -> RunLimits {
        self.whole.left(now)
    }

    /// Finished searches of the whole run.
    pub fn all_searches(&self) -> u64 {
        self.whole.searches
    }

    /// Time since the whole run began.
    pub fn elapsed(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.whole.started)
    }
}

impl BudgetAccount {
    fn new(limits: RunLimits, now: Instant) -> BudgetAccount {
        BudgetAccount { limits, started: now, searches: 0, nodes: 0, is_granted: false }
    }

    fn spend(&mut self, nodes: u64) {
        self.searches += 1;
        // An engine may report anything.
        self.nodes = self.nodes.saturating_add(nodes);
    }

    fn allows(&self, running: usize, now: Instant) -> bool {
        let begun = self.searches + running as u64;
        self.limits.searches.is_none_or(|limit| begun < limit)
            && self.limits.nodes.is_none_or(|limit| self.nodes < limit)
            && self.deadline().is_none_or(|at| now < at)
    }

    fn left(&self, now: Instant) -> RunLimits {
        let BudgetAccount { limits, started, searches, nodes, .. } = self;
        let elapsed = now.saturating_duration_since(*started);
        RunLimits {
            time: limits.time.map(|time| time.saturating_sub(elapsed)),
            searches: limits.searches.map(|limit| limit.saturating_sub(*searches)),
            nodes: limits.nodes.map(|limit| limit.saturating_sub(*nodes)),
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let time = self.limits.time.filter(|_| !self.is_granted)?;
        self.started.checked_add(time)
    }
}
