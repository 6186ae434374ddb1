//! Who searches which share of the root's moves, and how long.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use deepanalyze_core::search::{HashContents, Limit, MoveShare};
use deepanalyze_core::tree::RootShare;
use deepanalyze_store::{AnalysisId, Cost, Store, StoreError};

/// By how many engines a share is tried before it is given up.
const ATTEMPTS: u32 = 3;

/// What one engine is to do.
#[derive(Debug)]
pub struct ClosingShare {
    /// What its hash holds.
    pub contents: HashContents,
    /// Its moves, and what is rehearsed.
    pub root: RootShare,
    /// How many engines have failed at it.
    failed: u32,
}

impl ClosingShare {
    /// A share of a tree whose lines leave this on a hash.
    pub fn new(root: RootShare, contents: &HashContents) -> ClosingShare {
        let is_alone = root.number.1 == 1 && root.elsewhere.is_empty();
        let share = (!is_alone).then(|| Box::new(MoveShare::new(root.number, &root.moves)));
        ClosingShare { contents: HashContents { share, ..contents.clone() }, root, failed: 0 }
    }

    /// How many searches it is.
    pub fn searches(&self) -> usize {
        self.root.rehearsal.len() + 1
    }
}

/// The shares that nobody has begun, and how many are under way.
#[derive(Debug)]
pub struct ClosingShares {
    state: Mutex<SharesState>,
    changed: Condvar,
}

#[derive(Debug)]
struct SharesState {
    waiting: VecDeque<ClosingShare>,
    under_way: usize,
}

/// An engine that has a share, and will want the next one.
#[derive(Debug)]
pub struct ClosingPlace<'a> {
    shares: &'a ClosingShares,
    has_share: bool,
}

impl ClosingShares {
    /// All shares but those that engines begin with.
    pub fn new(waiting: VecDeque<ClosingShare>) -> ClosingShares {
        ClosingShares {
            state: Mutex::new(SharesState { waiting, under_way: 0 }),
            changed: Condvar::new(),
        }
    }

    /// An engine that begins with a share. Whoever waits for it to come back is let go when this is dropped.
    pub fn place(&self) -> ClosingPlace<'_> {
        self.lock().under_way += 1;
        ClosingPlace { shares: self, has_share: true }
    }

    fn lock(&self) -> MutexGuard<'_, SharesState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClosingPlace<'_> {
    /// The next share, now that the engine's own is over; nothing where all are. Waits for as long as one is under
    /// way that might come back.
    pub fn next(&mut self) -> Option<ClosingShare> {
        self.leave();
        let mut state = self.shares.lock();
        loop {
            if let Some(share) = state.waiting.pop_front() {
                state.under_way += 1;
                self.has_share = true;
                return Some(share);
            }
            if state.under_way == 0 {
                return None;
            }
            state = self.shares.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The engine has failed at its share and takes no other one; another engine takes it, but not for ever.
    pub fn give_back(self, share: ClosingShare) {
        if share.failed + 1 < ATTEMPTS {
            let share = ClosingShare { failed: share.failed + 1, ..share };
            self.shares.lock().waiting.push_back(share);
        }
    }

    fn leave(&mut self) {
        if std::mem::replace(&mut self.has_share, false) {
            self.shares.lock().under_way -= 1;
            self.shares.changed.notify_all();
        }
    }
}

impl Drop for ClosingPlace<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}

/// How long each engine is to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosingLimit {
    /// The root as far as this, whatever the rehearsal takes.
    Search(Limit),
    /// All of it for about so long: as many nodes as an engine searches in that time.
    Time(Duration),
}

/// What an engine of a tree searches in a second, on average.
#[derive(Debug, Clone, Copy)]
pub struct ClosingSpeed {
    nodes: u128,
    half_ms: u128,
}

impl ClosingSpeed {
    /// That of a tree's engines; nothing where they have not said how many nodes they search.
    pub fn of(store: &Store, analysis: AnalysisId) -> Result<Option<ClosingSpeed>, StoreError> {
        let spent = store.cost_over_time(Some(analysis), i64::MAX)?;
        let sum = |of: fn(&Cost) -> u64| spent.iter().map(|one| u128::from(of(&one.cost))).sum();
        let nodes: u128 = sum(|cost| cost.nodes);
        // A time is kept in whole milliseconds, rounded down: half of one is missing.
        let half_ms = sum(|cost| cost.searches) + 2 * sum(|cost| cost.time_ms);
        Ok((nodes > 0).then_some(ClosingSpeed { nodes, half_ms }))
    }

