//! The arm of several engines on one tree.

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::Score;
use crate::duel::error::DuelError;
use crate::duel::setting::Setting;
use crate::search::Profile;

use super::regrowth::Regrowth;
use super::virtual_run::{Answers, Fleet, virtual_run};

/// What became of the engines' time, in nodes; all four together are engines times time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shares {
    /// Searches whose answers are in the tree.
    pub used: u64,
    /// Searches, made ahead of need, whose answers the tree has not asked for.
    pub unused: u64,
    /// Searches under way at the end.
    pub unfinished: u64,
    /// No search.
    pub idle: u64,
}

/// What engines on a tree chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetArm {
    /// The arm's move and what it thinks of it, for its mover. None where the tree's first search was under way
    /// when the time was up: then it is that search which is stopped, and its move that is played.
    pub choice: Option<(UciMove, Score)>,
    /// Answers in the tree.
    pub searches: u64,
    /// Analysed positions.
    pub positions: u64,
    /// Finished passes.
    pub passes: u64,
    /// The greatest settled depth.
    pub settled: Option<u32>,
    /// When the last answer came; never after the time was up.
    pub last: u64,
    /// What became of the engines' time.
    pub shares: Shares,
}

/// The arm of several engines on a tree. The setting's hash is cleared, and it has no closing search.
///
/// # Errors
///
/// Those of the answers; what was answered is kept.
pub fn fleet_arm(
    position: &Chess,
    fleet: Fleet,
    setting: &Setting,
    profile: &Profile,
    answers: &mut dyn Answers,
) -> Result<FleetArm, DuelError> {
    let searched = virtual_run(position, fleet, setting, profile, answers)?;
    let regrowth = Regrowth::of(position, setting, &searched)?;
    let finished: u64 = searched.answers.values().map(|answer| answer.nodes).sum();
    let used = regrowth.used_nodes();
    let whole = u64::from(fleet.engines).saturating_mul(fleet.time);
    let shares = Shares {
        used,
        unused: finished - used,
        unfinished: searched.unfinished,
        idle: whole.saturating_sub(finished).saturating_sub(searched.unfinished),
    };
    let growth = &regrowth.growth;
    Ok(FleetArm {
        choice: regrowth.choice(setting.choice).map(|(uci, value)| (uci, Score::from(value))),
        searches: growth.searches(),
        positions: growth.analysed(),
        passes: growth.passes(),
        settled: growth.settled().last().map(|last| last.depth),
        last: searched.last,
        shares,
    })
}
