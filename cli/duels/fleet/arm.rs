//! The arm of several engines on one tree.

use std::ops::Add;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::duels::arm::listed;
use crate::duels::error::DuelError;
use crate::duels::oracle::Oracle;
use crate::duels::setting::Setting;
use deepanalyze_core::chess::Score;
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::Growth;

use super::closing::close;
use super::regrowth::{Regrowth, Stages};
use super::second_look::{Looked, look_again};
use super::virtual_run::{Answers, Fleet, Searched, virtual_run};

/// What became of the engines' time, in nodes; all five together are engines times time, or little
/// more where a rehearsal's last search goes beyond it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shares {
    /// Searches whose answers are in the tree.
    pub used: u64,
    /// Searches, made ahead of need, whose answers the tree has not asked for.
    pub unused: u64,
    /// Searches under way at the end.
    pub unfinished: u64,
    /// Closing searches and the rehearsals before them, and second looks.
    pub closing: u64,
    /// No search.
    pub idle: u64,
}

impl Add for Shares {
    type Output = Shares;

    fn add(self, other: Shares) -> Shares {
        let Shares { used, unused, unfinished, closing, idle } = other;
        Shares {
            used: self.used + used,
            unused: self.unused + unused,
            unfinished: self.unfinished + unfinished,
            closing: self.closing + closing,
            idle: self.idle + idle,
        }
    }
}

/// What engines on a tree chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetArm {
    /// The arm's move and what it thinks of it, for its mover. None where the tree's first search was under way
    /// when the time was up, and no closing search follows: then it is that search which is stopped, and its move
    /// that is played.
    pub choice: Option<(UciMove, Score)>,
    /// The root's moves with the scores that the arm has of them, best first: those that the engines of the closing search have
    /// chosen, or all with what a second look has found, then the tree's others by alpha, each with it; none where there is
    /// no choice.
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
    /// When the tree's last answer came; never after the time was up.
    pub last: u64,
    /// What became of the engines' time.
    pub shares: Shares,
}

/// The arm of several engines on a tree. The setting's hash is cleared; where it has a closing search, the engines
/// share the root's moves out among themselves at the end; a second look is theirs, too.
///
/// # Errors
///
/// Those of the answers; what was answered is kept.
pub fn fleet_arm<A: Answers + Oracle<Error = DuelError>>(
    position: &Chess,
    fleet: Fleet,
    setting: &Setting,
    profile: &Profile,
    answers: &mut A,
) -> Result<FleetArm, DuelError> {
    let after_tree = setting.after_tree().map_or(0, |share| share.of(fleet.time));
    let of_tree = Fleet { time: fleet.time - after_tree, ..fleet };
    let searched = virtual_run(position, of_tree, setting, profile, answers)?;
    let stages = Stages::of(position, setting, &searched)?;
    let end = match after_tree {
        0 => AfterTree::default(),
        nodes => AfterTree::of((position, of_tree), (setting, &stages), nodes, answers)?,
    };
    let speaking = stages.speaking();
    let of_tree = speaking.and_then(|stage| stage.choice(setting.choice));
    let of_tree = of_tree.map(|(uci, value)| (uci, Score::from(value)));
    let growth = speaking.map(|stage| &stage.growth);
    let shares = shares(fleet, (&searched, stages.used_nodes()), &end);
    let mut all = end.moves;
    let choice = all.first().copied().or(of_tree);
    let mut others = growth.map(listed).unwrap_or_default();
    others.retain(|(uci, _)| !all.iter().any(|(known, _)| known == uci));
    all.extend(others);
    Ok(FleetArm {
        choice,
        listed: all,
        searches: stages.searches(),
        stage: speaking.map(Regrowth::limit).filter(|_| setting.schedule.has_stages()),
        positions: growth.map_or(0, Growth::analysed),
        passes: growth.map_or(0, Growth::passes),
        settled: growth.and_then(|growth| growth.settled().last()).map(|last| last.depth),
        last: searched.last,
        shares,
    })
}

/// What engines do when the tree's time is up.
#[derive(Default)]
struct AfterTree {
    /// The moves that it is about, best first.
    moves: Vec<(UciMove, Score)>,
    /// The nodes of what was finished in time.
    spent: u64,
    /// The nodes of what was not.
    unfinished: u64,
}

impl AfterTree {
    /// A closing search, or a second look, of so many nodes for each engine.
    fn of<O: Oracle<Error = DuelError>>(
        (root, of_tree): (&Chess, Fleet),
        (setting, stages): (&Setting, &Stages<'_>),
        nodes: u64,
        oracle: &mut O,
    ) -> Result<AfterTree, DuelError> {
        if setting.closing.is_some() {
            let closed = close((root, of_tree), (setting, stages), nodes, oracle)?;
            let moves = closed.moves.iter().map(|search| (search.uci, search.score)).collect();
            return Ok(AfterTree { moves, spent: closed.spent, unfinished: 0 });
        }
        let Some(stage) = stages.speaking() else { return Ok(AfterTree::default()) };
        let engines = usize::try_from(of_tree.engines).unwrap_or(usize::MAX);
        let tree = (&stage.growth, stage.limit());
        let Looked { moves, spent, unfinished } = look_again(root, (engines, nodes), tree, oracle)?;
        let moves = moves.into_iter().map(|(uci, value)| (uci, Score::from(value))).collect();
        Ok(AfterTree { moves, spent, unfinished })
    }
}

/// What became of the engines' time.
fn shares(fleet: Fleet, (searched, used): (&Searched, u64), end: &AfterTree) -> Shares {
    let finished: u64 = searched.answers.values().map(|answer| answer.nodes).sum();
    let (unfinished, closing) = (searched.unfinished + end.unfinished, end.spent);
    let whole = u64::from(fleet.engines).saturating_mul(fleet.time);
    let idle = [finished, unfinished, closing].into_iter().fold(whole, u64::saturating_sub);
    Shares { used, unused: finished - used, unfinished, closing, idle }
}
