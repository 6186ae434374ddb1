//! `deepanalyze duel --alternatives`: what it takes from the command line.

use crate::cli::error::CliError;
use crate::duel::{AlternativesContest, ChoiceRule, Counting, Suite};
use crate::search::Profile;

use super::args::DuelArgs;
use super::fleet::numbers;

/// Refuses trees that choose one move in another way than by the scores of all.
pub fn refuse(args: &DuelArgs) -> Result<(), CliError> {
    let chooses_one = |closing: bool, choice| closing || choice == ChoiceRule::Settled;
    let mut trees = args.arms.trees.iter();
    match trees.find(|tree| chooses_one(tree.closing.is_some(), tree.choice)) {
        None => Ok(()),
        Some(setting) => Err(CliError::usage(format!(
            "--alternatives takes trees without a closing search and without choice=settled, which are for one \
             move, not \"{setting}\""
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
