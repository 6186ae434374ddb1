//! The trees of the answers in time: one, or one for each stage.

use std::collections::HashSet;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey, Value};
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::{Growth, Served, Server, Service, best_root_move, grow_by};
use deepanalyze_view::speaks;

use crate::duel::fleet::virtual_run::Searched;
use crate::duel::run::DuelError;
use crate::duel::setting::Setting;

use super::target;

/// A tree grown from known answers, as far as they go.
pub struct Regrowth<'a> {
    /// The tree, with the answers of the unfinished pass.
    pub growth: Growth,
    known: KnownAnswers<'a>,
}

/// The trees of all begun stages, the shallowest first; one without stages.
pub struct RegrownStages<'a> {
    /// At least one.
    all: Vec<Regrowth<'a>>,
    speaks: usize,
}

impl<'a> RegrownStages<'a> {
    /// Grows the trees.
    pub fn of(
        position: &Chess,
        setting: &Setting,
        searched: &'a Searched,
    ) -> Result<RegrownStages<'a>, DuelError> {
        let (mut all, mut settled) = (Vec::new(), Vec::new());
        let depth = target(setting.schedule);
        for limit in setting.schedule.limits() {
            let of_limit = Regrowth::of(position, setting, limit, depth, searched)?;
            let last = of_limit.growth.settled().last().map(|last| last.depth);
            all.push(of_limit);
            settled.push(last);
            if last.is_none_or(|last| last < depth) {
                break;
            }
        }
        Ok(RegrownStages { all, speaks: speaks(&settled) })
    }

    /// The one that counts.
    pub fn speaking(&self) -> Option<&Regrowth<'a>> {
        self.all.get(self.speaks)
    }

    /// The time of the answers in all trees.
    pub fn used_nodes(&self) -> u64 {
        self.all.iter().map(|stage| stage.known.used_nodes).sum()
    }

    /// The answers in all trees.
    pub fn searches(&self) -> u64 {
        self.all.iter().map(|stage| stage.growth.searches()).sum()
    }
}

struct KnownAnswers<'a> {
    searched: &'a Searched,
    limit: Limit,
    /// The greatest depth to settle.
    depth: u32,
    used: HashSet<(Limit, PositionKey, usize)>,
    used_nodes: u64,
}

impl<'a> Regrowth<'a> {
    fn of(
        position: &Chess,
        setting: &Setting,
        limit: Limit,
        depth: u32,
        searched: &'a Searched,
    ) -> Result<Regrowth<'a>, DuelError> {
        let growth = Growth::new(&Game::from_position(position.clone()), setting.breadth());
        let known = KnownAnswers { searched, limit, depth, used: HashSet::new(), used_nodes: 0 };
        let mut regrowth = Regrowth { growth, known };
        grow_by(&mut regrowth.growth, &mut regrowth.known)?;
        Ok(regrowth)
    }

    /// The limit of its searches.
    pub fn limit(&self) -> Limit {
        self.known.limit
    }

    /// The best move, with its alpha; `None` if no answer of the root was in time.
    pub fn best(&self) -> Option<(UciMove, Value)> {
        let growth = &self.growth;
        best_root_move(growth.graph(), growth.values(), growth.root())
    }
}

impl Server for KnownAnswers<'_> {
    type End = ();
    type Error = DuelError;

    fn before_pass(&mut self, growth: &mut Growth) -> Result<Option<()>, DuelError> {
        Ok((growth.depth() > self.depth).then_some(()))
    }

    fn serve(
        &mut self,
        growth: &mut Growth,
        mut services: Vec<Service>,
    ) -> Result<Served<()>, DuelError> {
        let served: Vec<bool> =
            services.iter_mut().map(|service| self.serve_one(growth, service)).collect();
        if served.iter().all(|is_served| *is_served) {
            return Ok(Served::Answers(services));
        }
        let lists = services.iter().filter(|service| !service.answers().is_empty());
        let lists = lists.map(|service| (service.node(), service.answers().to_vec()));
        growth.admit(lists.collect())?;
        Ok(Served::End(()))
    }
}

impl KnownAnswers<'_> {
    /// Serves a position as far as its answers are known; true if to its end.
    fn serve_one(&mut self, growth: &Growth, service: &mut Service) -> bool {
        let position = PositionKey::of(&growth.position(service.node()));
        while service.wants_search() {
            let key = (self.limit, position, service.next_rank());
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
