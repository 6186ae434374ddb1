//! The look-ahead: what coming passes will probably ask, were the answers that are missing as
//! expected.
//!
//! A scenario is a scratch copy of a tree grown on: answers that are known count, a missing one is
//! wanted, and taken as it is expected, so that what would follow from it is wanted, too. A want is
//! always the next rank of a list whose earlier ranks are real answers, so that its answer can be
//! kept whatever comes of the scenario.

use hashbrown::HashSet;
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
}

/// Grows a scratch copy of a tree on from a pass that is being served; gives what it lacked, the
/// nearest first, each position once.
pub fn scenario(
    growth: &Growth,
    services: &[Service],
    horizon: Horizon,
    outlook: &mut dyn Outlook,
) -> Vec<Want> {
    let mut scenario =
        Scenario { growth: growth.clone(), outlook, guessed: HashSet::new(), wants: Vec::new() };
    let mut services = services.to_vec();
    for pass in 0..horizon.passes {
        for service in &mut services {
            scenario.serve(service, pass);
        }
        services.retain(|service| !service.answers().is_empty());
        let enough = scenario.wants.len() >= horizon.wants;
        scenario.growth.finish_pass(services);
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
    /// Positions of which a search is wanted: nothing real can be said of their next rank.
    guessed: HashSet<NodeId>,
    wants: Vec<Want>,
}

impl Scenario<'_> {
    fn requests(&self) -> Vec<Service> {
        let values = Values::of(self.growth.graph());
        let mut services = self.growth.requests(&values);
        services.retain(|service| !self.guessed.contains(&service.node()));
        services
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
            self.guessed.insert(service.node());
            self.want(service, &position, pass);
            if rank == 0
                && let Some((uci, eval)) = self.outlook.expected(&position)
            {
                service.answer(uci, eval);
            }
            return;
        }
    }

    fn want(&mut self, service: &Service, position: &Chess, pass: u32) {
        let listed = self.growth.graph().list(service.node()).iter().map(|edge| edge.uci.unpack());
        let excluded = listed.chain(service.answers().iter().map(|(uci, _)| *uci)).collect();
        self.wants.push(Want { position: position.clone(), excluded, pass });
    }
}
