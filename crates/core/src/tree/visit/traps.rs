//! The lines on which a tree looks for traps (docs/algorithm.md, section 8).

use std::collections::BinaryHeap;

use hashbrown::HashMap;
use shakmaty::Color;
use shakmaty::packed::PackedUciMove;

use crate::chess::Value;
use crate::tree::graph::{Edge, Graph, NodeId};
use crate::tree::values::Values;
use crate::tree::ways::LikelyWay;
use crate::tree::work::{Spent, Work};

use super::order::Listed;
use super::service::{Request, Service};

/// Centipawns that a move of the side that sets traps may lose.
const SOUND: u32 = 30;
/// As many times the least probability as a position needs for a complete list of these moves: that of
/// the depth before.
const LISTED_FROM: f64 = 4.0;
/// Centipawns that a reply loses at least that falls for a trap.
const LOSES: u32 = 100;
/// Plies of best play behind such a reply, and behind the best one, that are searched.
const SEEN_THROUGH: u32 = 8;
/// Steps at a position, besides one for each of its moves.
const LOOKED_AT: u64 = 4;

/// A tree in which traps are looked for.
pub struct TrapGround<'a, S> {
    /// The positions and their lists.
    pub graph: &'a Graph,
    /// Their values.
    pub values: &'a Values,
    /// The position where lines begin.
    pub root: NodeId,
    /// The depth that is being settled.
    pub depth: u32,
    /// The side that sets the traps.
    pub side: Color,
    /// The part of the position's n(p) that a move has, from 0 to 1; 0 if nothing is counted there.
    pub share: S,
}

/// Adds to the services of a visit what the lines lack on which a side may set traps.
///
/// # Errors
///
/// [`Spent`] if a trial's work is; a part has been added then.
pub fn ask_for_traps<S: Fn(NodeId, PackedUciMove) -> f64>(
    ground: TrapGround<'_, S>,
    services: &mut Vec<Service>,
    work: &mut Work,
) -> Result<(), Spent> {
    let service_of = services.iter().enumerate().map(|(index, s)| (s.node(), index)).collect();
    let least = (0..ground.depth).fold(1.0, |least, _| least / LISTED_FROM);
    let (reached, open) = (HashMap::new(), BinaryHeap::new());
    Walk { ground, least, reached, open, services, service_of }.run(work)
}

struct Walk<'a, 's, S> {
    ground: TrapGround<'a, S>,
    /// The least probability of a position that is looked at.
    least: f64,
    /// The greatest probability of each position so far.
    reached: HashMap<NodeId, f64>,
    open: BinaryHeap<LikelyWay>,
    services: &'s mut Vec<Service>,
    service_of: HashMap<NodeId, usize>,
}

impl<S: Fn(NodeId, PackedUciMove) -> f64> Walk<'_, '_, S> {
    fn run(mut self, work: &mut Work) -> Result<(), Spent> {
        self.reach(self.ground.root, 1.0);
        while let Some(LikelyWay { likely, node }) = self.open.pop() {
            work.spend(LOOKED_AT + self.ground.graph.moves(node).len() as u64)?;
            let is_old = self.reached.get(&node).is_some_and(|greater| likely < *greater);
            if !is_old && self.is_analysed(node) {
                self.go_on(node, likely);
            }
        }
        Ok(())
    }

    fn reach(&mut self, node: NodeId, likely: f64) {
        let known = self.reached.entry(node).or_insert(0.0);
        if likely >= self.least && likely > *known {
            *known = likely;
            self.open.push(LikelyWay { likely, node });
        }
    }

    /// True if a position is analysed and no leaf; otherwise, if it is no leaf, it is asked for.
    fn is_analysed(&mut self, node: NodeId) -> bool {
        let graph = self.ground.graph;
        if graph.is_leaf(node) || graph.is_analysed(node) {
            return !graph.is_leaf(node);
        }
        if graph.list(node).len() < graph.legal_moves(node) {
            self.request(node, Request { best: None, distance: 0, moves: 1 });
        }
        false
    }

    fn go_on(&mut self, node: NodeId, likely: f64) {
        let TrapGround { graph, values, side, .. } = self.ground;
        let moves = graph.moves(node).iter().map(|edge| (edge, values.idea_of(graph, edge)));
        let moves: Vec<(&Edge, Value)> = moves.collect();
        match moves.iter().map(|(_, idea)| *idea).max() {
            Some(best) if best.is_mate() => {}
            Some(best) if graph.turn(node) == side => self.set(node, likely, &moves, best),
            Some(best) => self.reply(node, likely, &moves, best),
            None => {}
        }
    }

    /// The side's own sound and included moves.
    fn set(&mut self, node: NodeId, likely: f64, moves: &[(&Edge, Value)], best: Value) {
        let graph = self.ground.graph;
        let request = Request { best: Some(best), distance: SOUND + 1, moves: 1 };
        let is_complete = || Listed::of(graph, node).is_complete(best, request.distance, 1);
        if likely >= LISTED_FROM * self.least && !is_complete() {
            self.request(node, request);
        }
        let is_aimed = |(edge, idea): &&(&Edge, Value)| {
            i64::from(idea.get()) >= best.less(SOUND) || graph.is_included(node, edge.uci)
        };
        let aimed = moves.iter().filter(is_aimed);
        let likely = likely / whole(aimed.clone().count());
        aimed.for_each(|(edge, _)| self.reach(edge.child, likely));
    }

    /// The other side's replies: where one falls for a trap, best play behind it and behind the best
    /// one is seen through.
    fn reply(&mut self, node: NodeId, likely: f64, moves: &[(&Edge, Value)], best: Value) {
        let graph = self.ground.graph;
        let (mut falls, mut first) = (false, None);
        for (edge, idea) in moves {
            let part = likely * (self.ground.share)(node, edge.uci);
            first = first.or((*idea == best).then_some(edge.child));
            if i64::from(idea.get()) > best.less(LOSES) {
                self.reach(edge.child, part);
            } else if part >= self.least {
                falls = true;
                self.see_through(edge.child);
            }
        }
        for followed in graph.waiting_played(node) {
            if likely * (self.ground.share)(node, followed.uci) >= self.least {
                self.is_analysed(followed.child);
            }
        }
        if let Some(first) = first.filter(|_| falls) {
            self.see_through(first);
        }
    }

    fn see_through(&mut self, mut node: NodeId) {
        let TrapGround { graph, values, .. } = self.ground;
        for _ in 0..SEEN_THROUGH {
            if !self.is_analysed(node) {
                return;
            }
            // The first of equal ones.
            let best =
                graph.moves(node).iter().rev().max_by_key(|edge| values.idea_of(graph, edge));
            let Some(best) = best else { return };
            node = best.child;
        }
    }

    fn request(&mut self, node: NodeId, request: Request) {
        let (graph, services) = (self.ground.graph, &mut self.services);
        let index = *self.service_of.entry(node).or_insert_with(|| {
            services.push(Service::new(graph, node));
            services.len() - 1
        });
        if let Some(service) = services.get_mut(index) {
            service.request(request);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a position has at most 218 moves")]
fn whole(moves: usize) -> f64 {
    moves as f64
}
