//! The way of a visit through the tree.

use hashbrown::HashMap;

use crate::chess::Value;

use super::covered::{Covered, Visited, Window};
use super::service::{Request, Service};
use super::{Aim, Asked, Covering};
use crate::tree::graph::{Graph, NodeId};
use crate::tree::values::Values;
use crate::tree::values::paths::{PathSet, PathValues};
use crate::tree::work::{Spent, Work};

/// Steps to follow a move, besides those of the moves behind it.
const FOLLOWED: u64 = 4;

/// A visited position whose moves are being followed.
pub(super) struct Frame {
    pub ply: u32,
    pub window: Window,
    pub path: Option<PathSet>,
    /// Its moves that are still to come lie here in the visit's `ahead`.
    pub next: usize,
    pub end: usize,
    /// True if no candidate is followed any more.
    pub cut: bool,
}

/// A move to be followed.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub child: NodeId,
    pub value: Value,
    /// True if it is among the first moves, within the distance or played, unless something is cut.
    pub candidate: bool,
    pub included: bool,
}

pub(super) struct Visit<'a> {
    pub graph: &'a Graph,
    pub paths: PathValues<'a>,
    pub aim: Aim<'a>,
    covering: Covering,
    covered: &'a mut Covered,
    /// Visits of this pass after paths in the position's own circle.
    in_circles: HashMap<(NodeId, PathSet), Vec<Visited>>,
    pub frames: Vec<Frame>,
    /// The moves of all frames that are to be followed, one frame's behind the other's.
    pub ahead: Vec<Step>,
    pub services: Vec<Service>,
    service_of: HashMap<NodeId, usize>,
    /// Visits of analysed positions, covered ones not counted.
    pub made: u64,
}

impl<'a> Visit<'a> {
    pub fn new(
        covering: Covering,
        graph: &'a Graph,
        values: &'a Values,
        aim: Aim<'a>,
        covered: &'a mut Covered,
        work: Work,
    ) -> Visit<'a> {
        Visit {
            graph,
            paths: PathValues::within(graph, values, work),
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

    pub fn run(&mut self) {
        let mut goes_on = self.enter(self.aim.root, 0, Window::FULL, None).map(|()| true);
        while goes_on == Ok(true) {
            goes_on = self.step();
        }
    }

    /// The result.
    pub fn asked(self) -> Asked {
        Asked { services: self.services, visits: self.made, work: self.paths.into_work() }
    }

    /// Follows the next move of the innermost frame; false if nothing is left.
    fn step(&mut self) -> Result<bool, Spent> {
        let Some(frame) = self.frames.last_mut() else {
            return Ok(false);
        };
        if frame.next == frame.end {
            let frame = self.frames.pop();
            let start = self.frames.last().map_or(0, |outer| outer.end);
            debug_assert!(frame.is_some_and(|frame| frame.end >= start));
            self.ahead.truncate(start);
            return Ok(true);
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
            self.enter(child, ply, Window::FULL, path)?;
        } else if candidate {
            let turned =
                if ply == 0 { Window::FULL } else { Window { lo: -window.hi, hi: -window.lo } };
            self.enter(child, ply + 1, turned, path)?;
        }
        Ok(true)
    }

    /// Visits a position after a path: asks for what it lacks, and lines its moves up.
    fn enter(
        &mut self,
        node: NodeId,
        ply: u32,
        window: Window,
        before: Option<PathSet>,
    ) -> Result<(), Spent> {
        self.paths.spend(FOLLOWED)?;
        if self.graph.is_leaf(node) || self.paths.repeats(node, before) {
            return Ok(());
        }
        if !self.graph.is_analysed(node) {
            if self.graph.list(node).len() == self.graph.legal_moves(node) {
                // All moves are excluded, which directives may not do: there is nothing to ask.
                return Ok(());
            }
            let distance = if ply <= 1 { self.distance(node, ply) } else { 0 };
            let moves = self.aim.breadth.least_at(ply);
            self.request(node, Request { best: None, distance, moves });
            return Ok(());
        }
        let before = self.paths.relevant(node, before);
        if self.covering == Covering::Skip && self.is_covered(node, before, ply, window) {
            return Ok(());
        }
        self.made += 1;
        if ply >= 2 && ply == self.aim.depth && self.graph.included(node).is_empty() {
            return Ok(()); // It would ask for nothing and go no further: no alpha is needed.
        }
        let path = self.paths.extend(before, node);
        self.visit_analysed(node, ply, window, path)
    }

    /// True if an earlier visit covers this one; otherwise it is noted.
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

    pub fn distance(&self, node: NodeId, ply: u32) -> u32 {
        self.aim.breadth.distance(self.graph.turn(node), ply)
    }

    pub fn request(&mut self, node: NodeId, request: Request) {
        let (graph, services) = (self.graph, &mut self.services);
        let index = *self.service_of.entry(node).or_insert_with(|| {
            services.push(Service::new(graph, node));
            services.len() - 1
        });
        self.services[index].request(request);
    }
}
