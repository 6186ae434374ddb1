//! The arm of several engines on one tree.

use std::ops::Add;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, Score, Value};
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::{Growth, RootShare, ShareAnswer, ranked_shares};

use crate::duel::arm::grower::listed;
use crate::duel::arm::{SearchArm, search_share};
use crate::duel::fleet::regrowth::{RegrownStages, Regrowth};
use crate::duel::fleet::virtual_run::{Fleet, Searched, TimedAnswers, virtual_run};
use crate::duel::lane::Oracle;
use crate::duel::run::DuelError;
use crate::duel::setting::Setting;

/// Use of the engines' time, in nodes; all five together are engines times time, or little more if
/// a search goes beyond it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeShares {
    /// Searches whose answers are in the tree.
    pub used: u64,
    /// Searches, made ahead of need, with answers not asked for by the tree.
    pub unused: u64,
    /// Searches under way at the end.
    pub unfinished: u64,
    /// Closing searches.
    pub closing: u64,
    /// No search.
    pub idle: u64,
}

impl Add for TimeShares {
    type Output = TimeShares;

    fn add(self, other: TimeShares) -> TimeShares {
        let TimeShares { used, unused, unfinished, closing, idle } = other;
        TimeShares {
            used: self.used + used,
            unused: self.unused + unused,
            unfinished: self.unfinished + unfinished,
            closing: self.closing + closing,
            idle: self.idle + idle,
        }
    }
}

/// Choice of engines on a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetArm {
    /// The arm's move and its score of it, for its mover. `None` if the tree's first search was
    /// under way when the time was up, and no closing search follows: then that search is stopped,
    /// and its move is played.
    pub choice: Option<(UciMove, Score)>,
    /// The root's moves with the arm's scores, best first: those that the engines of the closing
    /// search have chosen, then the tree's others by alpha; empty if there is no choice.
    pub listed: Vec<(UciMove, Score)>,
    /// Answers in the tree, those of all stages.
    pub searches: u64,
    /// The limit of the stage that counts, and has the next three; `None` without stages.
    pub stage: Option<Limit>,
    /// Analysed positions.
    pub positions: u64,
    /// Finished passes.
    pub passes: u64,
    /// The greatest settled depth.
    pub settled: Option<u32>,
    /// When the tree's last answer came; never after the time was up.
    pub last: u64,
    /// Use of the engines' time.
    pub shares: TimeShares,
}

/// The arm of several engines on a tree. The setting's hash is cleared; if it has a closing search,
/// the engines divide the root's moves among themselves at the end.
///
/// # Errors
///
/// The answers'; earlier answers are kept.
pub fn fleet_arm<A: TimedAnswers + Oracle<Error = DuelError>>(
    position: &Chess,
    fleet: Fleet,
    setting: &Setting,
    profile: &Profile,
    answers: &mut A,
) -> Result<FleetArm, DuelError> {
    let for_closing = setting.closing.map_or(0, |share| share.of(fleet.time));
    let of_tree = Fleet { time: fleet.time - for_closing, ..fleet };
    let searched = virtual_run(position, of_tree, setting, profile, answers)?;
    let stages = RegrownStages::of(position, setting, &searched)?;
    let closed = match for_closing {
        0 => ClosedByAll::default(),
        nodes => close(position, fleet.engines, &stages, nodes, answers)?,
    };
    let speaking = stages.speaking();
    let of_tree = speaking.and_then(Regrowth::best);
    let of_tree = of_tree.map(|(uci, value)| (uci, Score::from(value)));
    let growth = speaking.map(|stage| &stage.growth);
    let shares = shares(fleet, (&searched, stages.used_nodes()), closed.spent);
    let mut all: Vec<(UciMove, Score)> =
        closed.moves.iter().map(|search| (search.uci, search.score)).collect();
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

/// Use of the engines' time.
fn shares(fleet: Fleet, (searched, used): (&Searched, u64), closing: u64) -> TimeShares {
    let finished: u64 = searched.answers.values().map(|answer| answer.nodes).sum();
    let unfinished = searched.unfinished;
    let whole = u64::from(fleet.engines).saturating_mul(fleet.time);
    let idle = [finished, unfinished, closing].into_iter().fold(whole, u64::saturating_sub);
    TimeShares { used, unused: finished - used, unfinished, closing, idle }
}

/// The result of engines that divide the root's moves among themselves.
#[derive(Debug, Clone, Default)]
pub struct ClosedByAll {
    /// Their chosen moves, in the order of [`ranked_shares`], each with the nodes of its search.
    /// Empty if the game is over.
    pub moves: Vec<SearchArm>,
    /// The nodes of all of them.
    pub spent: u64,
}

/// The closing search of engines with `nodes` nodes each, which search the root with their own moves
/// alone; the first has all.
pub fn close<O: Oracle<Error = DuelError>>(
    root: &Chess,
    engines: u32,
    stages: &RegrownStages<'_>,
    nodes: u64,
    oracle: &mut O,
) -> Result<ClosedByAll, DuelError> {
    let Some(stage) = stages.speaking() else { return Ok(ClosedByAll::default()) };
    let engines = usize::try_from(engines).unwrap_or(usize::MAX);
    by_all(stage.growth.root_shares(engines, 1), |share| search_share(root, share, nodes, oracle))
}

/// The result of shares searched one by one.
pub fn by_all<E>(
    shares: Vec<RootShare>,
    mut search: impl FnMut(RootShare) -> Result<SearchArm, E>,
) -> Result<ClosedByAll, E> {
    let found = |share: RootShare| Ok((share.all, search(share)?));
    let answers = shares.into_iter().map(found).collect::<Result<Vec<_>, E>>()?;
    let spent = answers.iter().map(|(_, search)| search.nodes).sum();
    Ok(ClosedByAll { moves: ranked(&answers), spent })
}

/// The moves of shares, each with whether it was one of all moves.
fn ranked(answers: &[(bool, SearchArm)]) -> Vec<SearchArm> {
    let said = answers.iter().map(|(all, SearchArm { uci, score, .. })| ShareAnswer {
        all: *all,
        uci: *uci,
        value: Value::from(*score),
    });
    let places = ranked_shares(&said.collect::<Vec<_>>());
    places.into_iter().filter_map(|place| answers.get(place)).map(|(_, search)| *search).collect()
}

/// The choice of engines that divide the root's moves, dealt as by [`Growth::dealt_shares`] if
/// nothing is known of them, and search the root with these alone for the whole time: the move of
/// the greatest score, of equal ones that of the engine dealt to first. `None` if the game is over.
///
/// # Errors
///
/// The oracle's.
pub fn split_arm<O: Oracle>(
    root: &Chess,
    fleet: Fleet,
    oracle: &mut O,
) -> Result<Option<SearchArm>, O::Error> {
    let engines = usize::try_from(fleet.engines).unwrap_or(usize::MAX);
    let nothing = Growth::new(&Game::from_position(root.clone()), 0);
    let dealt = nothing.dealt_shares(engines);
    let closed = by_all(dealt, |share| search_share(root, share, fleet.time, oracle))?;
    Ok(closed.moves.first().map(|choice| SearchArm { nodes: closed.spent, ..*choice }))
}
