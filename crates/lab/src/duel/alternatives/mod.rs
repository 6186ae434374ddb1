//! Alternatives: the best moves of a position with their scores, by a tree and by one search with `MultiPV`, against
//! a judge's. `docs/measurements/2026-11-worth.md` defines all of it.

pub mod summary;
pub mod tally;

use std::cmp::Reverse;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::duel::question::Reply;
use deepanalyze_core::chess::{Score, Value, epd_of};
use deepanalyze_core::search::{Limit, Profile};

use crate::duel::arm::tree_arm;
use crate::duel::fleet::arm::{TimeShares, fleet_arm};
use crate::duel::fleet::virtual_run::Fleet;
use crate::duel::judging::centipawns;
use crate::duel::lane::{DuelLane, judged_score};
use crate::duel::nodes::summary::Counting;
use crate::duel::run::{Contest, DuelError};
use crate::duel::setting::Setting;
use crate::duel::suite::{Suite, SuitePosition};

/// The inputs of a duel of alternatives, besides the answers.
#[derive(Debug, Clone)]
pub struct AlternativesContest {
    /// The positions.
    pub suite: Suite,
    /// The arms' engine.
    pub player: Profile,
    /// Number of moves wanted.
    pub moves: usize,
    /// Engine nodes of each arm; with several engines those of one of them in the time that all
    /// have.
    pub nodes: u64,
    /// Numbers of engines on a tree; empty if a tree has one engine and as many nodes as the
    /// search.
    pub engines: Vec<u32>,
    /// The trees.
    pub settings: Vec<Setting>,
    /// The judge's engine.
    pub judge: Profile,
    /// Nodes of the judge's list.
    pub judge_nodes: u64,
    /// How results are counted.
    pub counting: Counting,
}

impl AlternativesContest {
    /// The nodes of the searches with `MultiPV`, in ascending order: equal time, and for each number of engines
    /// equal nodes.
    pub fn searches(&self) -> Vec<u64> {
        let more = self.engines.iter().map(|engines| self.nodes_of(*engines));
        let mut all: Vec<u64> = std::iter::once(self.nodes).chain(more).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Nodes of `engines` engines in the time of one.
    pub fn nodes_of(&self, engines: u32) -> u64 {
        self.nodes.saturating_mul(u64::from(engines))
    }

    /// The nodes of the judge's search of one move's position: its list is one of several, too.
    pub fn nodes_of_move(&self) -> u64 {
        let moves = u64::try_from(self.moves).unwrap_or(u64::MAX);
        (self.judge_nodes / moves.max(1)).max(1)
    }

    /// The trees' numbers of engines, `None` for one engine with equal nodes: in the order of
    /// [`AlternativesOutcome::trees`].
    pub fn fleets(&self) -> Vec<Option<u32>> {
        if self.engines.is_empty() {
            vec![None]
        } else {
            self.engines.iter().copied().map(Some).collect()
        }
    }
}

/// An arm's best moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankedMoves {
    /// At most as many as wanted, best first, with the arm's score of each, for their mover.
    pub moves: Vec<(UciMove, Score)>,
    /// Engine nodes searched for it.
    pub nodes: u64,
    /// Answers in the tree; 1 for one search.
    pub searches: u64,
}

impl RankedMoves {
    /// A move's place, from 0, and the arm's centipawns for it, if listed.
    pub fn of(&self, uci: UciMove) -> Option<(usize, i32)> {
        let place = self.moves.iter().position(|(listed, _)| *listed == uci)?;
        self.moves.get(place).map(|(_, score)| (place, centipawns(*score)))
    }
}

/// Outcome of one position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlternativesOutcome {
    /// The searches with `MultiPV`, by nodes.
    pub searches: Vec<RankedMoves>,
    /// The trees: for each number of engines those of all settings.
    pub trees: Vec<Vec<RankedMoves>>,
    /// The judge's best moves, best first, with its scores for their mover.
    pub judged: Vec<(UciMove, Score)>,
}

impl Contest for AlternativesContest {
    type Outcome = AlternativesOutcome;

    fn suite(&self) -> &Suite {
        &self.suite
    }

