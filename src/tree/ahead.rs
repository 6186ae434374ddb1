//! The look-ahead: what coming passes will probably ask, were the answers that are missing as
//! expected.
//!
//! A scenario is the tree itself, grown on for a moment: answers that are known count, a missing one is
//! wanted, and taken as it is expected, so that what would follow from it is wanted, too. A want is
//! always the next rank of a list whose earlier ranks are real answers, so that its answer can be
//! kept whatever comes of the scenario.

use hashbrown::{HashMap, HashSet};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::Value;

use super::graph::NodeId;
use super::growth::{Growth, IllegalMove};
use super::service::Service;

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
    /// Visits of positions after which it is broken off: a new depth may visit everything, and the run
    /// waits meanwhile.
    pub visits: u64,
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

/// Grows a tree on from a pass that is being served, and takes that back; gives what it lacked, the
/// nearest first, each position once.
pub fn scenario(
    growth: &mut Growth,
    services: &[Service],
    horizon: Horizon,
    outlook: &mut dyn Outlook,
) -> Vec<Want> {
    growth.begin_trial();
    let wants = wants(Scenario::new(growth, outlook), services.to_vec(), horizon);
    growth.end_trial();
    wants
}

fn wants(mut scenario: Scenario<'_>, mut services: Vec<Service>, horizon: Horizon) -> Vec<Want> {
    let last_visit = scenario.growth.visits() + horizon.visits;
    for pass in 0..horizon.passes {
        for service in &mut services {
            scenario.serve(service, pass);
        }
        services.retain(|service| !service.answers().is_empty());
        let visits = last_visit.saturating_sub(scenario.growth.visits());
        let enough = scenario.wants.len() >= horizon.wants || visits == 0;
        // What is known is legal, and so is what is expected: nothing else is taken.
        if scenario.finish_pass(services).is_err()
            || enough
            || scenario.growth.depth() > horizon.depth
        {
            break;
        }
        services = scenario.requests(visits);
    }
    scenario.wants
}

struct Scenario<'a> {
    growth: &'a mut Growth,
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
    fn new(growth: &'a mut Growth, outlook: &'a mut dyn Outlook) -> Scenario<'a> {
        Scenario {
            real: growth.graph().len(),
            growth,
            outlook,
            wanted: HashSet::new(),
            guessed: HashSet::new(),
            guesses: HashMap::new(),
            wants: Vec::new(),
        }
    }

    fn requests(&mut self, visits: u64) -> Vec<Service> {
        let mut services = self.growth.requests_within(visits);
        services.retain(|service| !self.wanted.contains(&service.node()));
        services
    }

    fn finish_pass(&mut self, services: Vec<Service>) -> Result<(), IllegalMove> {
        let nodes: Vec<NodeId> = services.iter().map(Service::node).collect();
        self.growth.finish_pass(services)?;
        for node in nodes {
            let guesses = self.guesses_to(node) + u32::from(self.guessed.contains(&node));
            for edge in self.growth.graph().list(node) {
                if edge.child.index() >= self.real {
                    let least = self.guesses.entry(edge.child).or_insert(guesses);
                    *least = guesses.min(*least);
                }
            }
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Game, PositionKey, legal_uci};
    use crate::tree::requests as whole_requests;

    /// Made-up answers: every move of a position has a score of its own, the best comes first.
    fn answer(position: &Chess, rank: usize) -> Option<(UciMove, Value)> {
        use std::hash::{Hash, Hasher};
        let score = |uci: &UciMove| {
            let mut hasher = std::hash::DefaultHasher::new();
            (PositionKey::of(position), uci.to_string()).hash(&mut hasher);
            i64::try_from(hasher.finish() % 90).unwrap()
        };
        let mut moves: Vec<(i64, UciMove)> =
            legal_uci(position).into_iter().map(|uci| (score(&uci), uci)).collect();
        moves.sort_by_key(|(score, uci)| (std::cmp::Reverse(*score), uci.to_string()));
        moves.get(rank).map(|(score, uci)| (*uci, Value::new(*score - 60).unwrap()))
    }

    /// Knows some answers and expects the others, not always rightly.
    struct Half;

    impl Outlook for Half {
        fn answer(&mut self, position: &Chess, rank: usize) -> Option<(UciMove, Value)> {
            let known = legal_uci(position).len() % 3;
            answer(position, rank).filter(|_| known == 0)
        }

        fn expected(&mut self, position: &Chess) -> Option<(UciMove, Value)> {
            answer(position, 1)
        }
    }

    #[test]
    fn a_scenario_leaves_the_tree_as_it_was_and_says_what_is_wanted() {
        let start = Game::from_start("8/8/4k3/8/8/3K4/4P3/8 w - - 0 1").unwrap();
        let (mut growth, mut plain) = (Growth::new(&start, 100), Growth::new(&start, 100));
        let (horizon, mut wanted) = (Horizon { passes: 12, depth: 9, visits: 500, wants: 30 }, 0);
        while growth.searches() < 1500 {
            let mut services = growth.requests();
            let graph = plain.graph();
            let whole = whole_requests(graph, plain.values(), plain.root(), 100, plain.depth());
            assert_eq!(services, whole);
            plain.requests();
            let before = growth.graph().len();
            let wants = scenario(&mut growth, &services, horizon, &mut Half);
            assert_eq!((before, growth.depth()), (growth.graph().len(), plain.depth()));
            for want in &wants {
                assert_eq!(Half.answer(&want.position, want.excluded.len()), None, "it is known");
            }
            wanted += wants.len();
            for service in &mut services {
                let position = growth.position(service.node());
                while service.wants_search() {
                    let (uci, eval) = answer(&position, service.next_rank()).unwrap();
                    service.answer(uci, eval);
                }
            }
            growth.finish_pass(services.clone()).unwrap();
            plain.finish_pass(services).unwrap();
            for node in plain.graph().nodes() {
                assert_eq!(growth.graph().list(node), plain.graph().list(node));
                assert_eq!(growth.values().idea(node), plain.values().idea(node));
                assert_eq!(growth.ply(node), plain.ply(node));
                assert_eq!(growth.find(&PositionKey::of(&plain.position(node))), Some(node));
            }
        }
        assert!(wanted > 100 && growth.values().largest_component(growth.graph()) > 3, "{wanted}");
    }
}
