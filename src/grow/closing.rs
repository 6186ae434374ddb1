//! Closing searches of a run.

use crate::progress::time;
use deepanalyze_core::directives::Directives;
use deepanalyze_runner::{ClosingPlan, Job, PreparedFor, Queue, RunLimits};

use super::args::GrowArgs;

/// The plan asked for, else the default: closing searches in the second half of a time, if that is
/// the only limit of the whole and of each of many positions; one after each stage without any
/// limit.
pub(super) fn closing_plan(args: &GrowArgs, all: RunLimits, each: RunLimits) -> ClosingPlan {
    if let Some(plan) = args.closing.plan() {
        return plan;
    }
    let is_plain = args.engine.schedule().has_stages()
        && args.limits.until_stable.is_none()
        && args.limits.until_holds.is_none()
        && !args.engine.keep_hash;
    let is_time_alone =
        |limits: RunLimits| limits == RunLimits { time: limits.time, ..RunLimits::default() };
    match all.time.or(each.time) {
        _ if !is_plain || !is_time_alone(all) || !is_time_alone(each) => ClosingPlan::None,
        Some(_) => ClosingPlan::SecondHalf,
        None => ClosingPlan::Alternating,
    }
}

/// How the time of a run on many positions is divided, where it is.
pub(super) fn division_of_many(queue: &Queue) -> Option<String> {
    let job = queue.jobs.first()?;
    let none = "(--closing no: none)";
    match (job.closing, queue.limits.time, job.limits.time) {
        (ClosingPlan::SecondHalf, Some(all), _) => {
            let half = time(all / 2);
            Some(format!("time      {half} for the trees, then {half} for closing searches {none}"))
        }
        (ClosingPlan::SecondHalf, None, Some(each)) => {
            let half = time(each / 2);
            Some(format!(
                "time      {half} for each tree, later {half} for its closing search {none}"
            ))
        }
        (ClosingPlan::Alternating, ..) => {
            Some(format!("time      each tree, then as long a closing search {none}"))
        }
        _ => None,
    }
}

/// How the time of a run is divided under such directives, where it is, or why it is not.
pub(super) fn division(job: &Job, said: &Directives) -> Option<String> {
    let (closing, limits) = (job.closing_under(said), job.limits);
    match closing {
        ClosingPlan::None if job.closing != closing => {
            let why = match PreparedFor::of(&job.game, &job.tree, said)? {
                PreparedFor::Repertoire => "moves are included",
                PreparedFor::Opponent => "the opponent is to move",
            };
            Some(format!("time      all for the tree: {why} (--closing 10m: a closing search)"))
        }
        ClosingPlan::None | ClosingPlan::Asked(_) => None,
        ClosingPlan::SecondHalf => {
            let half = time(limits.time? / 2);
            Some(format!(
                "time      {half} for the tree, then {half} for a closing search (--closing no: none)"
            ))
        }
        ClosingPlan::Alternating => Some(
            "time      each engine depth, then as long a closing search (--closing no: none)"
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
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::search::Limit;
    use deepanalyze_runner::{ClosingLimit, Schedule};

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        grow: GrowArgs,
    }

    fn closing(args: &str) -> (ClosingPlan, RunLimits) {
        let args = Command::parse_from(["grow"].into_iter().chain(args.split_whitespace())).grow;
        let limits = args.limits.run.limits().unwrap();
        (closing_plan(&args, limits, args.batch.each()), limits)
    }

    /// Message on the division of the time, with this distance for Black.
    fn told(closing: ClosingPlan, limits: RunLimits, black: &str) -> Option<String> {
        let mut tree = deepanalyze_core::tree::Breadth::from(20);
        tree.black = black.parse().unwrap();
        let game = Game::from_start("startpos").unwrap();
        let job = Job { closing, limits, ..Job::new(game, tree, Schedule::REFINED, 9) };
        division(&job, &Directives::default())
    }

    #[test]
    fn the_tree_has_all_of_an_opponents_time() {
        let (plan, limits) = closing("--for 1h");
        let why =
            "time      all for the tree: the opponent is to move (--closing 10m: a closing search)";
        assert_eq!(told(plan, limits, "0").as_deref(), Some(why));
        let (plan, limits) = closing("--for 1h --closing-time 10m");
        assert_eq!(told(plan, limits, "0"), None, "it was asked for");
        let (plan, limits) = closing("--for 1h --no-closing");
        assert_eq!(told(plan, limits, "0"), None);
    }

    #[test]
    fn a_run_with_a_time_and_nothing_else_is_halved() {
        let (halved, limits) = closing("--for 1h");
        assert_eq!(halved, ClosingPlan::SecondHalf);
        let half = Some(Duration::from_secs(1800));
        assert_eq!(halved.limits_of_tree(limits), RunLimits { time: half, ..limits });
        let told = told(halved, limits, "20").unwrap();
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
            let told = self::told(plan, limits, "20");
            assert_eq!((plan, told), (ClosingPlan::None, None), "{else_}");
            assert_eq!(plan.limits_of_tree(limits), limits, "{else_}");
        }
    }

    #[test]
    fn a_run_without_any_limit_closes_each_stage() {
        let (plan, limits) = closing("--distance 20");
        assert_eq!((plan, plan.limits_of_tree(limits)), (ClosingPlan::Alternating, limits));
    }

    #[test]
    fn each_of_many_positions_has_two_halves_of_its_time() {
        assert_eq!(closing("--epd a --for-each 1m").0, ClosingPlan::SecondHalf);
        assert_eq!(closing("--epd a --for 1h --for-each 1m").0, ClosingPlan::SecondHalf);
        assert_eq!(closing("--epd a --for 1h --searches-each 9").0, ClosingPlan::None);
        assert_eq!(closing("--epd a").0, ClosingPlan::Alternating);
    }

    #[test]
    fn what_is_asked_for_comes_on_top() {
        let search = |limit| ClosingPlan::Asked(ClosingLimit::Search(limit));
        let time = |secs| ClosingPlan::Asked(ClosingLimit::Time(Duration::from_secs(secs)));
        for (written, before, plan) in [
            ("500n", "--closing-nodes 500", search(Limit::Nodes(500))),
            ("1e9n", "--closing-nodes 1000000000", search(Limit::Nodes(1_000_000_000))),
            ("24d", "--closing-depth 24", search(Limit::Depth(24))),
            ("90s", "--closing-time 90s", time(90)),
            ("30min", "--closing-time 30m", time(1800)),
            ("no", "--no-closing", ClosingPlan::None),
        ] {
            let (asked, limits) = closing(&format!("--for 1h --closing {written}"));
            assert_eq!((asked, asked.limits_of_tree(limits)), (plan, limits), "{written}");
            assert_eq!(closing(&format!("--for 1h {before}")).0, plan, "{before}");
        }
    }

    #[test]
    fn a_closing_search_without_a_limit_is_refused() {
        for text in ["", "0d", "256d", "0n", "1e30n", "n", "x", "9", "-5m", "infn"] {
            let parsed = Command::try_parse_from(["grow", "--closing", text]);
            assert!(parsed.is_err(), "{text}");
        }
    }
}
