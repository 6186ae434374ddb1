//! A position's lists of moves.

use shakmaty::Chess;

use crate::chess::epd_of;
use crate::duel::arm::tree_arm;
use crate::duel::error::DuelError;
use crate::duel::fleet::{Fleet, Memo, Shares, fleet_arm};
use crate::duel::lane::SearcherOracle;
use crate::duel::setting::Setting;
use crate::run::SerialSearcher;
use crate::search::{Limit, Reply};
use crate::store::Store;

use super::contest::{AlternativesContest, AlternativesOutcome, MoveList};
use super::judging::judge;

/// What works on one position at a time.
pub struct AlternativesLane {
    /// The memo.
    pub store: Store,
    /// The arms' engine.
    pub player: SerialSearcher,
    /// The judge's.
    pub judge: SerialSearcher,
}

impl AlternativesLane {
    /// All arms' lists of a position, and the judge's.
    ///
    /// # Errors
    ///
    /// What was answered is kept.
    pub fn play(
        &mut self,
        position: &Chess,
        contest: &AlternativesContest,
    ) -> Result<AlternativesOutcome, DuelError> {
        let searches = contest.searches().into_iter();
        let searches = searches.map(|nodes| self.search(position, nodes, contest));
        let searches = searches.collect::<Result<_, _>>()?;
        let mut trees = Vec::new();
        for engines in contest.fleets() {
            let settings = contest.settings.iter();
            let lists = settings.map(|setting| self.tree(position, engines, setting, contest));
            trees.push(lists.collect::<Result<_, _>>()?);
        }
        let judged = judge(&mut self.store, &mut self.judge, position, contest)?;
        Ok(AlternativesOutcome { searches, trees, judged })
    }

    fn search(
        &mut self,
        position: &Chess,
        nodes: u64,
        contest: &AlternativesContest,
    ) -> Result<MoveList, DuelError> {
        let limit = Limit::Nodes(nodes);
        let replies = self.player.list(&mut self.store, position, contest.moves, limit)?;
        let nodes = replies.first().map_or(0, |reply| reply.nodes);
        if nodes == 0 {
            return Err(DuelError::NoNodes(contest.player.engine.clone()));
        }
        let moves = replies.iter().map(|Reply { uci, score, .. }| (*uci, *score)).collect();
        Ok(MoveList { moves, nodes, searches: 1 })
    }

    fn tree(
        &mut self,
        position: &Chess,
        engines: Option<u32>,
        setting: &Setting,
        contest: &AlternativesContest,
    ) -> Result<MoveList, DuelError> {
        let (store, searcher) = (&mut self.store, &mut self.player);
        let mut list = match engines {
            None => {
                let mut oracle = SearcherOracle { store, searcher };
                let arm = tree_arm(position, contest.nodes, setting, &mut oracle)?;
                let arm = arm.ok_or_else(|| DuelError::NoMove(epd_of(position)))?;
                MoveList { moves: arm.listed, nodes: arm.nodes, searches: arm.searches }
            }
            Some(engines) => {
                let fleet = Fleet { engines, time: contest.nodes };
                let mut memo = Memo { store, searcher };
                let arm = fleet_arm(position, fleet, setting, &contest.player, &mut memo)?;
                let Shares { used, unused, unfinished, .. } = arm.shares;
                let nodes = used + unused + unfinished;
                MoveList { moves: arm.listed, nodes, searches: arm.searches }
            }
        };
        list.moves.truncate(contest.moves);
        Ok(list)
    }
}
