//! A tree grown search by search until its nodes are spent.

use std::collections::{HashMap, HashSet};

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::duel::question::{HashState, Question};
use deepanalyze_core::chess::{Game, Score, Value};
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::{
    Growth, NodeId, Served, Server, Service, best_root_move, first_lines, grow_by,
};

use crate::duel::arm::TreeArm;
use crate::duel::lane::Oracle;
use crate::duel::setting::Setting;

/// Depth limit of a tree: once all lines have ended, every further depth asks for nothing.
const DEEPEST: u32 = 100;

/// A tree that grows search by search.
pub struct TreeGrower<'a, O> {
    growth: Growth,
    searches: Searches<'a, O>,
}

/// The payment for a tree's searches, and their results.
struct Searches<'a, O> {
    allowance: Allowance,
    limit: Limit,
    memory: HashState<'a>,
    oracle: &'a mut O,
    /// Nodes of each position's counted searches.
    paid: HashMap<NodeId, u64>,
    uncounted: u64,
    /// The root moves that were best after a pass.
    led: Vec<UciMove>,
}

impl<O: Oracle> Server for Searches<'_, O> {
    type End = ();
    type Error = O::Error;

    fn before_pass(&mut self, growth: &mut Growth) -> Result<Option<()>, O::Error> {
        self.note_best(growth);
        let done = growth.depth() > DEEPEST || !self.allowance.is_left();
        Ok(done.then_some(()))
    }

    /// Admits the answers of an unfinished pass, too, when the nodes are spent: they are paid for.
    fn serve(
        &mut self,
        growth: &mut Growth,
        mut services: Vec<Service>,
    ) -> Result<Served<()>, O::Error> {
        if self.serve_all(growth, &mut services)? {
            return Ok(Served::Answers(services));
        }
        let lists = services.iter().filter(|service| !service.answers().is_empty());
        let lists = lists.map(|service| (service.node(), service.answers().to_vec()));
        growth.admit(lists.collect())?;
        self.note_best(growth);
        Ok(Served::End(()))
    }
}

