//! The look-ahead: likely requests of coming passes, if the missing answers are as expected.
//!
//! A scenario is the tree itself, grown on for a moment: known answers count, a missing one is
//! wanted, and assumed as expected, so that what follows from it is wanted, too. A want is always
//! the next rank of a list whose earlier ranks are real answers, so that its answer can be kept
//! whatever comes of the scenario.

use hashbrown::{HashMap, HashSet};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::{PositionKey, Value, Wdl};

use super::graph::NodeId;
use super::growth::{Growth, IllegalMove};
use super::move_counts::MoveCounts;
use super::passes::{Served, Server, grow_by};
use super::visit::service::Service;
use super::work::{Spent, Work};

/// Steps to serve a position, and each of its answers, the answer's place in the tree included.
const SERVED: u64 = 20;
const ANSWERED: u64 = 30;

/// Answers known and expected beyond a tree.
pub trait Outlook {
    /// The answer of a rank, if it has been given.
    fn answer(&mut self, position: &Chess, rank: usize) -> Option<(UciMove, Value)>;

    /// The tables' result of a position for its side to move, if looked up, even if it is none.
    fn fact(&mut self, position: &Chess) -> Option<Option<Wdl>> {
        let _ = position;
        None
    }

    /// How often people play each move of a position of a tree, if that is known.
    fn counts(&mut self, tree: &Growth, position: &PositionKey) -> Option<MoveCounts> {
        let _ = (tree, position);
        None
    }

    /// The likely answer of an engine in a position with the moves `before` listed or expected.
    fn expected(&mut self, position: &Chess, before: &[UciMove]) -> Option<(UciMove, Value)>;
}

/// Limits of a scenario.
#[derive(Debug, Clone, Copy)]
pub struct Horizon {
    /// Passes, the one that is being served included.
    pub passes: u32,
    /// The greatest depth that is looked at.
    pub depth: u32,
    /// Steps after which it breaks off at any point, for the run waits meanwhile: a new depth may
    /// visit everything, and an answer may change the values of many positions.
    pub work: u64,
    /// Wants after which it ends.
    pub wants: usize,
}

/// A search that a scenario would have made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Want {
    /// The position.
    pub position: Chess,
    /// Its list: real answers, in rank order.
    pub excluded: Vec<UciMove>,
    /// The pass of the scenario in which it came up; 0 is the one being served.
    pub pass: u32,
    /// Number of guessed moves that lead to it: the tree has it only if each of them is the
    /// engine's answer.
    pub guesses: u32,
}

/// Grows a tree on from a pass being served, and undoes that; returns the searches it lacked, the
/// nearest first, each position once.
pub fn scenario(
    growth: &mut Growth,
    services: &[Service],
    horizon: Horizon,
    outlook: &mut dyn Outlook,
) -> Vec<Want> {
    growth.begin_trial(Work::up_to(horizon.work));
    let mut scenario = Scenario::new(growth, services.to_vec(), horizon, outlook);
    // Known and expected answers are legal; otherwise the scenario ends there.
    let _ = grow_by(growth, &mut scenario);
    growth.end_trial();
    let Scenario { counted, wants, .. } = scenario;
    growth.forget_counts(&counted);
    wants
}

struct Scenario<'a> {
    outlook: &'a mut dyn Outlook,
    horizon: Horizon,
    /// The requests of the pass that is being served, before the scenario's own.
    first: Option<Vec<Service>>,
    /// Passes so far.
    pass: u32,
    /// Nodes of the tree itself; those behind are the scenario's.
    real: usize,
    /// Positions with a wanted search: nothing real can be said of their next rank.
    wanted: HashSet<NodeId>,
    /// Wanted positions with expected moves, and the number of real moves before those.
    guessed: HashMap<NodeId, usize>,
    /// The least number of guessed moves on a way to a position that is not the tree's.
    guesses: HashMap<NodeId, u32>,
    /// Positions that tables may know and that were not looked up: they may be ends.
    unknown: HashSet<PositionKey>,
    /// Positions whose counts were asked for: the tree may come to them by another line.
    counted: Vec<PositionKey>,
    /// The positions whose answers the pass before has admitted.
    served: Vec<NodeId>,
    wants: Vec<Want>,
}

