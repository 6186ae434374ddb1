//! A tree grown search by search until its nodes are spent.

use std::collections::{HashMap, HashSet};

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::{Game, Score, Value};
use crate::duel::allowance::Allowance;
use crate::duel::oracle::{HashState, Oracle, Question};
use crate::duel::setting::{Choice, Setting};
use crate::search::Limit;
use crate::tree::{Growth, NodeId, Service, best_root_move, rehearsal};

use super::TreeArm;

/// No tree is grown deeper: where all lines have ended, every further depth asks for nothing.
const DEEPEST: u32 = 100;

/// A tree that grows search by search.
pub struct TreeGrower<'a, O> {
    growth: Growth,
    allowance: Allowance,
    limit: Limit,
    memory: HashState<'a>,
    oracle: &'a mut O,
    /// Nodes of each position's searches that count.
    paid: HashMap<NodeId, u64>,
    uncounted: u64,
    /// The root moves that were best after a pass.
    led: Vec<UciMove>,
    /// The root's best move and its alpha when the greatest depth was settled.
    settled: Option<(UciMove, Value)>,
}

impl<'a, O: Oracle> TreeGrower<'a, O> {
    /// A tree that is not grown yet.
    pub fn new(
        position: &Chess,
        nodes: u64,
        setting: &Setting,
        memory: HashState<'a>,
        oracle: &'a mut O,
    ) -> TreeGrower<'a, O> {
        TreeGrower {
            growth: Growth::new(&Game::from_position(position.clone()), setting.distance),
            allowance: match setting.closing {
                None => Allowance::nearest(nodes),
                Some(share) => Allowance::at_least(nodes - share.of(nodes)),
            },
            limit: setting.limit,
            memory,
            oracle,
            paid: HashMap::new(),
            uncounted: 0,
            led: Vec::new(),
            settled: None,
        }
    }

    /// Passes until nothing is left to spend. What the pass that is under way then was answered is
    /// admitted, too: it is paid for.
    pub fn grow(&mut self) -> Result<(), O::Error> {
        loop {
            self.note_best();
            if self.growth.depth() > DEEPEST || !self.allowance.is_left() {
                return Ok(());
            }
            let mut services = self.growth.requests();
            if self.serve(&mut services)? {
                // A pass without a request settles the depth.
                if services.is_empty() {
                    self.settled = self.best();
                }
                self.growth.finish_pass(services)?;
            } else {
                let lists = services.iter().filter(|service| !service.answers().is_empty());
                let lists = lists.map(|service| (service.node(), service.answers().to_vec()));
                let lists = lists.collect();
                self.growth.admit(lists)?;
                self.note_best();
                return Ok(());
            }
        }
    }

    fn best(&self) -> Option<(UciMove, Value)> {
        best_root_move(self.growth.graph(), self.growth.values(), self.growth.root())
    }

    fn note_best(&mut self) {
        if let Some((uci, _)) = self.best()
            && !self.led.contains(&uci)
        {
            self.led.push(uci);
        }
    }

    /// Serves the positions one behind the other, each to its end; says whether all are served.
    fn serve(&mut self, services: &mut [Service]) -> Result<bool, O::Error> {
        for service in services {
            while service.wants_search() {
                if !self.allowance.is_left() || !self.search(service)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn search(&mut self, service: &mut Service) -> Result<bool, O::Error> {
        let node = service.node();
        let listed = self.growth.graph().list(node).iter().map(|edge| edge.uci.unpack());
        let question = Question {
            position: self.growth.position(node),
            excluded: listed.chain(service.answers().iter().map(|(uci, _)| *uci)).collect(),
            limit: self.limit,
            memory: self.memory,
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

    /// What the tree has come to, with the move of this choice.
    pub fn arm(&self, choice: Choice) -> Option<TreeArm> {
        let (graph, root) = (self.growth.graph(), self.growth.root());
        let (best, alpha) =
            best_root_move(self.growth.graph(), self.growth.values(), self.growth.root())?;
        let settled = self.settled.filter(|_| choice == Choice::Settled);
        let (uci, value) = settled.unwrap_or((best, alpha));
        Some(TreeArm {
            uci,
            score: Score::from(value),
            nodes: self.allowance.spent(),
            uncounted: self.uncounted,
            first: graph.list(root).first()?.uci.unpack(),
            alpha: Score::from(alpha),
            best,
            searches: self.growth.searches(),
            positions: self.growth.analysed(),
            passes: self.growth.passes(),
            settled: self.growth.settled().last().map(|last| last.depth),
            idle_nodes: self.idle_nodes(),
            rehearsal_nodes: 0,
            closing: None,
        })
    }

    /// The positions on the lines of the root's moves, in the order of a rehearsal.
    pub fn rehearsal(&self) -> Vec<Chess> {
        let (graph, root) = (self.growth.graph(), self.growth.root());
        let positions = rehearsal(graph, self.growth.values(), root).into_iter();
        positions.map(|node| self.growth.position(node)).collect()
    }

    /// Nodes spent on positions that no move leads to that was ever the root's best.
    fn idle_nodes(&self) -> u64 {
        let (graph, root) = (self.growth.graph(), self.growth.root());
        let mut served = HashSet::from([root]);
        let led = graph.list(root).iter().filter(|edge| self.led.contains(&edge.uci.unpack()));
        let mut open: Vec<NodeId> = led.map(|edge| edge.child).collect();
        while let Some(node) = open.pop() {
            if served.insert(node) {
                open.extend(graph.list(node).iter().map(|edge| edge.child));
            }
        }
        let idle = self.paid.iter().filter(|(node, _)| !served.contains(*node));
        idle.map(|(_, nodes)| nodes).sum()
    }
}
