//! The visit: which positions a pass asks for (ALGORITHM, section 4).

pub(super) mod covered;
pub(super) mod order;
pub(super) mod service;

use hashbrown::HashMap;

use crate::chess::Value;

use crate::tree::breadth::Breadth;
use crate::tree::graph::{Edge, Graph, NodeId};
use crate::tree::values::Values;
use crate::tree::values::line::{Line, PathSet};
use covered::{Covered, Visited, Window};
use order::{Listed, RankedMove, is_candidate, reach, sort_moves};
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
pub struct Aim<'a> {
    /// Where it begins.
    pub root: NodeId,
    /// The move distances, and how many moves there are at ply 0 at least.
    pub breadth: &'a Breadth,
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
    aim: Aim<'_>,
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
    breadth: &Breadth,
    depth: u32,
) -> Vec<Service> {
    requests_with(Covering::Skip, graph, values, root, breadth, depth)
}

/// [`requests`], with a choice about covered visits.
pub fn requests_with(
    covering: Covering,
    graph: &Graph,
    values: &Values,
    root: NodeId,
    breadth: &Breadth,
    depth: u32,
) -> Vec<Service> {
    whole(covering, graph, values, Aim { root, breadth, depth, most: u64::MAX }).0
}

/// How many visits of analysed positions a pass over a whole graph makes, covered ones not counted.
pub fn count_visits(
    graph: &Graph,
    values: &Values,
    root: NodeId,
    breadth: &Breadth,
    depth: u32,
) -> u64 {
    let aim = Aim { root, breadth, depth, most: u64::MAX };
    whole(Covering::Skip, graph, values, aim).1
}

fn whole(covering: Covering, graph: &Graph, values: &Values, aim: Aim) -> (Vec<Service>, u64) {
    asked(covering, graph, values, aim, &mut Covered::new())
}

fn asked(
    covering: Covering,
    graph: &Graph,
    values: &Values,
    aim: Aim<'_>,
    covered: &mut Covered,
) -> (Vec<Service>, u64) {
    covered.add_nodes(graph.len());
    let mut visit = Visit::new(covering, graph, values, aim, covered);
    visit.run();
    (visit.services, visit.made)
}

/// A visited position whose moves are being followed.
struct Frame {
    ply: u32,
    window: Window,
    path: Option<PathSet>,
    /// Its moves that are still to come lie here in the visit's `ahead`.
    next: usize,
    end: usize,
    /// Whether no candidate is followed any more.
    cut: bool,
}

/// A move to be followed.
#[derive(Clone, Copy)]
struct Step {
    child: NodeId,
    value: Value,
    /// Whether it is among the first moves or within the distance, as long as nothing is cut.
    candidate: bool,
    included: bool,
}