    /// All arms' lists of a position, and the judge's.
    fn play(
        &self,
        entry: &SuitePosition,
        lane: &mut DuelLane,
    ) -> Result<AlternativesOutcome, DuelError> {
        let position = &entry.position;
        let searches = self.searches().into_iter();
        let searches = searches.map(|nodes| self.search(position, nodes, lane));
        let searches = searches.collect::<Result<_, _>>()?;
        let mut trees = Vec::new();
        for engines in self.fleets() {
            let settings = self.settings.iter();
            let lists = settings.map(|setting| self.tree(position, engines, setting, lane));
            trees.push(lists.collect::<Result<_, _>>()?);
        }
        Ok(AlternativesOutcome { searches, trees, judged: judge(lane, position, self)? })
    }
}

impl AlternativesContest {
    fn search(
        &self,
        position: &Chess,
        nodes: u64,
        lane: &mut DuelLane,
    ) -> Result<RankedMoves, DuelError> {
        let limit = Limit::Nodes(nodes);
        let replies = lane.lister.list(&mut lane.store, position, self.moves, limit)?;
        let nodes = replies.first().map_or(0, |reply| reply.nodes);
        if nodes == 0 {
            return Err(DuelError::NoNodes(self.player.engine.clone()));
        }
        let moves = replies.iter().map(|Reply { uci, score, .. }| (*uci, *score)).collect();
        Ok(RankedMoves { moves, nodes, searches: 1 })
    }

    fn tree(
        &self,
        position: &Chess,
        engines: Option<u32>,
        setting: &Setting,
        lane: &mut DuelLane,
    ) -> Result<RankedMoves, DuelError> {
        let mut list = match engines {
            None => {
                let arm = tree_arm(position, self.nodes, setting, &mut lane.player())?;
                let arm = arm.ok_or_else(|| DuelError::NoMove(epd_of(position)))?;
                RankedMoves { moves: arm.listed, nodes: arm.nodes, searches: arm.searches }
            }
            Some(engines) => {
                let fleet = Fleet { engines, time: self.nodes };
                let arm = fleet_arm(position, fleet, setting, &self.player, &mut lane.player())?;
                let TimeShares { used, unused, unfinished, closing, idle: _ } = arm.shares;
                let nodes = used + unused + unfinished + closing;
                RankedMoves { moves: arm.listed, nodes, searches: arm.searches }
            }
        };
        list.moves.truncate(self.moves);
        Ok(list)
    }
}

/// Moves that the judge looks at beyond those wanted: a move slightly too low in its list may be
/// among the best.
pub const MORE: usize = 2;

/// The judge's best moves with its scores: its own list, then the position after each of its moves
/// alone. In a list the moves share one hash and one window of scores, as those of an arm do: the
/// judge's scores must not.
pub fn judge(
    lane: &mut DuelLane,
    position: &Chess,
    contest: &AlternativesContest,
) -> Result<Vec<(UciMove, Score)>, DuelError> {
    let DuelLane { store, judge: Some(judge), judges_lister: Some(lister), .. } = lane else {
        return Ok(Vec::new());
    };
    let (moves, limit) = (contest.moves + MORE, Limit::Nodes(contest.judge_nodes));
    let mut scored = Vec::new();
    for reply in lister.list(store, position, moves, limit)? {
        let score = judged_score(store, judge, position, reply.uci, contest.nodes_of_move())?;
        scored.push((reply.uci, score));
    }
    Ok(best_of(scored, contest.moves))
}

/// The `moves` best moves, best first; ties keep their order.
fn best_of(mut scored: Vec<(UciMove, Score)>, moves: usize) -> Vec<(UciMove, Score)> {
    scored.sort_by_key(|(_, score)| Reverse(Value::from(*score)));
    scored.truncate(moves);
    scored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_come_first_mates_lead_and_ties_keep_order() {
        let scored = [
            ("a2a3", Score::Cp(10)),
            ("b2b3", Score::Cp(-5)),
            ("c2c3", Score::Mate(3)),
            ("d2d3", Score::Cp(10)),
            ("e2e3", Score::Mate(-2)),
            ("f2f3", Score::Mate(2)),
        ];
        let scored: Vec<_> =
            scored.iter().map(|(uci, score)| (uci.parse().unwrap(), *score)).collect();
        let best = |moves| {
            let best: Vec<String> =
                best_of(scored.clone(), moves).iter().map(|(uci, _)| uci.to_string()).collect();
            best.join(" ")
        };
        assert_eq!(best(4), "f2f3 c2c3 a2a3 d2d3");
        assert_eq!(best(9), "f2f3 c2c3 a2a3 d2d3 b2b3 e2e3");
    }
}
