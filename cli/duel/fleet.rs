//! `deepanalyze duel --fleet`: what equal time takes from the command line.

use crate::duels::{ChoiceRule, FleetContest, Hash, Measure, Other, Suite};
use crate::error::CliError;
use deepanalyze_core::search::Profile;
use deepanalyze_engine::Settings;
use deepanalyze_runner::PassOrder;

use super::args::{ArmArgs, DuelArgs};

/// The option by which engines are given threads.
const THREADS: &str = "Threads";

/// Refuses at equal nodes what only engines side by side can do.
pub fn refuse_without(args: &DuelArgs) -> Result<(), CliError> {
    let ArmArgs { solved, split, threads, .. } = args.arms;
    let given = [(solved, "--solved"), (split, "--split"), (threads, "--threads")];
    if let Some((_, option)) = given.iter().find(|(is_given, _)| *is_given) {
        return Err(CliError::usage(format!("{option} needs --fleet")).hint(
            "--fleet 1,4 compares trees of 1 and of 4 engines with single searches at equal time",
        ));
    }
    for setting in &args.arms.trees {
        let what = if setting.schedule.has_stages() {
            "stages"
        } else if setting.order != PassOrder::Visit {
            "an order"
        } else if matches!(setting.choice, ChoiceRule::SecondLook { .. }) {
            "a second look"
        } else {
            continue;
        };
        let why = format!("\"{setting}\" has {what}, which only --fleet takes");
        return Err(CliError::usage(why));
    }
    Ok(())
}

/// Refuses what equal time cannot be measured with: engines side by side have no hash in common, and threads that share their cores with other positions are not worth what they are alone.
pub fn refuse(args: &DuelArgs) -> Result<(), CliError> {
    for setting in &args.arms.trees {
        if setting.hash == Hash::Kept {
            return Err(CliError::usage(format!(
                "--fleet takes trees with hash=cleared, not \"{setting}\""
            )));
        }
    }
    let sets_threads = |(name, _): &(String, String)| name.eq_ignore_ascii_case(THREADS);
    if args.arms.threads && args.arms.options.iter().any(sets_threads) {
        return Err(CliError::usage("--threads sets the option Threads itself: leave it out"));
    }
    if args.arms.threads && args.engines > 1 {
        return Err(CliError::usage(
            "--threads needs all cores for one position at a time: leave --engines out",
        ));
    }
    Ok(())
}

/// The arms' engine with as many threads as there are engines, for each number of them.
pub fn threaded(args: &DuelArgs, player: &Settings) -> Vec<Settings> {
    let numbers = numbers(args).into_iter().filter(|_| args.arms.threads);
    let threaded = numbers.map(|threads| {
        let mut settings = player.clone();
        settings.options.push((THREADS.to_owned(), threads.to_string()));
        settings
    });
    threaded.collect()
}

/// What several engines do beside growing trees.
fn others(args: &DuelArgs) -> Vec<Other> {
    let split = args.arms.split.then_some(Other::Split);
    split.into_iter().chain(args.arms.threads.then_some(Other::Threads)).collect()
}

/// The numbers of engines, in ascending order.
pub fn numbers(args: &DuelArgs) -> Vec<u32> {
    let mut numbers = args.arms.fleet.clone();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// What the duel is about.
pub fn contest(
    args: &DuelArgs,
    suite: Suite,
    (player, judge): (Profile, Option<Profile>),
) -> FleetContest {
    let measure = match (judge, args.judge.judge_nodes) {
        (Some(judge), Some(nodes)) => Measure::Losses { judge, nodes, own: args.judge.judge_all },
        _ => Measure::Solved,
    };
    FleetContest {
        suite,
        player,
        time: args.arms.nodes,
        engines: numbers(args),
        settings: args.arms.trees.clone(),
        others: others(args),
        measure,
        seed: args.suite.seed,
    }
}