struct Visit<'a> {
    graph: &'a Graph,
    line: Line<'a>,
    aim: Aim<'a>,
    covering: Covering,
    covered: &'a mut Covered,
    /// Visits of this pass after paths in the position's own circle.
    in_circles: HashMap<(NodeId, PathSet), Vec<Visited>>,
    frames: Vec<Frame>,
    /// The moves of all frames that are to be followed, one frame's behind the other's.
    ahead: Vec<Step>,
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
        aim: Aim<'a>,
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
            ahead: Vec::new(),
            services: Vec::new(),
            service_of: HashMap::new(),
            made: 0,
        }
    }

    fn run(&mut self) {
        self.enter(self.aim.root, 0, Window::FULL, None);
        while self.made < self.aim.most && self.step() {}
    }

    /// Follows the next move of the innermost frame; nothing is left when it says `false`.
    fn step(&mut self) -> bool {
        let Some(frame) = self.frames.last_mut() else {
            return false;
        };
        if frame.next == frame.end {
            let frame = self.frames.pop();
            let start = self.frames.last().map_or(0, |outer| outer.end);
            debug_assert!(frame.is_some_and(|frame| frame.end >= start));
            self.ahead.truncate(start);
            return true;
        }
        let Step { child, value, candidate, included } = self.ahead[frame.next];
        frame.next += 1;
        let (ply, path, window) = (frame.ply, frame.path, frame.window);
        let candidate = candidate && !frame.cut;
        if candidate {
            frame.window.lo = window.lo.max(value);
            frame.cut = ply >= 2 && frame.window.lo >= window.hi;
        }
        if included {
            self.enter(child, ply, Window::FULL, path);
        } else if candidate {
            let turned =
                if ply == 0 { Window::FULL } else { Window { lo: -window.hi, hi: -window.lo } };
            self.enter(child, ply + 1, turned, path);
        }
        true
    }

    /// Visits a position after a path: asks for what it lacks, and lines its moves up.
    fn enter(&mut self, node: NodeId, ply: u32, window: Window, before: Option<PathSet>) {
        if self.graph.is_leaf(node) || self.line.repeats(node, before) {
            return;
        }
        if !self.graph.is_analysed(node) {
            if self.graph.list(node).len() == self.graph.legal_moves(node) {
                // All moves are excluded, which is refused where it is said: there is nothing to ask.
                return;
            }
            let distance = if ply <= 1 { self.distance(node, ply) } else { 0 };
            let moves = self.aim.breadth.least_at(ply);
            self.request(node, Request { best: None, distance, moves });
            return;
        }
        let before = self.line.relevant(node, before);
        if self.covering == Covering::Skip && self.is_covered(node, before, ply, window) {
            return;
        }
        self.made += 1;
        if ply >= 2 && ply == self.aim.depth && self.graph.included(node).is_empty() {
            return; // It would ask for nothing and go no further: no alpha is needed.
        }
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
        let (moves, ranked) = (self.graph.moves(node), self.rank(node, ply, path));
        let Some(best) = ranked.iter().map(|m| m.alpha).max() else {
            return;
        };
        let distance = reach(best, self.distance(node, ply));
        let least = self.aim.breadth.least_at(ply);
        let refuted = ply >= 2 && best >= window.hi;
        if (ply <= 1 || (ply < self.aim.depth && !refuted))
            && !Listed::of(self.graph, node).is_complete(best, distance, least)
        {
            self.request(node, Request { best: Some(best), distance, moves: least });
        }
        let next = self.ahead.len();
        let cut = ply == self.aim.depth;
        if self.graph.included(node).is_empty() {
            if !cut {
                self.line_up(moves, keep_candidates(ranked, best, distance, least));
            }
        } else {
            self.line_up_with_included(node, ranked, |index, alpha| {
                index < least || is_candidate(alpha, best, distance)
            });
        }
        let end = self.ahead.len();
        if end > next {
            self.frames.push(Frame { ply, window, path, next, end, cut });
        }
    }

    /// The moves of a position with their alphas. Of moves that are no candidates these may be too great:
    /// to work out what the path takes from them would be for nothing.
    fn rank(&mut self, node: NodeId, ply: u32, path: Option<PathSet>) -> Vec<RankedMove> {
        let moves = self.graph.moves(node).iter().enumerate();
        let mut inexact = Vec::new();
        let bound = |(index, edge): (usize, &Edge)| {
            let bound = self.line.bound(edge, path);
            if !bound.is_exact {
                inexact.push(index);
            }
            RankedMove { index, alpha: bound.value }
        };
        let ranked: Vec<RankedMove> = moves.clone().map(bound).collect();
        if inexact.is_empty() || self.can_do_without(node, ply, &ranked, &inexact) {
            return ranked;
        }
        let alpha = |(index, edge)| RankedMove { index, alpha: self.line.alpha(edge, path) };
        moves.map(alpha).collect()
    }

    /// Whether some moves are no candidates even if they are worth what it says here, and cannot be worth
    /// more.
    fn can_do_without(
        &self,
        node: NodeId,
        ply: u32,
        ranked: &[RankedMove],
        inexact: &[usize],
    ) -> bool {
        let best = ranked.iter().map(|m| m.alpha).max().unwrap_or_default();
        let distance = reach(best, self.distance(node, ply));
        let least = self.aim.breadth.least_at(ply);
        let candidates = keep_candidates(ranked.to_vec(), best, distance, least);
        self.graph.included(node).is_empty()
            && inexact.iter().all(|index| ranked[*index].alpha > Value::DRAW)
            && candidates.iter().all(|m| !inexact.contains(&m.index))
    }

    fn distance(&self, node: NodeId, ply: u32) -> u32 {
        self.aim.breadth.distance(self.graph.turn(node), ply)
    }

    /// Lines candidates up.
    fn line_up(&mut self, moves: &[Edge], candidates: Vec<RankedMove>) {
        self.ahead.extend(candidates.into_iter().map(|m| Step {
            child: moves[m.index].child,
            value: m.alpha,
            candidate: true,
            included: false,
        }));
    }

    /// Lines up candidates and included moves as they come, then the included ones that do not count.
    fn line_up_with_included(
        &mut self,
        node: NodeId,
        mut ranked: Vec<RankedMove>,
        is_candidate: impl Fn(usize, Value) -> bool,
    ) {
        let (graph, moves) = (self.graph, self.graph.moves(node));
        sort_moves(&mut ranked);
        let counting = ranked.iter().enumerate().map(|(index, m)| Step {
            child: moves[m.index].child,
            value: m.alpha,
            candidate: is_candidate(index, m.alpha),
            included: graph.is_included(node, moves[m.index].uci),
        });
        self.ahead.extend(counting.filter(|step| step.candidate || step.included));
        let (value, candidate, included) = (Value::DRAW, false, true);
        let waiting = graph.waiting(node);
        self.ahead.extend(waiting.map(|i| Step { child: i.child, value, candidate, included }));
    }

    fn request(&mut self, node: NodeId, request: Request) {
        let (graph, services) = (self.graph, &mut self.services);
        let index = *self.service_of.entry(node).or_insert_with(|| {
            services.push(Service::new(graph, node));
            services.len() - 1
        });
        self.services[index].request(request);
    }
}

/// The candidates, best first: the first moves, and all within the distance of the best.
fn keep_candidates(
    mut moves: Vec<RankedMove>,
    best: Value,
    distance: u32,
    least: usize,
) -> Vec<RankedMove> {
    if distance == 0 && least == 1 {
        let first = moves.iter().position(|m| m.alpha == best);
        moves.swap(0, first.unwrap_or(0));
        moves.truncate(1);
    } else if least == 1 {
        moves.retain(|m| is_candidate(m.alpha, best, distance));
        sort_moves(&mut moves);
    } else {
        sort_moves(&mut moves);
        let within = moves.partition_point(|m| is_candidate(m.alpha, best, distance));
        moves.truncate(within.max(least));
    }
    moves
}
