//! `deepanalyze duel --alternatives`: what it takes from the command line.

use crate::duels::{AlternativesContest, ChoiceRule, Counting, Setting, Suite};
use crate::error::CliError;
use deepanalyze_core::search::Profile;

use super::args::DuelArgs;
use super::fleet::numbers;

/// Refuses trees that choose one move in another way than by the scores of all: a closing search of one engine, the
/// move of the greatest settled depth, and the one that is the best without its luck.
pub fn refuse(args: &DuelArgs) -> Result<(), CliError> {
    let alone = numbers(args).first().is_none_or(|fewest| *fewest == 1);
    let chooses_one = |tree: &&Setting| {
        let by_rule = matches!(tree.choice, ChoiceRule::Settled | ChoiceRule::LessLuck { .. });
        by_rule || (alone && tree.closing.is_some())
    };
    match args.arms.trees.iter().find(chooses_one) {
        None => Ok(()),
        Some(setting) => Err(CliError::usage(format!(
            "--alternatives takes trees without choice=settled or choice=less-luck, and without a closing \
             search of one engine alone: these are for one move, not \"{setting}\""
        ))),
    }
}

/// What the duel is about.
pub fn contest(
    args: &DuelArgs,
    suite: Suite,
    (player, judge): (Profile, Profile),
) -> AlternativesContest {
    AlternativesContest {
        suite,
        player,
        moves: usize::from(args.list.alternatives.unwrap_or_default()),
        nodes: args.arms.nodes,
        engines: numbers(args),
        settings: args.arms.trees.clone(),
        judge,
        judge_nodes: args.judge.judge_nodes.unwrap_or_default(),
        counting: Counting { margin: args.judge.margin, seed: args.suite.seed },
    }
}
