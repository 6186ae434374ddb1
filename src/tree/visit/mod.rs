//! The visit: which positions a pass asks for (ALGORITHM, section 4).

pub(super) mod covered;
pub(super) mod order;
pub(super) mod service;

use hashbrown::HashMap;

use crate::chess::Value;

use crate::tree::graph::{Graph, NodeId};
use crate::tree::values::Values;
use crate::tree::values::line::{Line, PathSet};
use covered::{Covered, Visited, Window};
use order::{RankedMove, distance_at, is_candidate, is_complete, least_eval, reach, sort_moves};
use service::{Request, Service};

/// Whether visits that an earlier one covers are skipped. They ask for nothing new; only a test
/// walks them all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Covering {
    /// Skip them: a pass is linear.
    Skip,
    /// Walk them: exponential.
    Walk,
}

/// What a visit is about.
#[derive(Debug, Clone, Copy)]
pub struct Aim {
    /// Where it begins.
    pub root: NodeId,
    /// The move distance in centipawns.
    pub distance: u32,
    /// The depth that is being settled.
    pub depth: u32,
    /// After so many visits of analysed positions it is broken off.
    pub most: u64,
}

/// The services that a visit from the root asks for, in the order in which it came to them. What is
/// covered by visits of earlier passes asks for nothing; this one's are added to them.
pub fn requests_now(
    graph: &Graph,
    values: &Values,
    aim: Aim,
    covered: &mut Covered,
) -> (Vec<Service>, u64) {
    asked(Covering::Skip, graph, values, aim, covered)
}

/// The services that a visit from the root of a whole graph asks for, in the order in which it came to
/// them.
pub fn requests(
    graph: &Graph,
    values: &Values,
    root: NodeId,
    distance: u32,
    depth: u32,
) -> Vec<Service> {
    requests_with(Covering::Skip, graph, values, root, distance, depth)
}

/// [`requests`], with a choice about covered visits.
pub fn requests_with(
    covering: Covering,
    graph: &Graph,
    values: &Values,
    root: NodeId,
    distance: u32,
    depth: u32,
) -> Vec<Service> {
    whole(covering, graph, values, Aim { root, distance, depth, most: u64::MAX }).0
}

/// How many visits of analysed positions a pass over a whole graph makes, covered ones not counted.
pub fn count_visits(
    graph: &Graph,
    values: &Values,
    root: NodeId,
    distance: u32,
    depth: u32,
) -> u64 {
    let aim = Aim { root, distance, depth, most: u64::MAX };
    whole(Covering::Skip, graph, values, aim).1
}

fn whole(covering: Covering, graph: &Graph, values: &Values, aim: Aim) -> (Vec<Service>, u64) {
    asked(covering, graph, values, aim, &mut Covered::new())
}

fn asked(
    covering: Covering,
    graph: &Graph,
    values: &Values,
    aim: Aim,
    covered: &mut Covered,
) -> (Vec<Service>, u64) {
    covered.add_nodes(graph.len());
    let mut visit = Visit::new(covering, graph, values, aim, covered);
    visit.run();
    (visit.services, visit.made)
}

/// A visited position whose candidates are being visited.
struct Frame {
    ply: u32,
    window: Window,
    path: Option<PathSet>,
    /// Its candidates that are still to come lie here in the visit's `candidates`.
    next: usize,
    end: usize,
}

struct Visit<'a> {
    graph: &'a Graph,
    line: Line<'a>,
    aim: Aim,
    covering: Covering,
    covered: &'a mut Covered,
    /// Visits of this pass after paths in the position's own circle.
    in_circles: HashMap<(NodeId, PathSet), Vec<Visited>>,
    frames: Vec<Frame>,
    /// The candidates of all frames, one frame's behind the other's.
    candidates: Vec<(NodeId, Value)>,
    services: Vec<Service>,
    service_of: HashMap<NodeId, usize>,
    /// Visits of analysed positions, covered ones not counted.
    made: u64,
}

