//! The look-ahead: what coming passes will probably ask, were the answers that are missing as
//! expected.
//!
//! A scenario is a scratch copy of a tree grown on: answers that are known count, a missing one is
//! wanted, and taken as it is expected, so that what would follow from it is wanted, too. A want is
//! always the next rank of a list whose earlier ranks are real answers, so that its answer can be
//! kept whatever comes of the scenario.

use hashbrown::{HashMap, HashSet};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::Value;

use super::graph::NodeId;
use super::growth::Growth;
use super::service::Service;
use super::values::Values;

/// What is known and expected beyond a tree.
pub trait Outlook {
    /// The answer of a rank, where it has been given.
    fn answer(&mut self, position: &Chess, rank: usize) -> Option<(UciMove, Value)>;

    /// What an engine will probably say of a position that has no answer.
    fn expected(&mut self, position: &Chess) -> Option<(UciMove, Value)>;
}

/// How far a scenario goes.
#[derive(Debug, Clone, Copy)]
pub struct Horizon {
    /// Passes, the one that is being served included.
    pub passes: u32,
    /// The greatest depth that is looked at.
    pub depth: u32,
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
    /// In which pass of the scenario it came up; 0 is the one that is being served.
    pub pass: u32,
    /// How many of the moves that lead to it were guessed: the tree has it only if each of them is
    /// what the engine says.
    pub guesses: u32,
}

/// Grows a scratch copy of a tree on from a pass that is being served; gives what it lacked, the
/// nearest first, each position once.
pub fn scenario(
    growth: &Growth,
    services: &[Service],
    horizon: Horizon,
    outlook: &mut dyn Outlook,
) -> Vec<Want> {
    let mut scenario = Scenario::new(growth, outlook);
    let mut services = services.to_vec();
    for pass in 0..horizon.passes {
        for service in &mut services {
            scenario.serve(service, pass);
        }
        services.retain(|service| !service.answers().is_empty());
        let enough = scenario.wants.len() >= horizon.wants;
        scenario.finish_pass(services);
        if enough || scenario.growth.depth() > horizon.depth {
            break;
        }
        services = scenario.requests();
    }
    scenario.wants
}

struct Scenario<'a> {
    growth: Growth,
    outlook: &'a mut dyn Outlook,
    /// Nodes of the tree itself; those behind were come upon by the scenario.
    real: usize,
    /// Positions of which a search is wanted: nothing real can be said of their next rank.
    wanted: HashSet<NodeId>,
    /// Those among them that were given their expected move.
    guessed: HashSet<NodeId>,
    /// The least number of guessed moves on a way to a position that is not the tree's.
    guesses: HashMap<NodeId, u32>,
    wants: Vec<Want>,
}

impl<'a> Scenario<'a> {
    fn new(growth: &Growth, outlook: &'a mut dyn Outlook) -> Scenario<'a> {
        Scenario {
            growth: growth.clone(),
            outlook,
            real: growth.graph().len(),
            wanted: HashSet::new(),
            guessed: HashSet::new(),
            guesses: HashMap::new(),
            wants: Vec::new(),
        }
    }

    fn requests(&self) -> Vec<Service> {
        let values = Values::of(self.growth.graph());
        let mut services = self.growth.requests(&values);
        services.retain(|service| !self.wanted.contains(&service.node()));
        services
    }

    fn finish_pass(&mut self, services: Vec<Service>) {
        let nodes: Vec<NodeId> = services.iter().map(Service::node).collect();
        self.growth.finish_pass(services);
        for node in nodes {
            let guesses = self.guesses_to(node) + u32::from(self.guessed.contains(&node));
            for edge in self.growth.graph().list(node) {
                if edge.child.index() >= self.real {
                    let least = self.guesses.entry(edge.child).or_insert(guesses);
                    *least = guesses.min(*least);
                }
            }
        }
    }

    fn guesses_to(&self, node: NodeId) -> u32 {
        self.guesses.get(&node).copied().unwrap_or(0)
    }

    /// Serves a position as far as answers are known, and wants the next one. A new position is
    /// then given its expected move; of an alternative only its effect is expected: it completes
    /// the list.
    fn serve(&mut self, service: &mut Service, pass: u32) {
        let position = self.growth.position(service.node());
        while service.wants_search() {
            let rank = service.next_rank();
            if let Some((uci, eval)) = self.outlook.answer(&position, rank) {
                service.answer(uci, eval);
                continue;
            }
            self.wanted.insert(service.node());
            self.want(service, &position, pass);
            if rank == 0
                && let Some((uci, eval)) = self.outlook.expected(&position)
            {
                self.guessed.insert(service.node());
                service.answer(uci, eval);
            }
            return;
        }
    }

    fn want(&mut self, service: &Service, position: &Chess, pass: u32) {
        let listed = self.growth.graph().list(service.node()).iter().map(|edge| edge.uci.unpack());
        let excluded = listed.chain(service.answers().iter().map(|(uci, _)| *uci)).collect();
        let guesses = self.guesses_to(service.node());
        self.wants.push(Want { position: position.clone(), excluded, pass, guesses });
    }
}
