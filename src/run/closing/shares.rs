//! Who searches which share of the root's moves.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::search::{HashContents, MoveShare};
use crate::tree::RootShare;

/// By how many engines a share is tried before it is given up.
const ATTEMPTS: u32 = 3;

/// What one engine is to do.
#[derive(Debug)]
pub struct Share {
    /// What its hash holds.
    pub contents: HashContents,
    /// Its moves, and what is rehearsed.
    pub root: RootShare,
    /// How many engines have failed at it.
    failed: u32,
}

impl Share {
    /// A share of a tree whose lines leave this on a hash.
    pub fn new(root: RootShare, contents: &HashContents) -> Share {
        let share = (root.number.1 > 1).then(|| Box::new(MoveShare::new(root.number, &root.moves)));
        Share { contents: HashContents { share, ..contents.clone() }, root, failed: 0 }
    }

    /// How many searches it is.
    pub fn searches(&self) -> usize {
        self.root.rehearsal.len() + 1
    }
}

/// The shares that nobody has begun, and how many are under way.
#[derive(Debug)]
pub struct Shares {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    waiting: VecDeque<Share>,
    under_way: usize,
}

impl Shares {
    /// All shares but those that engines begin with, of which there are so many.
    pub fn new(waiting: VecDeque<Share>, under_way: usize) -> Shares {
        Shares { state: Mutex::new(State { waiting, under_way }), changed: Condvar::new() }
    }

    /// The next share for an engine whose own is over; nothing where all are. Waits for as long as one is under
    /// way that might come back.
    pub fn next(&self) -> Option<Share> {
        let mut state = self.lock();
        state.under_way -= 1;
        self.changed.notify_all();
        loop {
            if let Some(share) = state.waiting.pop_front() {
                state.under_way += 1;
                return Some(share);
            }
            if state.under_way == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// An engine has failed at its share and takes no other one; another engine takes it, but not for ever.
    pub fn give_back(&self, share: Share) {
        let mut state = self.lock();
        state.under_way -= 1;
        if share.failed + 1 < ATTEMPTS {
            state.waiting.push_back(Share { failed: share.failed + 1, ..share });
        }
        self.changed.notify_all();
    }

    /// An engine takes no other share, for the run is to end.
    pub fn leave(&self) {
        self.lock().under_way -= 1;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use shakmaty::Chess;

    use super::*;
    use crate::chess::Game;
    use crate::search::HashOf;
    use crate::tree::Growth;

    fn shares(count: usize) -> VecDeque<Share> {
        let growth = Growth::new(&Game::from_position(Chess::default()), 10);
        let contents = HashContents::new(HashOf::BestLines, String::new());
        growth.root_shares(count).into_iter().map(|root| Share::new(root, &contents)).collect()
    }

    fn number(share: &Share) -> u32 {
        share.root.number.0
    }

    #[test]
    fn a_share_that_an_engine_failed_at_is_taken_by_one_that_waits() {
        let mut all = shares(2);
        let (first, second) = (all.pop_front().unwrap(), all.pop_front().unwrap());
        let queue = Shares::new(all, 2);
        std::thread::scope(|scope| {
            // The first is answered, and its engine waits for the second, which fails.
            let waits = scope.spawn(|| queue.next().map(|share| number(&share)));
            queue.give_back(second);
            assert_eq!(waits.join().unwrap(), Some(2));
        });
        assert_eq!(number(&first), 1);
        queue.leave();
        assert_eq!(queue.lock().under_way, 0);
    }

    #[test]
    fn a_share_at_which_three_engines_failed_is_given_up() {
        let queue = Shares::new(shares(1), 1);
        for _ in 0..3 {
            let share = queue.next().unwrap();
            queue.lock().under_way += 1;
            queue.give_back(share);
        }
        assert_eq!(queue.next().map(|share| number(&share)), None);
    }

    #[test]
    fn nobody_waits_for_an_engine_that_leaves() {
        let queue = Shares::new(VecDeque::new(), 2);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| queue.next().is_none());
            queue.leave();
            assert!(waits.join().unwrap());
        });
    }
}
