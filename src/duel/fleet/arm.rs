//! The arm of several engines on one tree.

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::Score;
use crate::duel::arm::listed;
use crate::duel::error::DuelError;
use crate::duel::setting::Setting;
use crate::search::{Limit, Profile};
use crate::tree::Growth;

use super::regrowth::{Regrowth, Stages};
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
    /// The root's moves by alpha, best first, each with it; none where there is no choice.
    pub listed: Vec<(UciMove, Score)>,
    /// Answers in the tree, those of all stages.
    pub searches: u64,
    /// The limit of the stage that speaks, of which the next three are; none where there are no stages.
    pub stage: Option<Limit>,
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
    let stages = Stages::of(position, setting, &searched)?;
    let finished: u64 = searched.answers.values().map(|answer| answer.nodes).sum();
    let used = stages.used_nodes();
    let whole = u64::from(fleet.engines).saturating_mul(fleet.time);
    let shares = Shares {
        used,
        unused: finished - used,
        unfinished: searched.unfinished,
        idle: whole.saturating_sub(finished).saturating_sub(searched.unfinished),
    };
    let speaking = stages.speaking();
    let choice = speaking.and_then(|stage| stage.choice(setting.choice));
    let growth = speaking.map(|stage| &stage.growth);
    Ok(FleetArm {
        choice: choice.map(|(uci, value)| (uci, Score::from(value))),
        listed: growth.map(listed).unwrap_or_default(),
        searches: stages.searches(),
        stage: speaking.map(Regrowth::limit).filter(|_| setting.schedule.has_stages()),
        positions: growth.map_or(0, Growth::analysed),
        passes: growth.map_or(0, Growth::passes),
        settled: growth.and_then(|growth| growth.settled().last()).map(|last| last.depth),
        last: searched.last,
        shares,
    })
}
