//! Whole duels: the contest, its engines and the memo.

use std::path::Path;

use crate::engine::Settings;
use crate::run::{ControlReceiver, StartedEngine};
use crate::search::Profile;
use crate::store::Store;

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

/// Runs a duel of equal time in the same way; a judge is needed where losses are measured.
///
/// # Errors
///
/// What was answered is kept.
pub fn run_fleet(
    contest: &FleetContest,
    db: &Path,
    engines: (StartedEngine, Option<StartedEngine>),
    lanes: usize,
    control: &ControlReceiver,
    watcher: &mut dyn Watcher,
) -> Result<Ended<FleetOutcome>, DuelError> {
    let (player, judge) = engines;
    let (judge, judge_pool) = judge.map(|judge| (judge.settings, judge.pool)).unzip();
    let mut first = Some((player.pool, judge_pool));
    let positions = contest.suite.entries.len();
    side_by_side((positions, lanes), control, watcher, |searchers| {
        let (own_player, own_judge) = first.take().unzip();
        let judge = match (&contest.measure, &judge) {
            (Measure::Losses { judge: profile, .. }, Some(settings)) => {
                Some(searchers.searcher(settings, profile, own_judge.flatten()))
            }
            _ => None,
        };
        let threads = contest.engines.iter().filter(|_| contest.threads);
        let threaded = threads.map(|threads| {
            let (settings, profile) = threaded(&player.settings, &contest.player, *threads);
            searchers.searcher(&settings, &profile, None)
        });
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

/// The same engine with so many threads: answers of another profile.
fn threaded(settings: &Settings, profile: &Profile, threads: u32) -> (Settings, Profile) {
    let (mut settings, mut profile) = (settings.clone(), profile.clone());
    settings.options.push((THREADS.to_owned(), threads.to_string()));
    profile.options.insert(THREADS.to_owned(), threads.to_string());
    (settings, profile)
}

/// The option by which engines are given threads.
const THREADS: &str = "Threads";
