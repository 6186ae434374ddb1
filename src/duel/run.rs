//! Whole duels: the contest, its engines and the memo.

use std::path::Path;

use crate::run::{ControlReceiver, StartedEngine};
use crate::store::Store;

use super::alternatives::{AlternativesContest, AlternativesLane, AlternativesOutcome};
use super::contest::Contest;
use super::error::DuelError;
use super::fleet::{FleetContest, FleetLane, FleetOutcome, Measure};
use super::lane::Lane;
use super::side_by_side::{Ended, Watcher, side_by_side};
use super::summary::PositionOutcome;

/// A contest that is over.
#[derive(Debug)]
pub struct Duel {
    /// What it was about.
    pub contest: Contest,
    /// What came of each position.
    pub outcomes: Vec<PositionOutcome>,
}

/// A contest of equal time that is over.
#[derive(Debug)]
pub struct FleetDuel {
    /// What it was about.
    pub contest: FleetContest,
    /// What came of each position.
    pub outcomes: Vec<FleetOutcome>,
}

/// A contest of alternatives that is over.
#[derive(Debug)]
pub struct AlternativesDuel {
    /// What it was about.
    pub contest: AlternativesContest,
    /// What came of each position.
    pub outcomes: Vec<AlternativesOutcome>,
}

/// Runs a duel over the memo in `db`, with as many positions side by side as `lanes` says.
///
/// # Errors
///
/// What was answered is kept.
pub fn run(
    contest: &Contest,
    db: &Path,
    engines: (StartedEngine, StartedEngine),
    lanes: usize,
    control: &ControlReceiver,
    watcher: &mut dyn Watcher,
) -> Result<Ended<PositionOutcome>, DuelError> {
    let (player, judge) = engines;
    let mut first = Some((player.pool, judge.pool));
    let positions = contest.suite.entries.len();
    side_by_side((positions, lanes), control, watcher, |searchers| {
        let (own_player, own_judge) = first.take().unzip();
        let player = searchers.searcher(&player.settings, &contest.player, own_player);
        let judge = searchers.searcher(&judge.settings, &contest.judge, own_judge);
        let mut lane = Lane { store: Store::open(db)?, player, judge };
        Ok(move |index: usize| {
            let entry = contest.suite.entries.get(index);
            entry.map(|entry| lane.play(&entry.position, contest)).transpose()
        })
    })
}

/// Runs a duel of alternatives in the same way.
///
/// # Errors
///
/// What was answered is kept.
pub fn run_alternatives(
    contest: &AlternativesContest,
    db: &Path,
    engines: (StartedEngine, StartedEngine),
    lanes: usize,
    control: &ControlReceiver,
    watcher: &mut dyn Watcher,
) -> Result<Ended<AlternativesOutcome>, DuelError> {
    let (player, judge) = engines;
    let mut first = Some((player.pool, judge.pool));
    let positions = contest.suite.entries.len();
    side_by_side((positions, lanes), control, watcher, |searchers| {
        let (own_player, own_judge) = first.take().unzip();
        let player = searchers.searcher(&player.settings, &contest.player, own_player);
        let judge = searchers.searcher(&judge.settings, &contest.judge, own_judge);
        let mut lane = AlternativesLane { store: Store::open(db)?, player, judge };
        Ok(move |index: usize| {
            let entry = contest.suite.entries.get(index);
            entry.map(|entry| lane.play(&entry.position, contest)).transpose()
        })
    })
}

/// The engines of a duel of equal time.
pub struct FleetEngines {
    /// That of the arms.
    pub player: StartedEngine,
    /// The judge, where losses are measured.
    pub judge: Option<StartedEngine>,
    /// The arms' engine with so many threads, for each number of engines, where that is an arm.
    pub threaded: Vec<StartedEngine>,
}

/// Runs a duel of equal time in the same way.
///
/// # Errors
///
/// What was answered is kept.
pub fn run_fleet(
    contest: &FleetContest,
    db: &Path,
    engines: FleetEngines,
    lanes: usize,
    control: &ControlReceiver,
    watcher: &mut dyn Watcher,
) -> Result<Ended<FleetOutcome>, DuelError> {
    let FleetEngines { player, judge, threaded } = engines;
    let (judge, judge_pool) = judge.map(|judge| (judge.settings, judge.pool)).unzip();
    let mut first = Some((player.pool, judge_pool));
    let mut threaded: Vec<_> = threaded
        .into_iter()
        .map(|started| (started.settings, started.pool.profile().clone(), Some(started.pool)))
        .collect();
    let positions = contest.suite.entries.len();
    side_by_side((positions, lanes), control, watcher, |searchers| {
        let (own_player, own_judge) = first.take().unzip();
        let judge = match (&contest.measure, &judge) {
            (Measure::Losses { judge: profile, .. }, Some(settings)) => {
                Some(searchers.searcher(settings, profile, own_judge.flatten()))
            }
            _ => None,
        };
        let threaded = threaded
            .iter_mut()
            .map(|(settings, profile, pool)| searchers.searcher(settings, profile, pool.take()));
        let mut lane = FleetLane {
            store: Store::open(db)?,
            threaded: threaded.collect(),
            player: searchers.searcher(&player.settings, &contest.player, own_player),
            judge,
        };
        Ok(move |index: usize| {
            let entry = contest.suite.entries.get(index);
            entry.map(|entry| lane.play(entry, contest)).transpose()
        })
    })
}
