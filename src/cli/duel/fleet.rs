//! `deepanalyze duel --fleet`: what equal time takes from the command line.

use crate::cli::error::CliError;
use crate::duel::{FleetContest, Hash, Measure, Setting, Suite};
use crate::run::StartedEngine;

use super::args::DuelArgs;

/// Engines side by side have no hash in common, and a closing search is not measured.
pub fn refuse_settings(settings: &[Setting]) -> Result<(), CliError> {
    for setting in settings {
        if setting.hash == Hash::Kept || setting.closing.is_some() {
            return Err(CliError::usage(format!(
                "--fleet takes trees with hash=cleared and without a closing search, not \"{setting}\""
            )));
        }
    }
    Ok(())
}

/// What the duel is about.
pub fn contest(
    args: &DuelArgs,
    suite: Suite,
    engines: &(StartedEngine, Option<StartedEngine>),
) -> FleetContest {
    let mut numbers = args.arms.fleet.clone();
    numbers.sort_unstable();
    numbers.dedup();
    let measure = match (&engines.1, args.judge.judge_nodes) {
        (Some(judge), Some(nodes)) => {
            let judge = judge.pool.profile().clone();
            Measure::Losses { judge, nodes, own: args.judge.judge_all }
        }
        _ => Measure::Solved,
    };
    FleetContest {
        suite,
        player: engines.0.pool.profile().clone(),
        time: args.arms.nodes,
        engines: numbers,
        settings: args.arms.trees.clone(),
        threads: args.arms.threads,
        measure,
        seed: args.suite.seed,
    }
}
