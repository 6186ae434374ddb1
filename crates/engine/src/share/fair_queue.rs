//! Weighted fair queueing of the engines by engine time.
//!
//! Each run has used some engine time, divided by its weight; of the runs with a search in the
//! queue, the one that has used least is next. A search under way counts at least as much as the
//! searches of its run usually take, so that several engines that are free at once do not all go to
//! one run. A run that returns from a pause begins where the others are: it has no claim to time it
//! did not ask for. No engine is idle while anything is queued.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// Engine time, divided by weights, by which a run with a long search may exceed one that waits.
const LEAD: Duration = Duration::from_secs(2);

/// The least a search counts, for a run without history.
const UNKNOWN: Duration = Duration::from_millis(1);

/// A run that takes part. Numbers are given in the order of joining, and never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Member(u64);

/// Divides engines among runs, without a thread or a clock.
#[derive(Debug, Default)]
pub(super) struct FairQueue {
    joined: u64,
    members: BTreeMap<Member, MemberAccount>,
    /// Searches under way, by ticket.
    running: BTreeMap<u64, MemberSearch>,
    /// Long searches, queued or under way.
    long: BTreeSet<u64>,
    /// Searches in all queues.
    queued: usize,
    /// The weights of all runs.
    weights: usize,
    /// Number of engines.
    engines: usize,
    /// Time used by the run served last, until then: the others' level.
    served: Duration,
}

/// The record of one run.
#[derive(Debug)]
struct MemberAccount {
    weight: u32,
    /// Engine time so far, divided by the weight.
    used: Duration,
    /// Usual length of its searches; later ones count more.
    usual: Duration,
    queue: VecDeque<u64>,
    /// Tickets of its searches under way.
    running: Vec<u64>,
    /// True if it was refused another search.
    is_hungry: bool,
}

/// A search under way.
#[derive(Debug)]
struct MemberSearch {
    /// `None` if its run is gone.
    owner: Option<Member>,
    since: Instant,
    /// True if an engine has reported its start.
    is_begun: bool,
}

impl FairQueue {
    /// Sets the number of engines.
    pub(super) fn set_engines(&mut self, engines: usize) {
        self.engines = engines;
    }

    /// Adds a run.
    pub(super) fn join(&mut self, weight: u32) -> Member {
        self.joined += 1;
        let member = Member(self.joined);
        let account = MemberAccount {
            weight: weight.max(1),
            used: self.served,
            usual: UNKNOWN,
            queue: VecDeque::new(),
            running: Vec::new(),
            is_hungry: false,
        };
        self.weights += account.weight as usize;
        self.members.insert(member, account);
        member
    }

    /// Removes a run. Returns its tickets in the queue, which are forgotten; its searches under way
    /// have no owner from now on.
    pub(super) fn leave(&mut self, member: Member) -> Vec<u64> {
        let Some(account) = self.members.remove(&member) else {
            return Vec::new();
        };
        for ticket in &account.running {
            if let Some(running) = self.running.get_mut(ticket) {
                running.owner = None;
            }
        }
        self.weights -= account.weight as usize;
        self.queued -= account.queue.len();
        self.long.retain(|ticket| !account.queue.contains(ticket));
        account.queue.into()
    }

    /// Changes a run's weight; the time it has used stays.
    pub(super) fn set_weight(&mut self, member: Member, weight: u32) {
        if let Some(account) = self.members.get_mut(&member) {
            self.weights -= account.weight as usize;
            account.weight = weight.max(1);
            self.weights += account.weight as usize;
        }
    }

    /// Queues a search.
    pub(super) fn queue(&mut self, member: Member, ticket: u64, now: Instant) {
        let behind = self.served.saturating_sub(self.used(member, now));
        if let Some(account) = self.members.get_mut(&member) {
            if account.queue.is_empty() {
                account.used += behind;
            }
            account.queue.push_back(ticket);
            self.queued += 1;
        }
    }

    /// Queues a long search, which gives way to others' searches.
    pub(super) fn queue_long(&mut self, member: Member, ticket: u64, now: Instant) {
        self.long.insert(ticket);
        self.queue(member, ticket, now);
    }

    /// The long searches that are to give way now: of runs that have used more than others that
    /// wait.
    pub(super) fn giving_way(&self, now: Instant) -> Vec<u64> {
        let lacking = self.lacking();
        let waiting = self.members.iter().filter(|(_, account)| !account.queue.is_empty());
        let Some(least) = waiting.map(|(member, _)| self.used(*member, now)).min() else {
            return Vec::new();
        };
        let long = self.long.iter().filter_map(|ticket| {
            let owner = self.running.get(ticket)?.owner?;
            Some((self.used(owner, now), *ticket))
        });
        let mut long: Vec<_> = long.filter(|(used, _)| *used > least + LEAD).collect();
        long.sort_unstable_by_key(|one| std::cmp::Reverse(*one));
        long.into_iter().take(lacking).map(|(_, ticket)| ticket).collect()
    }

    /// Removes a run's queued searches.
    pub(super) fn withdraw(&mut self, member: Member) -> Vec<u64> {
        let Some(account) = self.members.get_mut(&member) else {
            return Vec::new();
        };
        self.queued -= account.queue.len();
        std::mem::take(&mut account.queue).into()
    }

