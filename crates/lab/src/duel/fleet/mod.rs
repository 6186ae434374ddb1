//! Equal time: engines on a tree, side by side, against one engine that is several times as fast.
//!
//! Time is virtual: an engine searches one node in a unit of it. The tree's engines work as `grow`
//! lets them, on its own code; their answers come from the memo or a real engine, and depend on
//! nothing but the position.

pub mod arm;
pub mod equal;
mod regrowth;
pub mod summary;
#[cfg(test)]
mod tests;
pub mod virtual_run;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::epd_of;
use deepanalyze_core::search::{Answer, Limit, Profile, Search};
use deepanalyze_runner::Schedule;

use crate::duel::arm::{SearchArm, search_arm};
use crate::duel::fleet::arm::{FleetArm, fleet_arm, split_arm};
use crate::duel::fleet::equal::speeds;
use crate::duel::fleet::virtual_run::{Fleet, TimedAnswers};
use crate::duel::judging::Judged;
use crate::duel::lane::{DuelLane, SearcherOracle, ask_cleared, judged_score};
use crate::duel::run::{Contest, DuelError};
use crate::duel::setting::Setting;
use crate::duel::suite::{Suite, SuitePosition};

/// Depth limit of a tree: once all lines have ended, every further depth asks for nothing.
const DEEPEST: u32 = 100;
/// Depth that ends a stage; `grow`'s default.
const STAGE_DEPTH: u32 = 10;

/// The depth to settle.
fn target(schedule: Schedule) -> u32 {
    if schedule.has_stages() { STAGE_DEPTH } else { DEEPEST }
}

/// The measure of moves.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "a duel has one")]
pub enum Measure {
    /// Solving the position.
    Solved,
    /// Their loss by the judge's scores.
    Losses {
        /// The judge's engine.
        judge: Profile,
        /// Nodes of each of its searches.
        nodes: u64,
        /// True if it is asked for a move of its own, too.
        own: bool,
    },
}

/// Other work of several engines than growing a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Other {
    /// They divide the root's moves among themselves.
    Split,
    /// They are threads of one engine, which searches as many times the nodes.
    Threads,
}

/// The inputs of a duel of equal time, besides the answers.
#[derive(Debug, Clone)]
pub struct FleetContest {
    /// The positions.
    pub suite: Suite,
    /// The arms' engine.
    pub player: Profile,
    /// The time of all arms: one engine's nodes in it.
    pub time: u64,
    /// Numbers of engines.
    pub engines: Vec<u32>,
    /// The trees.
    pub settings: Vec<Setting>,
    /// The other arms.
    pub others: Vec<Other>,
    /// The measure of moves.
    pub measure: Measure,
    /// Fixes the bootstrap's samples.
    pub seed: u64,
}

impl FleetContest {
    /// The speeds of all searches, in ascending order.
    pub fn speeds(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.engines.iter().flat_map(|engines| speeds(*engines)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The nodes of a search at this speed.
    pub fn nodes_at(&self, speed: u32) -> u64 {
        self.time.saturating_mul(u64::from(speed))
    }
}

/// Outcome of one position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetOutcome {
    /// The searches, by speed.
    pub searches: Vec<SearchArm>,
    /// The trees: for each number of engines those of all settings.
    pub trees: Vec<Vec<FleetArm>>,
    /// The other arms: for each number of engines all of them.
    pub others: Vec<Vec<SearchArm>>,
    /// The judge's scores.
    pub judged: Judged,
}

impl FleetOutcome {
    /// The move of a tree's arm: that of the stopped search, if its first is not finished in time.
    pub fn move_of(&self, tree: &FleetArm) -> Option<UciMove> {
        let stopped = || self.searches.first().map(|search| search.uci);
        tree.choice.map(|(uci, _)| uci).or_else(stopped)
    }

    /// The cost of a move: 1 if it does not solve the position, or centipawns.
    pub fn cost(&self, measure: &Measure, entry: &SuitePosition, uci: UciMove) -> i64 {
        match measure {
            Measure::Solved => i64::from(
                !entry
                    .task
                    .as_ref()
                    .is_ok_and(|task| task.as_ref().is_some_and(|task| task.is_solved_by(uci))),
            ),
            Measure::Losses { .. } => self.loss(uci),
        }
    }

    /// The loss of a move against the judge's own, or the best of those judged; 0 if all arms
    /// agree.
    fn loss(&self, uci: UciMove) -> i64 {
        let best = self.judged.moves.iter().filter_map(|(judged, _)| self.judged.of(*judged)).max();
        let own = self.judged.own.and_then(|own| self.judged.of(own));
        let best = own.or(best);
        best.zip(self.judged.of(uci)).map_or(0, |(best, of)| i64::from(best) - i64::from(of))
    }

