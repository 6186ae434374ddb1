//! Which closing searches a run has.

use crate::progress::time;
use deepanalyze_runner::{ClosingPlan, RunLimits};

use super::args::GrowArgs;

/// Those that were asked for, or what runs have where nothing was: one in the second half of a time, where that is the only
/// limit; one behind each stage where there is no limit at all.
pub(super) fn closing_plan(args: &GrowArgs, limits: RunLimits) -> ClosingPlan {
    if let Some(limit) = args.closing.asked() {
        return ClosingPlan::Asked(limit);
    }
    let is_plain = args.engine.schedule().has_stages()
        && args.limits.until_stable.is_none()
        && args.limits.until_holds.is_none()
        && !args.engine.keep_hash
        && !args.closing.is_refused();
    let time_alone = RunLimits { time: limits.time, ..RunLimits::default() };
    match limits.time {
        _ if !is_plain || limits != time_alone => ClosingPlan::None,
        Some(_) => ClosingPlan::SecondHalf,
        None => ClosingPlan::Alternating,
    }
}

/// How the time is divided, where it is.
pub(super) fn division(plan: ClosingPlan, limits: RunLimits) -> Option<String> {
    match plan {
        ClosingPlan::None | ClosingPlan::Asked(_) => None,
        ClosingPlan::SecondHalf => {
            let half = time(limits.time? / 2);
            Some(format!(
                "time      {half} for the tree, then {half} for a closing search (--no-closing: none)"
            ))
        }
        ClosingPlan::Alternating => Some(
            "time      each engine depth, then as long a closing search (--no-closing: none)"
                .to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::time::Duration;

    use clap::Parser;

    use super::*;
    use deepanalyze_core::search::Limit;
    use deepanalyze_runner::ClosingLimit;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        grow: GrowArgs,
    }

    fn closing(args: &str) -> (ClosingPlan, RunLimits) {
        let args = Command::parse_from(["grow"].into_iter().chain(args.split_whitespace())).grow;
        let limits = args.limits.limits().unwrap();
        (closing_plan(&args, limits), limits)
    }

    #[test]
    fn a_run_with_a_time_and_nothing_else_is_halved() {
        let (halved, limits) = closing("--for 1h");
        assert_eq!(halved, ClosingPlan::SecondHalf);
        let half = Some(Duration::from_secs(1800));
        assert_eq!(halved.limits_of_tree(limits), RunLimits { time: half, ..limits });
        let told = division(halved, limits).unwrap();
        assert!(told.starts_with("time      30m00s for the tree, then "), "{told}");
        let until = closing("--until 07:00 --distance 20 --depth 4").0;
        assert_eq!(until, ClosingPlan::SecondHalf);
        for else_ in [
            "--engine-depth 12",
            "--for 1h --engine-depth 12",
            "--for 1h --engine-nodes 100000",
            "--for 1h --max-searches 100",
            "--max-nodes 100",
            "--for 1h --until-stable",
            "--for 1h --until-holds 20",
            "--for 1h --keep-hash",
            "--no-closing",
        ] {
            let (plan, limits) = closing(else_);
            assert_eq!((plan, division(plan, limits)), (ClosingPlan::None, None), "{else_}");
            assert_eq!(plan.limits_of_tree(limits), limits, "{else_}");
        }
    }

    #[test]
    fn a_run_without_any_limit_closes_each_stage() {
        let (plan, limits) = closing("--distance 20");
        assert_eq!((plan, plan.limits_of_tree(limits)), (ClosingPlan::Alternating, limits));
    }

    #[test]
    fn what_is_asked_for_comes_on_top() {
        let limit = ClosingLimit::Search(Limit::Nodes(500));
        let (asked, limits) = closing("--for 1h --closing-nodes 500");
        assert_eq!((asked, asked.limits_of_tree(limits)), (ClosingPlan::Asked(limit), limits));
    }
}
