//! When a run has closing searches, and their length.

use std::time::{Duration, Instant};

use deepanalyze_core::search::Limit;

use crate::control::limits::RunLimits;
use crate::outcome::RunEnd;

use deepanalyze_engine::LongEnd;

/// A shorter stage is not followed by a closing search: the next one's has its time, too.
const SHORTEST: Duration = Duration::from_secs(1);

/// Length of a closing search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosingLimit {
    /// Each engine searches the root to this limit.
    Search(Limit),
    /// Total time.
    Time(Duration),
}

/// The closing searches of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClosingPlan {
    /// None.
    #[default]
    None,
    /// One on request, after the last pass and beside the limits of the run.
    Asked(ClosingLimit),
    /// One in the second half of the run's time.
    SecondHalf,
    /// One after each settled stage, for as long as the tree has grown since the one before.
    Alternating,
}

impl ClosingPlan {
    /// The tree's part of the run's limits.
    pub fn limits_of_tree(self, limits: RunLimits) -> RunLimits {
        match self {
            ClosingPlan::SecondHalf => {
                RunLimits { time: limits.time.map(|time| time / 2), ..limits }
            }
            ClosingPlan::None | ClosingPlan::Asked(_) | ClosingPlan::Alternating => limits,
        }
    }

    /// The closing search after a tree's run has ended this way, if all must be over by `until`.
    pub fn at_the_end(
        self,
        ending: RunEnd,
        until: Option<Instant>,
        now: Instant,
    ) -> Option<LongEnd> {
        match self {
            ClosingPlan::Asked(limit) if ending != RunEnd::Interrupted => Some(match limit {
                ClosingLimit::Search(limit) => LongEnd::At(limit),
                ClosingLimit::Time(time) => LongEnd::Until(now + time),
            }),
            ClosingPlan::SecondHalf if ending == RunEnd::Limit => {
                until.filter(|end| *end > now).map(LongEnd::Until)
            }
            _ => None,
        }
    }

    /// The closing search after a stage, if the tree has grown this long since the one before.
    pub fn after_stage(self, ending: RunEnd, grown: Duration, now: Instant) -> Option<LongEnd> {
        let follows = self == ClosingPlan::Alternating && ending == RunEnd::Settled;
        (follows && grown >= SHORTEST).then_some(LongEnd::Until(now + grown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn the_second_half_is_what_is_left_of_the_time() {
        let began = Instant::now();
        let limits = RunLimits { time: Some(HOUR), ..RunLimits::default() };
        let halved = ClosingPlan::SecondHalf;
        assert_eq!(halved.limits_of_tree(limits).time, Some(HOUR / 2));
        let late = began + HOUR * 2 / 3;
        let follows = |ending, now| halved.at_the_end(ending, Some(began + HOUR), now);
        assert_eq!(follows(RunEnd::Limit, late), Some(LongEnd::Until(began + HOUR)));
        assert_eq!(follows(RunEnd::Limit, began + HOUR), None);
        assert_eq!(follows(RunEnd::Interrupted, late), None);
        assert_eq!(follows(RunEnd::Settled, late), None, "nothing left to do");
        assert_eq!(halved.after_stage(RunEnd::Settled, HOUR, late), None);
    }

    #[test]
    fn a_settled_stage_is_followed_by_as_long_a_search() {
        let now = Instant::now();
        let follows = |ending, grown| ClosingPlan::Alternating.after_stage(ending, grown, now);
        assert_eq!(follows(RunEnd::Settled, HOUR), Some(LongEnd::Until(now + HOUR)));
        assert_eq!(follows(RunEnd::Settled, SHORTEST / 2), None);
        assert_eq!(follows(RunEnd::Interrupted, HOUR), None);
        let none = ClosingPlan::Alternating.limits_of_tree(RunLimits::default());
        assert_eq!(none, RunLimits::default());
    }

    #[test]
    fn requested_closing_follows_any_end_but_a_signal() {
        let now = Instant::now();
        let asked = ClosingPlan::Asked(ClosingLimit::Time(HOUR));
        assert_eq!(asked.at_the_end(RunEnd::Settled, None, now), Some(LongEnd::Until(now + HOUR)));
        assert_eq!(asked.at_the_end(RunEnd::Interrupted, None, now), None);
        let nodes = Limit::Nodes(500);
        let asked = ClosingPlan::Asked(ClosingLimit::Search(nodes));
        assert_eq!(asked.at_the_end(RunEnd::Limit, None, now), Some(LongEnd::At(nodes)));
    }
}