    /// The moves of all arms, each once.
    fn moves(&self) -> Vec<UciMove> {
        let trees = self.trees.iter().flatten().filter_map(|tree| self.move_of(tree));
        let searches =
            self.searches.iter().chain(self.others.iter().flatten()).map(|search| search.uci);
        let mut moves = Vec::new();
        for uci in searches.chain(trees) {
            if !moves.contains(&uci) {
                moves.push(uci);
            }
        }
        moves
    }
}

impl TimedAnswers for SearcherOracle<'_> {
    fn answer(&mut self, search: Search, limit: Limit) -> Result<Answer, DuelError> {
        self.searcher.answer(self.store, search, limit)
    }
}

impl Contest for FleetContest {
    type Outcome = FleetOutcome;

    fn suite(&self) -> &Suite {
        &self.suite
    }

    /// All arms of a position, and the judge if they differ.
    fn play(&self, entry: &SuitePosition, lane: &mut DuelLane) -> Result<FleetOutcome, DuelError> {
        let position = &entry.position;
        let mut outcome = FleetOutcome {
            searches: self.search_arms(position, lane)?,
            trees: self.trees(position, lane)?,
            others: self.other_arms(position, lane)?,
            judged: Judged::default(),
        };
        self.judge(position, lane, &mut outcome)?;
        Ok(outcome)
    }
}

impl FleetContest {
    fn search_arms(
        &self,
        position: &Chess,
        lane: &mut DuelLane,
    ) -> Result<Vec<SearchArm>, DuelError> {
        let mut arms = Vec::new();
        for speed in self.speeds() {
            let arm = search_arm(position, self.nodes_at(speed), &mut lane.player())?;
            if arm.nodes == 0 {
                return Err(DuelError::NoNodes(self.player.engine.clone()));
            }
            arms.push(arm);
        }
        Ok(arms)
    }

    fn trees(
        &self,
        position: &Chess,
        lane: &mut DuelLane,
    ) -> Result<Vec<Vec<FleetArm>>, DuelError> {
        let mut memo = lane.player();
        let mut of_all = Vec::new();
        for engines in &self.engines {
            let fleet = Fleet { engines: *engines, time: self.time };
            let settings = self.settings.iter();
            let arms = settings
                .map(|setting| fleet_arm(position, fleet, setting, &self.player, &mut memo));
            of_all.push(arms.collect::<Result<Vec<FleetArm>, DuelError>>()?);
        }
        Ok(of_all)
    }

    fn other_arms(
        &self,
        position: &Chess,
        lane: &mut DuelLane,
    ) -> Result<Vec<Vec<SearchArm>>, DuelError> {
        let engines = self.engines.iter().enumerate();
        let of_all = engines.map(|(index, engines)| {
            let fleet = Fleet { engines: *engines, time: self.time };
            self.others
                .iter()
                .map(|other| self.other(position, *other, index, fleet, lane))
                .collect()
        });
        of_all.collect()
    }

    fn other(
        &self,
        position: &Chess,
        other: Other,
        index: usize,
        fleet: Fleet,
        lane: &mut DuelLane,
    ) -> Result<SearchArm, DuelError> {
        let no_move = || DuelError::NoMove(epd_of(position));
        match other {
            Other::Split => split_arm(position, fleet, &mut lane.player())?.ok_or_else(no_move),
            Other::Threads => {
                let DuelLane { store, threaded, .. } = lane;
                let searcher = threaded.get_mut(index).ok_or_else(no_move)?;
                let nodes = fleet.time.saturating_mul(u64::from(fleet.engines));
                search_arm(position, nodes, &mut SearcherOracle { store, searcher })
            }
        }
    }

    fn judge(
        &self,
        position: &Chess,
        lane: &mut DuelLane,
        outcome: &mut FleetOutcome,
    ) -> Result<(), DuelError> {
        let Measure::Losses { nodes, own, .. } = self.measure else { return Ok(()) };
        let DuelLane { store, judge: Some(judge), .. } = lane else { return Ok(()) };
        let mut moves = outcome.moves();
        if own {
            let reply = ask_cleared(store, judge, position, nodes)?;
            outcome.judged.own = Some(reply.uci);
            moves.extend(Some(reply.uci).filter(|uci| !moves.contains(uci)));
        }
        if moves.len() > 1 {
            for uci in moves {
                let score = judged_score(store, judge, position, uci, nodes)?;
                outcome.judged.moves.push((uci, score));
            }
        }
        Ok(())
    }
}