    /// Removes one queued search of a run; `false` if it is not queued.
    pub(super) fn withdraw_one(&mut self, member: Member, ticket: u64) -> bool {
        let Some(account) = self.members.get_mut(&member) else { return false };
        let place = account.queue.iter().position(|queued| *queued == ticket);
        let queued = place.and_then(|place| account.queue.remove(place));
        self.queued -= usize::from(queued.is_some());
        self.long.retain(|long| Some(*long) != queued);
        queued.is_some()
    }

    /// Takes the search that a free engine is to begin now; from then on it is under way. `None` if
    /// no engine is free or nothing is queued.
    pub(super) fn next(&mut self, now: Instant) -> Option<u64> {
        if self.running.len() >= self.engines {
            return None;
        }
        let queued = self.members.iter().filter(|(_, account)| !account.queue.is_empty());
        let (used, member) = queued.map(|(member, _)| (self.used(*member, now), *member)).min()?;
        let account = self.members.get_mut(&member)?;
        let ticket = account.queue.pop_front()?;
        account.running.push(ticket);
        self.queued -= 1;
        self.served = self.served.max(used);
        let running = MemberSearch { owner: Some(member), since: now, is_begun: false };
        self.running.insert(ticket, running);
        Some(ticket)
    }

    /// Notes a search's start by an engine, which may have had to start first.
    pub(super) fn begun(&mut self, ticket: u64, now: Instant) {
        if let Some(running) = self.running.get_mut(&ticket)
            && !std::mem::replace(&mut running.is_begun, true)
        {
            running.since = now;
        }
    }

    /// Ends a search.
    pub(super) fn ended(&mut self, ticket: u64, now: Instant) {
        self.long.remove(&ticket);
        let Some(MemberSearch { owner, since, .. }) = self.running.remove(&ticket) else {
            return;
        };
        let time = now.saturating_duration_since(since);
        if let Some(account) = owner.and_then(|owner| self.members.get_mut(&owner)) {
            account.running.retain(|own| *own != ticket);
            account.used += time / account.weight;
            account.usual = (3 * account.usual + time) / 4;
        }
    }

    /// Gives a run a search under way without owner.
    pub(super) fn adopt(&mut self, member: Member, ticket: u64) {
        if let Some(running) = self.running.get_mut(&ticket)
            && let Some(account) = self.members.get_mut(&member)
        {
            running.owner = Some(member);
            account.running.push(ticket);
        }
    }

    /// Number of searches a run may have under way or queued: its share of the engines, and any
    /// free ones. At least one.
    pub(super) fn up(&mut self, member: Member) -> usize {
        let (allowed, asked) = (self.allowed(member), self.asked(member));
        if let Some(account) = self.members.get_mut(&member) {
            account.is_hungry = allowed <= asked;
        }
        allowed
    }

    /// Takes the runs that may begin another search now, and were refused before.
    pub(super) fn fed(&mut self) -> Vec<Member> {
        let hungry = self.members.iter().filter(|(_, account)| account.is_hungry);
        let hungry: Vec<Member> = hungry.map(|(member, _)| *member).collect();
        let may = |member: &Member| self.allowed(*member) > self.asked(*member);
        let fed: Vec<Member> = hungry.into_iter().filter(may).collect();
        for member in &fed {
            if let Some(account) = self.members.get_mut(member) {
                account.is_hungry = false;
            }
        }
        fed
    }

    /// Number of queued searches without an engine.
    pub(super) fn lacking(&self) -> usize {
        (self.queued + self.running.len()).saturating_sub(self.engines).min(self.queued)
    }

    /// Number of searches under way.
    pub(super) fn running(&self) -> usize {
        self.running.len()
    }

    /// Engine time of a run, divided by its weight; including searches under way.
    fn used(&self, member: Member, now: Instant) -> Duration {
        let Some(account) = self.members.get(&member) else {
            return Duration::ZERO;
        };
        let mine = account.running.iter().filter_map(|ticket| self.running.get(ticket));
        let times = mine.map(|running| now.saturating_duration_since(running.since));
        let counted: Duration = times.map(|time| time.max(account.usual)).sum();
        account.used + counted / account.weight
    }

    /// Number of engines reserved for a run, whatever others want. At least one.
    pub(super) fn share(&self, member: Member) -> usize {
        let own = self.members.get(&member).map_or(0, |account| account.weight as usize);
        (self.engines * own).div_ceil(self.weights.max(1)).max(1)
    }

    /// Number of searches a run may have under way or queued.
    fn allowed(&self, member: Member) -> usize {
        let share = self.share(member);
        match self.free() {
            0 => share,
            free => share.max(self.asked(member) + free),
        }
    }

    /// Number of searches a run has under way or queued.
    fn asked(&self, member: Member) -> usize {
        self.members.get(&member).map_or(0, |account| account.running.len() + account.queue.len())
    }

    /// Engines without a queued search.
    fn free(&self) -> usize {
        self.engines.saturating_sub(self.running.len() + self.queued)
    }
}

#[cfg(test)]
mod tests;
