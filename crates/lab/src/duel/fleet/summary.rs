//! Figures of equal time over all positions.

use std::ops::Add;

use crate::duel::fleet::arm::TimeShares;
use crate::duel::fleet::equal::{EqualSpeed, equal_speed, speeds};
use crate::duel::fleet::{FleetContest, FleetOutcome, Measure, Other};
use crate::duel::statistics::{Estimate, mean, share};
use crate::duel::suite::SuitePosition;

/// An arm's cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArmCost {
    /// The share of solved positions, if measured.
    pub solved: Option<(usize, Estimate)>,
    /// The mean loss in centipawns, if measured.
    pub loss: Option<Estimate>,
}

/// Work of several engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arm {
    /// They grow the tree of the setting with this index.
    Tree(usize),
    /// They do something else.
    Other(Other),
}

/// An arm of several engines, or threads.
#[derive(Debug, Clone, PartialEq)]
pub struct FleetRow {
    /// How many.
    pub engines: u32,
    /// Their work.
    pub arm: Arm,
    /// Its cost.
    pub cost: ArmCost,
    /// How many times as fast one engine must be to do as well.
    pub equal: Option<EqualSpeed>,
    /// The mean difference to the search of each speed, this arm's cost less that of the search:
    /// position by position, so common finds and misses do not count.
    pub beside: Vec<(u32, Estimate)>,
    /// Likewise to the other arms of as many engines, for a tree.
    pub beside_others: Vec<(Other, Estimate)>,
    /// Use of the engines' time, in nodes of all positions.
    pub shares: TimeShares,
    /// Positions in which the tree's first search was not finished in time.
    pub stopped: usize,
    /// Answers of all trees.
    pub searches: u64,
}

/// The figures of all arms.
#[derive(Debug, Clone, PartialEq)]
pub struct FleetSummary {
    /// Positions.
    pub positions: usize,
    /// The searches, by speed.
    pub searches: Vec<(u32, ArmCost)>,
    /// All arms of several engines, by their number.
    pub rows: Vec<FleetRow>,
}

/// Positions with their outcomes.
struct FleetPlayed<'a> {
    contest: &'a FleetContest,
    outcomes: &'a [FleetOutcome],
    /// The costs of the searches, by speed and position.
    searches: Vec<(u32, Vec<i64>)>,
}

impl FleetSummary {
    /// The figures of a contest.
    pub fn of(contest: &FleetContest, outcomes: &[FleetOutcome]) -> FleetSummary {
        let played = FleetPlayed::of(contest, outcomes);
        let searches = played.searches.iter();
        let searches = searches.map(|(speed, costs)| (*speed, played.cost(costs))).collect();
        let mut rows = Vec::new();
        for (index, engines) in contest.engines.iter().enumerate() {
            let settings = 0..contest.settings.len();
            rows.extend(settings.map(|setting| played.tree(index, *engines, setting)));
            let others = contest.others.iter().enumerate();
            rows.extend(others.map(|(at, other)| {
                played.row(*engines, Arm::Other(*other), &played.other_costs(index, at))
            }));
        }
        FleetSummary { positions: outcomes.len(), searches, rows }
    }
}

impl<'a> FleetPlayed<'a> {
    fn of(contest: &'a FleetContest, outcomes: &'a [FleetOutcome]) -> FleetPlayed<'a> {
        let mut played = FleetPlayed { contest, outcomes, searches: Vec::new() };
        for (index, speed) in contest.speeds().into_iter().enumerate() {
            let costs = played.costs(|outcome, entry| {
                let arm = outcome.searches.get(index)?;
                Some(outcome.cost(&contest.measure, entry, arm.uci))
            });
            played.searches.push((speed, costs));
        }
        played
    }

    fn costs(&self, of: impl Fn(&FleetOutcome, &SuitePosition) -> Option<i64>) -> Vec<i64> {
        let played = self.outcomes.iter().zip(&self.contest.suite.entries);
        played.filter_map(|(outcome, entry)| of(outcome, entry)).collect()
    }

    fn tree(&self, index: usize, engines: u32, setting: usize) -> FleetRow {
        let arm = |outcome: &'a FleetOutcome| outcome.trees.get(index)?.get(setting);
        let costs = self.costs(|outcome, entry| {
            let uci = outcome.move_of(outcome.trees.get(index)?.get(setting)?)?;
            Some(outcome.cost(&self.contest.measure, entry, uci))
        });
        let others = self.contest.others.iter().enumerate();
        let beside_others = others.filter_map(|(at, other)| {
            Some((*other, self.difference(&costs, &self.other_costs(index, at))?))
        });
        let arms = || self.outcomes.iter().filter_map(arm);
        let shares = arms().map(|arm| arm.shares).fold(TimeShares::default(), Add::add);
        FleetRow {
            stopped: arms().filter(|arm| arm.choice.is_none()).count(),
            searches: arms().map(|arm| arm.searches).sum(),
            shares,
            beside_others: beside_others.collect(),
            ..self.row(engines, Arm::Tree(setting), &costs)
        }
    }

    fn other_costs(&self, index: usize, at: usize) -> Vec<i64> {
        self.costs(|outcome, entry| {
            let arm = outcome.others.get(index)?.get(at)?;
            Some(outcome.cost(&self.contest.measure, entry, arm.uci))
        })
    }

    fn difference(&self, arm: &[i64], other: &[i64]) -> Option<Estimate> {
        let differences: Vec<i64> = arm.iter().zip(other).map(|(arm, other)| arm - other).collect();
        mean(&differences, self.contest.seed)
    }

    fn row(&self, engines: u32, arm: Arm, costs: &[i64]) -> FleetRow {
        let wanted = speeds(engines);
        let searches = self.searches.iter().filter(|(speed, _)| wanted.contains(speed));
        let searches: Vec<(u32, Vec<i64>)> = searches.cloned().collect();
        let beside = searches.iter();
        let beside = beside.filter_map(|(speed, of)| Some((*speed, self.difference(costs, of)?)));
        FleetRow {
            engines,
            arm,
            cost: self.cost(costs),
            beside: beside.collect(),
            beside_others: Vec::new(),
            equal: equal_speed(&searches, costs, self.contest.seed),
            shares: TimeShares::default(),
            stopped: 0,
            searches: 0,
        }
    }

    fn cost(&self, costs: &[i64]) -> ArmCost {
        match self.contest.measure {
            Measure::Solved => {
                let solved = costs.iter().filter(|cost| **cost == 0).count();
                let share = share(solved, costs.len());
                ArmCost { solved: share.map(|share| (solved, share)), loss: None }
            }
            Measure::Losses { .. } => {
                ArmCost { solved: None, loss: mean(costs, self.contest.seed) }
            }
        }
    }
}
