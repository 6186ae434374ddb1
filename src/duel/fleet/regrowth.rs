//! The tree of the answers that were there in time.

use std::collections::HashSet;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::{Game, PositionKey, Value};
use crate::duel::error::DuelError;
use crate::duel::setting::{ChoiceRule, Setting};
use crate::tree::{Growth, Served, Server, Service, best_root_move, grow_by};

use super::DEEPEST;
use super::virtual_run::Searched;

/// A tree that is grown of known answers, as far as they go.
pub struct Regrowth<'a> {
    /// The tree, what the unfinished pass was answered admitted, too.
    pub growth: Growth,
    known: Known<'a>,
}

struct Known<'a> {
    searched: &'a Searched,
    used: HashSet<(PositionKey, usize)>,
    used_nodes: u64,
    /// The root's best move and its alpha when the greatest depth was settled.
    settled: Option<(UciMove, Value)>,
}

impl<'a> Regrowth<'a> {
    /// Grows the tree.
    pub fn of(
        position: &Chess,
        setting: &Setting,
        searched: &'a Searched,
    ) -> Result<Regrowth<'a>, DuelError> {
        let growth = Growth::new(&Game::from_position(position.clone()), setting.distance);
        let known = Known { searched, used: HashSet::new(), used_nodes: 0, settled: None };
        let mut regrowth = Regrowth { growth, known };
        grow_by(&mut regrowth.growth, &mut regrowth.known)?;
        Ok(regrowth)
    }

    /// The time of the answers in the tree.
    pub fn used_nodes(&self) -> u64 {
        self.known.used_nodes
    }

    /// The move that a rule chooses, with its alpha; none where no answer of the root was there in time.
    pub fn choice(&self, rule: ChoiceRule) -> Option<(UciMove, Value)> {
        let settled = self.known.settled.filter(|_| rule == ChoiceRule::Settled);
        settled.or_else(|| best(&self.growth))
    }
}

fn best(growth: &Growth) -> Option<(UciMove, Value)> {
    best_root_move(growth.graph(), growth.values(), growth.root())
}

impl Server for Known<'_> {
    type End = ();
    type Error = DuelError;

    fn before_pass(&mut self, growth: &mut Growth) -> Result<Option<()>, DuelError> {
        Ok((growth.depth() > DEEPEST).then_some(()))
    }

    fn serve(
        &mut self,
        growth: &mut Growth,
        mut services: Vec<Service>,
    ) -> Result<Served<()>, DuelError> {
        let served: Vec<bool> =
            services.iter_mut().map(|service| self.serve_one(growth, service)).collect();
        if served.iter().all(|is_served| *is_served) {
            // A pass without a request settles the depth.
            if services.is_empty() {
                self.settled = best(growth);
            }
            return Ok(Served::Answers(services));
        }
        let lists = services.iter().filter(|service| !service.answers().is_empty());
        let lists = lists.map(|service| (service.node(), service.answers().to_vec()));
        growth.admit(lists.collect())?;
        Ok(Served::End(()))
    }
}

impl Known<'_> {
    /// Serves a position as far as its answers are known; says whether that is to its end.
    fn serve_one(&mut self, growth: &Growth, service: &mut Service) -> bool {
        let position = PositionKey::of(&growth.position(service.node()));
        while service.wants_search() {
            let key = (position, service.next_rank());
            let Some(answer) = self.searched.answers.get(&key) else {
                return false;
            };
            if self.used.insert(key) {
                self.used_nodes = self.used_nodes.saturating_add(answer.nodes);
            }
            service.answer(answer.uci, answer.value);
        }
        true
    }
}