    /// The limit of the root's search where it and a rehearsal of so many nodes are to take a time, and whether they
    /// do: the root has at least half of that, and something. Two digits of the nodes count, so that they can be named again.
    pub fn limit(self, time: Duration, rehearsal: u64) -> (Limit, bool) {
        let all = 2 * self.nodes.saturating_mul(time.as_millis()) / self.half_ms.max(1);
        let left = all.saturating_sub(rehearsal.into());
        (Limit::Nodes(two_digits(left.max(all / 2))), left > 0 && left >= all / 2)
    }
}

/// A number with nothing but zeros behind its first two digits; 1 at least, and no more than a database takes.
fn two_digits(number: u128) -> u64 {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    let most = i64::MAX.unsigned_abs();
    u64::try_from(number / unit * unit).map_or(most, |number| number.clamp(1, most))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use shakmaty::Chess;

    use super::*;
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::search::HashOf;
    use deepanalyze_core::tree::Growth;

    fn shares(count: usize) -> VecDeque<ClosingShare> {
        let growth = Growth::new(&Game::from_position(Chess::default()), 10);
        let contents = HashContents::new(HashOf::BestLines, String::new());
        growth
            .root_shares(count)
            .into_iter()
            .map(|root| ClosingShare::new(root, &contents))
            .collect()
    }

    fn number(share: &ClosingShare) -> u32 {
        share.root.number.0
    }

    #[test]
    fn a_share_that_an_engine_failed_at_is_taken_by_one_that_waits() {
        let second = shares(2).pop_back().unwrap();
        let queue = ClosingShares::new(VecDeque::new());
        let (mut first, other) = (queue.place(), queue.place());
        std::thread::scope(|scope| {
            // The first share is answered, and its engine waits for the second, at which the other one fails.
            let waits = scope.spawn(move || first.next().map(|share| number(&share)));
            other.give_back(second);
            assert_eq!(waits.join().unwrap(), Some(2));
        });
        assert_eq!(queue.lock().under_way, 0);
    }

    #[test]
    fn a_share_at_which_three_engines_failed_is_given_up() {
        let queue = ClosingShares::new(VecDeque::new());
        let mut share = shares(1).pop_front().unwrap();
        for failed in 0..3 {
            queue.place().give_back(share);
            let next = queue.place().next();
            assert_eq!(next.is_some(), failed < 2);
            let Some(next) = next else { return };
            share = next;
        }
    }

    #[test]
    fn nobody_waits_for_an_engine_that_is_gone() {
        let queue = ClosingShares::new(VecDeque::new());
        let (mut waits, gone) = (queue.place(), queue.place());
        std::thread::scope(|scope| {
            let waits = scope.spawn(move || waits.next().is_none());
            drop(gone);
            assert!(waits.join().unwrap());
        });
    }

    #[test]
    fn two_digits_of_a_number_of_nodes_count() {
        for (number, expected) in [
            (0, 1),
            (7, 7),
            (99, 99),
            (104, 100),
            (62_987_654, 62_000_000),
            (u128::from(u64::MAX), i64::MAX.unsigned_abs()),
        ] {
            assert_eq!(two_digits(number), expected, "{number}");
        }
    }

    #[test]
    fn the_rehearsal_is_paid_from_the_time_and_leaves_half_of_it() {
        // A thousand nodes in a millisecond.
        let speed = ClosingSpeed { nodes: 5_000, half_ms: 10 };
        let second = Duration::from_secs(1);
        for (rehearsal, expected) in [
            (0, (1_000_000, true)),
            (235_000, (760_000, true)),
            (500_000, (500_000, true)),
            (500_001, (500_000, false)),
            (u64::MAX, (500_000, false)),
        ] {
            let (nodes, fits) = expected;
            assert_eq!(speed.limit(second, rehearsal), (Limit::Nodes(nodes), fits), "{rehearsal}");
        }
        let no_time = Duration::from_micros(900);
        assert_eq!(speed.limit(no_time, 0), (Limit::Nodes(1), false));
    }
}