impl Server for Scenario<'_> {
    type End = ();
    type Error = IllegalMove;

    fn before_pass(&mut self, growth: &mut Growth) -> Result<Option<()>, IllegalMove> {
        self.count_guesses(growth);
        let Horizon { passes, depth, wants, .. } = self.horizon;
        let done = self.pass >= passes
            || self.pass > 0 && (self.wants.len() >= wants || growth.depth() > depth)
            || growth.work().is_spent();
        Ok(done.then_some(()))
    }

    fn requests(&mut self, growth: &mut Growth) -> Vec<Service> {
        if let Some(services) = self.first.take() {
            return services;
        }
        let mut services = growth.requests();
        services.retain(|service| {
            let node = service.node();
            !self.wanted.contains(&node) || self.guessed.contains_key(&node)
        });
        services
    }

    fn serve(
        &mut self,
        growth: &mut Growth,
        mut services: Vec<Service>,
    ) -> Result<Served<()>, IllegalMove> {
        for service in &mut services {
            if self.serve_one(growth, service).is_err() {
                return Ok(Served::End(()));
            }
        }
        self.look_up(growth, &services)?;
        self.pass += 1;
        services.retain(|service| !service.answers().is_empty());
        self.served = services.iter().map(Service::node).collect();
        Ok(Served::Answers(services))
    }
}

impl<'a> Scenario<'a> {
    fn new(
        growth: &Growth,
        services: Vec<Service>,
        horizon: Horizon,
        outlook: &'a mut dyn Outlook,
    ) -> Scenario<'a> {
        Scenario {
            outlook,
            horizon,
            first: Some(services),
            pass: 0,
            real: growth.graph().len(),
            wanted: HashSet::new(),
            guessed: HashMap::new(),
            guesses: HashMap::new(),
            unknown: HashSet::new(),
            counted: Vec::new(),
            served: Vec::new(),
            wants: Vec::new(),
        }
    }

    /// Notes the number of guessed moves to the positions behind admitted answers.
    fn count_guesses(&mut self, growth: &Growth) {
        for node in std::mem::take(&mut self.served) {
            let guesses = self.guesses_to(node);
            let real = self.guessed.get(&node).copied().unwrap_or(usize::MAX);
            for (rank, edge) in growth.graph().list(node).iter().enumerate() {
                self.note_guesses(edge.child, guesses + u32::from(rank >= real));
            }
            // These are followed whatever the position's own answer is.
            let graph = growth.graph();
            for followed in graph.included(node).iter().chain(graph.played(node)) {
                self.note_guesses(followed.child, guesses);
            }
        }
    }

    fn note_guesses(&mut self, node: NodeId, guesses: u32) {
        if node.index() >= self.real {
            let least = self.guesses.entry(node).or_insert(guesses);
            *least = guesses.min(*least);
        }
    }

    fn guesses_to(&self, node: NodeId) -> u32 {
        self.guesses.get(&node).copied().unwrap_or(0)
    }

    /// Serves a position as far as answers are known, wants the next one, and assumes the expected
    /// one.
    fn serve_one(&mut self, growth: &mut Growth, service: &mut Service) -> Result<(), Spent> {
        growth.spend(SERVED)?;
        let (node, position) = (service.node(), growth.position(service.node()));
        while service.wants_search() {
            growth.spend(ANSWERED)?;
            let rank = service.next_rank();
            if let Some((uci, eval)) = self.outlook.answer(&position, rank) {
                service.answer(uci, eval);
                continue;
            }
            let listed = growth.graph().list(node).iter().map(|edge| edge.uci.unpack());
            let before: Vec<UciMove> =
                listed.chain(service.answers().iter().map(|(uci, _)| *uci)).collect();
            let is_unknown = self.unknown.contains(&PositionKey::of(&position));
            if self.wanted.insert(node) && !is_unknown {
                self.want(service, &position, before.clone());
            }
            let Some((uci, eval)) = self.outlook.expected(&position, &before) else {
                break;
            };
            self.guessed.entry(node).or_insert(rank);
            service.answer(uci, eval);
        }
        Ok(())
    }

    /// Looks up positions that games and tables may have.
    fn look_up(&mut self, growth: &mut Growth, services: &[Service]) -> Result<(), IllegalMove> {
        for key in growth.to_count(services) {
            let counts = self.outlook.counts(growth, &key);
            growth.learn_counts(counts.map(|counts| (key, counts)));
            self.counted.push(key);
        }
        for position in growth.to_look_up(services)? {
            match self.outlook.fact(&position) {
                Some(fact) => growth.learn([(PositionKey::of(&position), fact)]),
                None => _ = self.unknown.insert(PositionKey::of(&position)),
            }
        }
        Ok(())
    }

    fn want(&mut self, service: &Service, position: &Chess, excluded: Vec<UciMove>) {
        let guesses = self.guesses_to(service.node());
        self.wants.push(Want { position: position.clone(), excluded, pass: self.pass, guesses });
    }
}

#[cfg(test)]
mod tests;
