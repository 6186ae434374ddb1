//! Who searches which share of the root's moves.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use deepanalyze_core::search::{HashContents, MoveShare};
use deepanalyze_core::tree::RootShare;

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
}
