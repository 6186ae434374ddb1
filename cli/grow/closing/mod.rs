//! Whether a closing search follows the tree, and in what time.

mod search;

use std::time::Duration;

use crate::progress::time;
use deepanalyze_runner::{ClosingLimit, RunEnd, RunLimits};

use super::args::GrowArgs;

pub(super) use search::ClosingEnd;

/// What a closing search that nobody asked for may take beyond twice its time.
const PATIENCE: Duration = Duration::from_secs(30);

/// What follows the tree of a single position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClosingPlan {
    /// Nothing.
    None,
    /// A closing search that was asked for, beside the limits of the run.
    Asked(ClosingLimit),
    /// One in the second half of the time that the run has.
    InTime(Duration),
}

impl ClosingPlan {
    /// What was asked for, or what runs have where nothing was: one in the second half of a time, where that is the only
    /// limit and no engine depth is named.
    pub fn of(args: &GrowArgs, limits: RunLimits) -> ClosingPlan {
        if let Some(limit) = args.closing.asked() {
            return ClosingPlan::Asked(limit);
        }
        let is_timed = limits == RunLimits { time: limits.time, ..RunLimits::default() };
        let is_plain = args.engine.schedule().has_stages()
            && args.limits.until_stable.is_none()
            && !args.engine.keep_hash
            && !args.fleet.is_asked()
            && !args.closing.is_refused();
        match limits.time.filter(|_| is_timed && is_plain) {
            Some(time) => ClosingPlan::InTime(time),
            None => ClosingPlan::None,
        }
    }

    /// What the tree has of the run's limits.
    pub fn limits_of_tree(self, limits: RunLimits) -> RunLimits {
        match self {
            ClosingPlan::InTime(time) => RunLimits { time: Some(time / 2), ..limits },
            ClosingPlan::Asked(_) | ClosingPlan::None => limits,
        }
    }

    /// How the time is divided, where it is.
    pub fn division(self) -> Option<String> {
        let ClosingPlan::InTime(whole) = self else { return None };
        let half = time(whole / 2);
        Some(format!(
            "time      {half} for the tree, then {half} for a closing search (--no-closing: none)"
        ))
    }

    /// How much is to be searched behind a tree that has ended so, after so long; nothing where nothing follows.
    pub fn wanted(self, ending: RunEnd, elapsed: Duration) -> Option<ClosingLimit> {
        match self {
            ClosingPlan::Asked(limit) => Some(limit).filter(|_| ending != RunEnd::Interrupted),
            ClosingPlan::InTime(_) => self.left(ending, elapsed).map(ClosingLimit::Time),
            ClosingPlan::None => None,
        }
    }

    /// How long a search may take that is to take so long: nothing is known of how engines keep to nodes, and nobody has asked for
    /// it.
    pub fn at_most(self, limit: ClosingLimit) -> Option<Duration> {
        match (self, limit) {
            (ClosingPlan::InTime(_), ClosingLimit::Time(time)) => Some(2 * time + PATIENCE),
            _ => None,
        }
    }

    /// Whether a tree that was to have half of the run's time has had all of it: its last search took so long.
    pub fn is_overrun(self, ending: RunEnd, elapsed: Duration) -> bool {
        matches!(self, ClosingPlan::InTime(whole) if ending == RunEnd::Limit && elapsed >= whole)
    }

    /// The time that is left of a run whose tree has had its half.
    pub fn left(self, ending: RunEnd, elapsed: Duration) -> Option<Duration> {
        let ClosingPlan::InTime(whole) = self else { return None };
        let left = whole.saturating_sub(elapsed);
        Some(left).filter(|left| ending == RunEnd::Limit && !left.is_zero())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use clap::Parser;

    use super::*;
    use deepanalyze_core::search::Limit;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        grow: GrowArgs,
    }

    fn closing(args: &str) -> (ClosingPlan, RunLimits) {
        let args = Command::parse_from(["grow"].into_iter().chain(args.split_whitespace())).grow;
        let limits = args.limits.limits().unwrap();
        (ClosingPlan::of(&args, limits), limits)
    }

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_run_with_a_time_and_nothing_else_is_halved() {
        let (halved, limits) = closing("--for 1h");
        assert_eq!(halved, ClosingPlan::InTime(HOUR));
        let half = RunLimits { time: Some(HOUR / 2), ..RunLimits::default() };
        assert_eq!(halved.limits_of_tree(limits), half);
        assert!(halved.division().unwrap().starts_with("time      30m00s for the tree, then "));
        assert!(matches!(
            closing("--until 07:00 --distance 20 --depth 4").0,
            ClosingPlan::InTime(_)
        ));
        for else_ in [
            "",
            "--for 1h --engine-depth 12",
            "--for 1h --engine-nodes 100000",
            "--for 1h --max-searches 100",
            "--for 1h --max-nodes 100",
            "--for 1h --until-stable",
            "--for 1h --keep-hash",
            "--for 1h --fleet nats://host:4222",
            "--for 1h --no-closing",
        ] {
            let (plan, limits) = closing(else_);
            assert_eq!((plan, plan.division()), (ClosingPlan::None, None), "{else_}");
            assert_eq!(plan.limits_of_tree(limits), limits, "{else_}");
        }
    }

    #[test]
    fn what_is_asked_for_comes_on_top() {
        let limit = ClosingLimit::Search(Limit::Nodes(500));
        let (asked, limits) = closing("--for 1h --closing-nodes 500");
        assert_eq!((asked, asked.limits_of_tree(limits)), (ClosingPlan::Asked(limit), limits));
        assert_eq!(
            (asked.wanted(RunEnd::Limit, HOUR), asked.left(RunEnd::Limit, HOUR)),
            (Some(limit), None)
        );
        assert_eq!(asked.wanted(RunEnd::Interrupted, HOUR), None);
    }

    #[test]
    fn the_second_half_is_what_is_left_of_the_time() {
        let halved = ClosingPlan::InTime(HOUR);
        let (late, left) = (HOUR * 2 / 3, HOUR / 3);
        assert_eq!(halved.left(RunEnd::Limit, late), Some(left));
        let limit = ClosingLimit::Time(left);
        assert_eq!(halved.wanted(RunEnd::Limit, late), Some(limit));
        assert_eq!(halved.at_most(limit), Some(2 * left + PATIENCE));
        assert_eq!(ClosingPlan::Asked(limit).at_most(limit), None);
        for (ending, elapsed) in [
            (RunEnd::Settled, late),
            (RunEnd::Interrupted, late),
            (RunEnd::Limit, HOUR),
            (RunEnd::Limit, 2 * HOUR),
        ] {
            let nothing = (halved.wanted(ending, elapsed), halved.left(ending, elapsed));
            assert_eq!(nothing, (None, None), "{ending:?} {elapsed:?}");
            let is_over = ending == RunEnd::Limit && elapsed >= HOUR;
            assert_eq!(halved.is_overrun(ending, elapsed), is_over, "{ending:?} {elapsed:?}");
        }
        assert!(!halved.is_overrun(RunEnd::Limit, late));
        assert!(!ClosingPlan::None.is_overrun(RunEnd::Limit, 2 * HOUR));
    }
}