impl<'a> Visit<'a> {
    fn new(
        covering: Covering,
        graph: &'a Graph,
        values: &'a Values,
        aim: Aim,
        covered: &'a mut Covered,
    ) -> Visit<'a> {
        Visit {
            graph,
            line: Line::new(graph, values),
            aim,
            covering,
            covered,
            in_circles: HashMap::new(),
            frames: Vec::new(),
            candidates: Vec::new(),
            services: Vec::new(),
            service_of: HashMap::new(),
            made: 0,
        }
    }

    fn run(&mut self) {
        self.enter(self.aim.root, 0, Window::FULL, None);
        while self.made < self.aim.most && self.step() {}
    }

    /// Visits the next candidate of the innermost frame; nothing is left when it says `false`.
    fn step(&mut self) -> bool {
        let Some(frame) = self.frames.last_mut() else {
            return false;
        };
        if frame.next == frame.end {
            let frame = self.frames.pop();
            let start = self.frames.last().map_or(0, |outer| outer.end);
            debug_assert!(frame.is_some_and(|frame| frame.end >= start));
            self.candidates.truncate(start);
            return true;
        }
        let (child, value) = self.candidates[frame.next];
        let (ply, path, window) = (frame.ply, frame.path, frame.window);
        frame.next += 1;
        frame.window.lo = window.lo.max(value);
        if ply >= 2 && frame.window.lo >= window.hi {
            frame.next = frame.end;
        }
        let turned =
            if ply == 0 { Window::FULL } else { Window { lo: -window.hi, hi: -window.lo } };
        self.enter(child, ply + 1, turned, path);
        true
    }

    /// Visits a position after a path: asks for what it lacks, and lines its candidates up.
    fn enter(&mut self, node: NodeId, ply: u32, window: Window, before: Option<PathSet>) {
        if self.graph.ending(node).is_some() || self.line.repeats(node, before) {
            return;
        }
        if !self.graph.is_analysed(node) {
            let distance = if ply <= 1 { distance_at(self.aim.distance, ply) } else { 0 };
            self.request(node, Request { best: None, distance });
            return;
        }
        let before = self.line.relevant(node, before);
        if self.covering == Covering::Skip && self.is_covered(node, before, ply, window) {
            return;
        }
        self.made += 1;
        let path = self.line.extend(before, node);
        self.visit_analysed(node, ply, window, path);
    }

    /// Whether an earlier visit covers one; it is noted if not.
    fn is_covered(
        &mut self,
        node: NodeId,
        path: Option<PathSet>,
        ply: u32,
        window: Window,
    ) -> bool {
        let visit = Visited::new(ply, window);
        let Some(path) = path else {
            return !self.covered.enter(node, visit);
        };
        let others = self.in_circles.entry((node, path)).or_default();
        if others.iter().any(|other| other.covers(&visit)) {
            return true;
        }
        others.retain(|other| !visit.covers(other));
        others.push(visit);
        false
    }

    fn visit_analysed(&mut self, node: NodeId, ply: u32, window: Window, path: Option<PathSet>) {
        let list = self.graph.list(node);
        let alpha = |rank: usize| RankedMove { rank, alpha: self.line.alpha(&list[rank], path) };
        let mut moves: Vec<RankedMove> = (0..list.len()).map(alpha).collect();
        let Some(best) = moves.iter().map(|m| m.alpha).max() else {
            return;
        };
        let distance = reach(best, distance_at(self.aim.distance, ply));
        let refuted = ply >= 2 && best >= window.hi;
        if ply <= 1 || (ply < self.aim.depth && !refuted) {
            let least = least_eval(list).unwrap_or(best);
            let legal_moves = self.graph.legal_moves(node);
            if !is_complete(list.len(), legal_moves, least, best, distance) {
                self.request(node, Request { best: Some(best), distance });
            }
        }
        if ply == self.aim.depth {
            return;
        }
        keep_candidates(&mut moves, best, distance);
        let next = self.candidates.len();
        self.candidates.extend(moves.iter().map(|m| (list[m.rank].child, m.alpha)));
        self.frames.push(Frame { ply, window, path, next, end: self.candidates.len() });
    }

    fn request(&mut self, node: NodeId, request: Request) {
        let (graph, services) = (self.graph, &mut self.services);
        let index = *self.service_of.entry(node).or_insert_with(|| {
            services.push(Service::new(node, graph.list(node), graph.legal_moves(node)));
            services.len() - 1
        });
        self.services[index].request(request);
    }
}

/// Leaves the candidates, best first: the first move, and all within the distance of it.
fn keep_candidates(moves: &mut Vec<RankedMove>, best: Value, distance: u32) {
    if distance == 0 {
        let first = moves.iter().position(|m| m.alpha == best);
        moves.swap(0, first.unwrap_or(0));
        moves.truncate(1);
    } else {
        moves.retain(|m| is_candidate(m.alpha, best, distance));
        sort_moves(moves);
    }
}
