//! A visit at an analysed position: its requests, and the moves it follows.

use crate::chess::Value;

use super::covered::Window;
use super::order::{Listed, RankedMove, is_candidate, reach, sort_moves};
use super::service::Request;
use super::walk::{Frame, Step, Visit};
use crate::tree::graph::{Edge, Followed, NodeId};
use crate::tree::values::paths::PathSet;
use crate::tree::work::Spent;

impl Visit<'_> {
    pub fn visit_analysed(
        &mut self,
        node: NodeId,
        ply: u32,
        window: Window,
        path: Option<PathSet>,
    ) -> Result<(), Spent> {
        let (moves, ranked) = (self.graph.moves(node), self.rank(node, ply, path)?);
        let Some(best) = ranked.iter().map(|m| m.alpha).max() else {
            return Ok(());
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
        if !self.graph.has_followed(node) {
            if !cut {
                self.line_up(moves, keep_candidates(ranked, best, distance, least));
            }
        } else {
            self.line_up_with_followed(node, ranked, |index, alpha| {
                index < least || is_candidate(alpha, best, distance)
            });
        }
        let end = self.ahead.len();
        if end > next {
            self.frames.push(Frame { ply, window, path, next, end, cut });
        }
        Ok(())
    }

    /// The moves of a position with their alphas. Of moves that are no candidates these may be too
    /// great: working out the effect of the path on them would be wasted.
    fn rank(
        &mut self,
        node: NodeId,
        ply: u32,
        path: Option<PathSet>,
    ) -> Result<Vec<RankedMove>, Spent> {
        let moves = self.graph.moves(node).iter().enumerate();
        self.paths.spend(moves.len() as u64 * self.paths.steps_of_a_value(path))?;
        let mut inexact = Vec::new();
        let bound = |(index, edge): (usize, &Edge)| {
            let bound = self.paths.bound(edge, path);
            if !bound.is_exact {
                inexact.push(index);
            }
            RankedMove { index, alpha: bound.value }
        };
        let ranked: Vec<RankedMove> = moves.clone().map(bound).collect();
        if inexact.is_empty() || self.can_do_without(node, ply, &ranked, &inexact) {
            return Ok(ranked);
        }
        let alpha = |(index, edge)| RankedMove { index, alpha: self.paths.alpha(edge, path) };
        let ranked = moves.map(alpha).collect();
        self.paths.spend(0).map(|()| ranked)
    }

    /// True if some moves are no candidates even with the values here, which they cannot exceed.
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
        !self.graph.has_followed(node)
            && inexact.iter().all(|index| ranked[*index].alpha > self.graph.drawn(node))
            && candidates.iter().all(|m| !inexact.contains(&m.index))
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

    /// Lines up candidates, played and included moves as they come, then the included ones that do not count, and the
    /// played ones that do not.
    fn line_up_with_followed(
        &mut self,
        node: NodeId,
        mut ranked: Vec<RankedMove>,
        is_candidate: impl Fn(usize, Value) -> bool,
    ) {
        let (graph, moves) = (self.graph, self.graph.moves(node));
        sort_moves(&mut ranked);
        let counting = ranked.iter().enumerate().map(|(index, m)| {
            let Edge { child, uci, .. } = moves[m.index];
            let candidate = is_candidate(index, m.alpha) || graph.is_played(node, uci);
            Step { child, value: m.alpha, candidate, included: graph.is_included(node, uci) }
        });
        self.ahead.extend(counting.filter(|step| step.candidate || step.included));
        // A move that does not count has no value: it makes no window narrower.
        let waits = |included: bool| {
            let (value, candidate) = (Value::MIN, !included);
            move |f: Followed| Step { child: f.child, value, candidate, included }
        };
        self.ahead.extend(graph.waiting(node).map(waits(true)));
        self.ahead.extend(graph.waiting_played(node).map(waits(false)));
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
