//! Who searches which share of the root's moves, and how long.

use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};

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

/// A share that waits for an engine, or that one is at. Whoever waits for it to come back is let go when it is dropped.
#[derive(Debug)]
pub struct ClosingJob {
    /// What is to be done.
    pub share: ClosingShare,
    again: Sender<ClosingJob>,
}

/// The shares, to be taken by engines; nothing more comes once all are over.
pub fn share_out(shares: impl IntoIterator<Item = ClosingShare>) -> Receiver<ClosingJob> {
    let (again, jobs) = unbounded();
    for share in shares {
        let _ = again.send(ClosingJob { share, again: again.clone() });
    }
    jobs
}

impl ClosingJob {
    /// The engine has failed at its share; another engine takes it, but not for ever.
    pub fn give_back(mut self) {
        self.share.failed += 1;
        if self.share.failed < ATTEMPTS {
            let _ = self.again.clone().send(self);
        }
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

    /// All jobs of the starting position for so many engines, and the first of each.
    fn jobs<const N: usize>() -> (Receiver<ClosingJob>, [ClosingJob; N]) {
        let growth = Growth::new(&Game::from_position(Chess::default()), 10);
        let contents = HashContents::new(HashOf::BestLines, String::new());
        let shares = growth.root_shares(N).into_iter();
        let jobs = share_out(shares.map(|root| ClosingShare::new(root, &contents)));
        let first = std::array::from_fn(|_| jobs.recv().unwrap());
        (jobs, first)
    }

    #[test]
    fn a_share_that_an_engine_failed_at_is_taken_by_one_that_waits() {
        let (jobs, [first, second]) = jobs();
        std::thread::scope(|scope| {
            // The first share is answered, and its engine waits for the second, at which the other one fails.
            drop(first);
            let waits = scope.spawn(|| jobs.recv().map(|job| job.share.root.number.0));
            second.give_back();
            assert_eq!(waits.join().unwrap(), Ok(2));
        });
        assert!(jobs.recv().is_err(), "none is under way");
    }

    #[test]
    fn a_share_at_which_three_engines_failed_is_given_up() {
        let (jobs, [mut job]) = jobs();
        for failed in 0..3 {
            job.give_back();
            let next = jobs.recv().ok();
            assert_eq!(next.is_some(), failed < 2);
            let Some(next) = next else { return };
            job = next;
        }
    }

    #[test]
    fn nobody_waits_for_an_engine_that_is_gone() {
        let (jobs, [gone]) = jobs();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| jobs.recv().is_err());
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
