//! A position's lists of moves.

use shakmaty::Chess;

use crate::duels::arm::tree_arm;
use crate::duels::error::DuelError;
use crate::duels::fleet::{Fleet, Shares, fleet_arm};
use crate::duels::lane::Lane;
use crate::duels::run::Contest;
use crate::duels::setting::Setting;
use crate::duels::suite::{Entry, Suite};
use deepanalyze_core::chess::epd_of;
use deepanalyze_core::search::{Limit, Reply};

use super::contest::{AlternativesContest, AlternativesOutcome, MoveList};
use super::judging::judge;

impl Contest for AlternativesContest {
    type Outcome = AlternativesOutcome;

    fn suite(&self) -> &Suite {
        &self.suite
    }

    /// All arms' lists of a position, and the judge's.
    fn play(&self, entry: &Entry, lane: &mut Lane) -> Result<AlternativesOutcome, DuelError> {
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
    fn search(&self, position: &Chess, nodes: u64, lane: &mut Lane) -> Result<MoveList, DuelError> {
        let limit = Limit::Nodes(nodes);
        let replies = lane.player.list(&mut lane.store, position, self.moves, limit)?;
        let nodes = replies.first().map_or(0, |reply| reply.nodes);
        if nodes == 0 {
            return Err(DuelError::NoNodes(self.player.engine.clone()));
        }
        let moves = replies.iter().map(|Reply { uci, score, .. }| (*uci, *score)).collect();
        Ok(MoveList { moves, nodes, searches: 1 })
    }

    fn tree(
        &self,
        position: &Chess,
        engines: Option<u32>,
        setting: &Setting,
        lane: &mut Lane,
    ) -> Result<MoveList, DuelError> {
        let mut list = match engines {
            None => {
                let arm = tree_arm(position, self.nodes, setting, &mut lane.player())?;
                let arm = arm.ok_or_else(|| DuelError::NoMove(epd_of(position)))?;
                MoveList { moves: arm.listed, nodes: arm.nodes, searches: arm.searches }
            }
            Some(engines) => {
                let fleet = Fleet { engines, time: self.nodes };
                let arm = fleet_arm(position, fleet, setting, &self.player, &mut lane.player())?;
                let Shares { used, unused, unfinished, closing, idle: _ } = arm.shares;
                let nodes = used + unused + unfinished + closing;
                MoveList { moves: arm.listed, nodes, searches: arm.searches }
            }
        };
        list.moves.truncate(self.moves);
        Ok(list)
    }
}
