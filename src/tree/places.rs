//! Where each analysed position stands in a printed tree: its first place in a breadth-first walk.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use crate::chess::Value;

use super::graph::{Edge, Graph, NodeId};
use super::values::Values;
use super::values::line::{Line, PathSet};
use super::visit::order::{RankedMove, distance_at, is_candidate, reach, sort_moves};

/// A position with its moves, at one place of the tree.
#[derive(Debug)]
pub struct Place {
    /// The position.
    pub node: NodeId,
    /// Its distance from the root along this line.
    pub ply: u32,
    /// The place and the move there that lead to it; none for place 0.
    pub parent: Option<(usize, usize)>,
    /// Its moves by alpha, best first, ties by rank.
    pub moves: Vec<Child>,
    path: Option<PathSet>,
}

/// A move at a place.
#[derive(Debug)]
pub struct Child {
    /// Where it leads, and the engine's score.
    pub edge: Edge,
    /// Its place in the engine's list.
    pub rank: usize,
    /// Its value whatever the line, for the mover.
    pub idea: Value,
    /// Its value on this line, for the mover.
    pub alpha: Value,
    /// Whether it is the first or within the distance of the first at this ply.
    pub candidate: bool,
    /// Whether it returns to the path or the game.
    pub repetition: bool,
    /// Whether the position's moves stand elsewhere in the same output.
    pub transposition: bool,
    /// The place of the position's moves, where it is this one.
    pub place: Option<usize>,
}

/// How much of a tree is laid out, and in which order.
#[derive(Debug, Clone, Copy, Default)]
pub struct Layout {
    /// How many levels of moves there are; all where it is not said.
    pub plies: Option<u32>,
    /// How many moves a position has, the best ones; all where it is not said.
    pub moves: Option<usize>,
    /// Whether the positions of the best line have their place there, so that it is whole.
    pub best_line_first: bool,
}

/// Lays out the tree below the end of a line of analysed positions (at least the root): place 0 is
/// that end, and every other analysed position has its first place in a breadth-first walk that is
/// not a repetition, or its place on the best line where that goes first.
pub fn places(
    graph: &Graph,
    values: &Values,
    line: &[NodeId],
    distance: u32,
    layout: Layout,
) -> Vec<Place> {
    let mut walk = Walk { graph, values, line: Line::new(graph, values), distance, layout };
    let path = line.iter().fold(None, |path, node| walk.line.extend(path, *node));
    let Some(start) = line.last().filter(|node| graph.is_analysed(**node)) else {
        return Vec::new();
    };
    let first_ply = u32::try_from(line.len()).unwrap_or(u32::MAX).saturating_sub(1);
    let end_ply = layout.plies.map_or(u32::MAX, |plies| first_ply.saturating_add(plies));
    if first_ply >= end_ply {
        return Vec::new();
    }
    let first = walk.place(*start, first_ply, None, path);
    let mut placed = Placed { places: vec![first], of: HashMap::new(), waiting: BTreeSet::new() };
    placed.of.insert(*start, 0);
    placed.waiting.insert((first_ply, 0));
    if layout.best_line_first {
        let mut last = 0;
        while let Some(next) = placed.put(&mut walk, last, 0, end_ply) {
            last = next;
        }
    }
    while let Some((_, current)) = placed.waiting.pop_first() {
        for child in 0..placed.places[current].moves.len() {
            placed.put(&mut walk, current, child, end_ply);
        }
    }
    placed.places
}

/// The places that there are so far.
struct Placed {
    places: Vec<Place>,
    of: HashMap<NodeId, usize>,
    /// Places whose moves are still to be followed, by ply.
    waiting: BTreeSet<(u32, usize)>,
}

impl Placed {
    /// Gives the position after a move its place here, where it is analysed and has none yet.
    fn put(
        &mut self,
        walk: &mut Walk<'_>,
        current: usize,
        child: usize,
        end_ply: u32,
    ) -> Option<usize> {
        let count = self.places.len();
        let place = self.places.get_mut(current)?;
        let (ply, path) = (place.ply + 1, place.path);
        let m = place.moves.get_mut(child)?;
        let node = m.edge.child;
        if m.place.is_some() || m.repetition || !walk.graph.is_analysed(node) {
            return None;
        }
        m.transposition = self.of.contains_key(&node);
        if m.transposition || ply >= end_ply {
            return None;
        }
        m.place = Some(count);
        self.of.insert(node, count);
        self.waiting.insert((ply, count));
        let path = walk.line.extend(path, node);
        self.places.push(walk.place(node, ply, Some((current, child)), path));
        Some(count)
    }
}

struct Walk<'a> {
    graph: &'a Graph,
    values: &'a Values,
    line: Line<'a>,
    distance: u32,
    layout: Layout,
}

impl Walk<'_> {
    fn place(
        &self,
        node: NodeId,
        ply: u32,
        parent: Option<(usize, usize)>,
        path: Option<PathSet>,
    ) -> Place {
        let list = self.graph.list(node);
        let alpha = |rank: usize| RankedMove { rank, alpha: self.line.alpha(&list[rank], path) };
        let mut ranked: Vec<RankedMove> = (0..list.len()).map(alpha).collect();
        sort_moves(&mut ranked);
        let best = ranked.first().map_or(Value::DRAW, |m| m.alpha);
        let distance = reach(best, distance_at(self.distance, ply));
        let child = |(index, m): (usize, &RankedMove)| Child {
            edge: list[m.rank],
            rank: m.rank,
            idea: self.values.idea_of(self.graph, &list[m.rank]),
            alpha: m.alpha,
            candidate: index == 0 || is_candidate(m.alpha, best, distance),
            repetition: self.line.repeats(list[m.rank].child, path),
            transposition: false,
            place: None,
        };
        let count = self.layout.moves.unwrap_or(usize::MAX);
        let moves = ranked.iter().enumerate().take(count).map(child).collect();
        Place { node, ply, parent, moves, path }
    }
}
