//! Synthetic graphs in the shape of a grown tree: plies in which all candidates are followed have
//! long lists, the plies between them short ones, as a refuted position is searched once.

use deepanalyze_core::chess::Value;
use deepanalyze_core::tree::{Edge, Graph, NodeId};
use shakmaty::Color;
use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;

use crate::random::Random;

/// The distance of all graphs: 16 centipawns are left of it at the last ply.
pub const DISTANCE: u32 = 1 << 25;
/// The ply of the last analysed positions.
pub const DEPTH: u32 = 22;
/// From this ply on there are scores that are the distance away from the best.
const REFUTED_FROM: usize = 14;

/// A graph, its root, and how many of its positions are analysed.
pub struct Layers {
    pub graph: Graph,
    pub root: NodeId,
    pub analysed: usize,
}

/// A position before it is numbered: its ply, and its moves with their scores.
struct Plan {
    ply: usize,
    moves: Vec<(usize, i64)>,
    /// Some of the complete lists are made incomplete: a pass asks for a few searches.
    complete: bool,
}

/// How nodes are numbered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// Ply by ply, as a growing tree comes to its positions.
    InOrder,
    /// The worst for a cache.
    Shuffled,
}

/// A graph with about `analysed` positions.
pub fn grow(analysed: usize, numbers: Numbers) -> Layers {
    let sizes = sizes(analysed);
    let mut builder = Builder { random: Random(1), plans: Vec::new(), starts: vec![0], sizes };
    for ply in 0..builder.sizes.len() {
        builder.starts.push(builder.starts[ply] + builder.sizes[ply]);
    }
    for ply in 0..builder.sizes.len() {
        for index in 0..builder.sizes[ply] {
            builder.plan(ply, index);
        }
    }
    builder.unanalysed();
    let analysed = builder.starts[builder.sizes.len()];
    number(&builder.plans, analysed, numbers, &mut builder.random)
}

/// Positions per ply: twice as many every second ply.
fn sizes(analysed: usize) -> Vec<usize> {
    let mut sizes = vec![1, (analysed / 5000).max(2)];
    for ply in 2..=DEPTH as usize {
        sizes.push(sizes[ply - 1] * (1 + (ply + 1) % 2));
    }
    // Ten doublings: 6,100 positions for each of the root's moves.
    let scale = analysed as f64 / sizes.iter().sum::<usize>() as f64;
    for size in &mut sizes[2..] {
        *size = (*size as f64 * scale) as usize;
    }
    sizes
}

struct Builder {
    random: Random,
    plans: Vec<Plan>,
    /// Where each ply's positions begin among all.
    starts: Vec<usize>,
    sizes: Vec<usize>,
}

impl Builder {
    /// The position of an earlier ply through which a position is reached.
    fn ancestor(&self, ply: usize, index: usize, up: usize) -> Option<usize> {
        let above = ply.checked_sub(up)?;
        let at = |ply: usize, index: usize| index * self.sizes[ply - 1] / self.sizes[ply];
        let index = (above + 1..=ply).rev().fold(index, |index, ply| at(ply, index));
        Some(self.starts[above] + index)
    }

    /// The positions of the next ply that are reached through a position.
    fn children(&self, ply: usize, index: usize) -> std::ops::Range<usize> {
        let (own, next) = (self.sizes[ply], self.sizes[ply + 1]);
        let first = |index: usize| (index * next).div_ceil(own);
        self.starts[ply + 1] + first(index)..self.starts[ply + 1] + first(index + 1)
    }

    fn plan(&mut self, ply: usize, index: usize) {
        let mut children: Vec<usize> = Vec::new();
        if ply < DEPTH as usize {
            children.extend(self.children(ply, index));
            if self.random.per_mille(if ply % 2 == 1 { 400 } else { 100 }) {
                // A transposition to a position nearby.
                let next = self.sizes[ply + 1];
                let near = index * next / self.sizes[ply] + self.random.below(100);
                children.push(self.starts[ply + 1] + near % next);
            }
            children.extend(self.way_back(ply, index));
            children.sort_unstable();
            children.dedup();
        }
        let score = |_| (0, 0);
        let mut moves: Vec<(usize, i64)> = children.iter().map(score).collect();
        for (m, child) in moves.iter_mut().zip(children) {
            *m = (child, self.random.below(11) as i64 - 5);
        }
        let complete = !self.random.per_mille(1);
        self.plans.push(Plan { ply, moves, complete });
    }

    /// A move back to where the line was 4 plies before the position after it: small circles; from
    /// the last plies of one subtree in 16 half of all lines go back 12 plies: large ones.
    fn way_back(&mut self, ply: usize, index: usize) -> Option<usize> {
        let far = self.ancestor(ply, index, 11).filter(|_| ply == DEPTH as usize - 2);
        let far = far.filter(|far| far % 16 == 0);
        if let Some(far) = far.filter(|_| self.random.per_mille(500)) {
            return Some(far);
        }
        if self.random.per_mille(15) { self.ancestor(ply, index, 3) } else { None }
    }

    /// Adds moves to positions that are not analysed.
    fn unanalysed(&mut self) {
        for place in 0..self.plans.len() {
            let Plan { ply, complete, .. } = self.plans[place];
            let last = DEPTH as usize;
            let count = match ply {
                _ if ply == last => 1 + usize::from(self.random.per_mille(300)),
                _ if ply < REFUTED_FROM || !complete => 0,
                _ if ply % 2 == 1 => 1,
                _ => usize::from(self.random.per_mille(200)),
            };
            for _ in 0..count {
                let score = if ply == last { self.random.below(11) as i64 - 5 } else { -30_000 };
                let child = self.plans.len();
                self.plans[place].moves.push((child, score));
                self.plans.push(Plan { ply: ply + 1, moves: Vec::new(), complete: true });
            }
        }
    }
}

fn number(plans: &[Plan], analysed: usize, numbers: Numbers, random: &mut Random) -> Layers {
    let mut order: Vec<usize> = (0..plans.len()).collect();
    if numbers == Numbers::Shuffled {
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last + 1));
        }
    }
    let mut graph = Graph::default();
    let mut node_of = vec![NodeId::from_index(0); plans.len()];
    for place in order {
        let plan = &plans[place];
        let turn = if plan.ply.is_multiple_of(2) { Color::White } else { Color::Black };
        let legal_moves = plan.moves.len() + if plan.complete { 0 } else { 9 };
        node_of[place] = graph.add_node(turn, u8::try_from(legal_moves).unwrap_or(u8::MAX), None);
    }
    let uci = PackedUciMove::pack(UciMove::Null);
    let edge = |(child, score): &(usize, i64)| Edge {
        child: node_of[*child],
        eval: Value::new(*score).unwrap_or_default(),
        uci,
    };
    let list = |place: usize| (node_of[place], plans[place].moves.iter().map(edge).collect());
    graph.admit((0..analysed).map(list).collect());
    Layers { graph, root: node_of[0], analysed }
}
