//! How long a closing search is.

use std::time::Duration;

use deepanalyze_core::search::Limit;
use deepanalyze_store::{AnalysisId, Cost, Store, StoreError};

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
    use super::*;

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