impl<O: Oracle> Searches<'_, O> {
    fn note_best(&mut self, growth: &Growth) {
        if let Some((uci, _)) = best(growth)
            && !self.led.contains(&uci)
        {
            self.led.push(uci);
        }
    }

    /// Serves the positions one behind the other, each to its end; true if all are served.
    fn serve_all(&mut self, growth: &Growth, services: &mut [Service]) -> Result<bool, O::Error> {
        for service in services {
            while service.wants_search() {
                if !self.allowance.is_left() || !self.search(growth, service)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn search(&mut self, growth: &Growth, service: &mut Service) -> Result<bool, O::Error> {
        let node = service.node();
        let listed = growth.graph().list(node).iter().map(|edge| edge.uci.unpack());
        let question = Question {
            excluded: listed.chain(service.answers().iter().map(|(uci, _)| *uci)).collect(),
            ..Question::new(growth.position(node), self.limit, self.memory)
        };
        let reply = self.oracle.ask(question)?;
        // No search is free, or a tree of them would never end.
        let nodes = reply.nodes.max(1);
        if !self.allowance.take(nodes) {
            self.uncounted = nodes;
            return Ok(false);
        }
        *self.paid.entry(node).or_default() += nodes;
        service.answer(reply.uci, Value::from(reply.score));
        Ok(true)
    }
}

fn best(growth: &Growth) -> Option<(UciMove, Value)> {
    best_root_move(growth.graph(), growth.values(), growth.root())
}

/// The root's moves by alpha, ties by rank, each with it.
pub fn listed(growth: &Growth) -> Vec<(UciMove, Score)> {
    let all = first_lines(growth.graph(), growth.values(), growth.root(), usize::MAX, 1);
    let first = |(alpha, line): (Value, Vec<UciMove>)| Some((*line.first()?, Score::from(alpha)));
    all.into_iter().filter_map(first).collect()
}

impl<'a, O: Oracle> TreeGrower<'a, O> {
    /// A tree not grown yet.
    pub fn new(
        position: &Chess,
        nodes: u64,
        setting: &Setting,
        memory: HashState<'a>,
        oracle: &'a mut O,
    ) -> TreeGrower<'a, O> {
        let growth = Growth::new(&Game::from_position(position.clone()), setting.breadth());
        let searches = Searches {
            allowance: match setting.closing {
                None => Allowance::nearest(nodes),
                Some(share) => Allowance::at_least(nodes - share.of(nodes)),
            },
            limit: setting.schedule.first(),
            memory,
            oracle,
            paid: HashMap::new(),
            uncounted: 0,
            led: Vec::new(),
        };
        TreeGrower { growth, searches }
    }

    /// Passes until nothing is left to spend.
    pub fn grow(&mut self) -> Result<(), O::Error> {
        grow_by(&mut self.growth, &mut self.searches)
    }

    /// The tree.
    pub fn growth(&self) -> &Growth {
        &self.growth
    }

    /// The tree's result, with its best move.
    pub fn arm(&self) -> Option<TreeArm> {
        let (graph, root) = (self.growth.graph(), self.growth.root());
        let (best, alpha) = best(&self.growth)?;
        Some(TreeArm {
            uci: best,
            score: Score::from(alpha),
            nodes: self.searches.allowance.spent(),
            uncounted: self.searches.uncounted,
            first: graph.list(root).first()?.uci.unpack(),
            alpha: Score::from(alpha),
            best,
            searches: self.growth.searches(),
            positions: self.growth.analysed(),
            passes: self.growth.passes(),
            settled: self.growth.settled().last().map(|last| last.depth),
            idle_nodes: self.idle_nodes(),
            closing: None,
            listed: listed(&self.growth),
        })
    }

    /// Nodes spent on positions reached only by root moves that were never best.
    fn idle_nodes(&self) -> u64 {
        let (graph, root) = (self.growth.graph(), self.growth.root());
        let mut served = HashSet::from([root]);
        let led =
            graph.list(root).iter().filter(|edge| self.searches.led.contains(&edge.uci.unpack()));
        let mut open: Vec<NodeId> = led.map(|edge| edge.child).collect();
        while let Some(node) = open.pop() {
            if served.insert(node) {
                open.extend(graph.list(node).iter().map(|edge| edge.child));
            }
        }
        let idle = self.searches.paid.iter().filter(|(node, _)| !served.contains(*node));
        idle.map(|(_, nodes)| nodes).sum()
    }
}

/// Engine nodes to spend on a tree.
#[derive(Debug, Clone)]
pub struct Allowance {
    nodes: u64,
    spent: u64,
    to_the_end: bool,
}

impl Allowance {
    /// Nodes that the sum of the searches comes as near to as possible: the search that crosses
    /// them counts if the sum is nearer with it than without it. So the arm spends too much as
    /// often as too little, and its mean does not depend on how long one search is.
    pub fn nearest(nodes: u64) -> Allowance {
        Allowance { nodes, spent: 0, to_the_end: false }
    }

    /// Nodes before whose end every search begins and counts: an excess is taken from the later
    /// searches.
    pub fn at_least(nodes: u64) -> Allowance {
        Allowance { nodes, spent: 0, to_the_end: true }
    }

    /// True if another search may begin.
    pub fn is_left(&self) -> bool {
        self.spent < self.nodes
    }

    /// True if a search of `nodes` nodes counts; if not, nothing is left. The first one always
    /// does: without it no move is known.
    pub fn take(&mut self, nodes: u64) -> bool {
        // An engine may report anything.
        let sum = self.spent.saturating_add(nodes);
        let nearer = sum.abs_diff(self.nodes) <= self.spent.abs_diff(self.nodes);
        if nearer || self.spent == 0 || self.to_the_end {
            self.spent = sum;
            return true;
        }
        self.nodes = self.spent;
        false
    }

    /// The nodes of the counted searches.
    pub fn spent(&self) -> u64 {
        self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(mut allowance: Allowance, searches: &[u64]) -> Vec<u64> {
        let mut taken = Vec::new();
        for nodes in searches {
            if !allowance.is_left() || !allowance.take(*nodes) {
                break;
            }
            taken.push(*nodes);
        }
        assert_eq!(allowance.spent(), taken.iter().sum::<u64>());
        taken
    }

    #[test]
    fn last_search_counts_if_the_sum_comes_nearer() {
        assert_eq!(taken(Allowance::nearest(100), &[60, 79, 1]), [60, 79], "139 is nearer than 60");
        assert_eq!(taken(Allowance::nearest(100), &[60, 80, 1]), [60, 80], "as near: it counts");
        assert_eq!(taken(Allowance::nearest(100), &[60, 81, 1]), [60], "nothing after it");
        assert_eq!(taken(Allowance::nearest(100), &[50, 50, 1]), [50, 50]);
    }

    #[test]
    fn the_first_search_always_counts() {
        assert_eq!(taken(Allowance::nearest(100), &[900, 1]), [900]);
    }

    #[test]
    fn what_comes_after_pays_for_the_whole_last_search() {
        assert_eq!(taken(Allowance::at_least(100), &[60, 39, 500, 1]), [60, 39, 500]);
    }
}
