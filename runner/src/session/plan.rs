//! The run that a question is worth.

use crate::{Keeping, PassOrder, Plan, RunLimits, Schedule};
use deepanalyze_core::tree::Breadth;
use deepanalyze_report::LinesTold;

use super::settings::{Question, SessionSettings};

/// How many plies of each line are told.
const PLIES: usize = 30;
/// Where the engines search to one limit, the tree grows on as long as there is time.
const FAR: u32 = 250;

/// The run for a question.
pub fn plan(settings: &SessionSettings, question: &Question) -> Plan {
    let deep = match settings.schedule {
        Schedule::Once(_) => settings.depth.max(FAR),
        Schedule::Stages { .. } => settings.depth,
    };
    let is_kept = question.only.is_empty() && question.goal.is_worth_a_tree();
    let count = usize::try_from(question.lines).unwrap_or(usize::MAX);
    Plan {
        game: question.game.clone(),
        name: None,
        breadth: breadth(settings, question),
        tables: settings.tables.clone(),
        depth: question.goal.depth.unwrap_or(deep),
        schedule: settings.schedule,
        limits: RunLimits::default(),
        until_stable: None,
        directives: None,
        look_ahead: settings.look_ahead,
        order: PassOrder::default(),
        told: LinesTold { count, plies: PLIES },
        keeping: match is_kept {
            true => Keeping::Tree,
            false => Keeping::AnswersAlone { only: question.only.clone() },
        },
    }
}

/// The distances, with as many moves of the root as lines are asked for.
pub fn breadth(settings: &SessionSettings, question: &Question) -> Breadth {
    Breadth { least: question.lines.max(1), ..settings.breadth.clone() }
}
