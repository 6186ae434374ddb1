//! Places of analysed positions in a printed tree: the first in a breadth-first walk.

use hashbrown::HashMap;
use shakmaty::Color;
use shakmaty::packed::PackedUciMove;

use crate::chess::Value;

use super::breadth::Breadth;
use super::graph::{Edge, Graph, NodeId};
use super::one_sided::keep_side;
use super::values::Values;
use super::values::paths::{PathSet, PathValues};
use super::visit::order::{RankedMove, is_candidate, reach, sort_moves};

/// A position with its moves, at one place of the tree.
#[derive(Debug)]
pub struct Place {
    /// The position.
    pub node: NodeId,
    /// Its distance from the root along this line.
    pub ply: u32,
    /// Its ply less the included moves on the way: the ply whose distance counts.
    pub visit_ply: u32,
    /// The place and the move there that lead to it; None for place 0.
    pub parent: Option<(usize, usize)>,
    /// Its moves that count, by alpha, best first, ties by rank.
    pub moves: Vec<Child>,
    /// Its moves that do not: included ones that lead to no analysed position yet, by UCI text, and then
    /// excluded ones that are listed, by rank.
    pub aside: Vec<Aside>,
    path: Option<PathSet>,
}

/// A move at a place that does not count there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aside {
    /// The move.
    pub uci: PackedUciMove,
    /// The position after it.
    pub child: NodeId,
    /// Its place in the engine's list, and its score; None if it is not listed. The user has
    /// excluded it if it is, and included it if it is not.
    pub listed: Option<(usize, Value)>,
}

/// A move at a place.
#[derive(Debug)]
pub struct Child {
    /// The position after it, and the engine's score, if it is listed.
    pub edge: Edge,
    /// Its place in the engine's list; None if it is included or played alone.
    pub rank: Option<usize>,
    /// True if the user has included it.
    pub included: bool,
    /// True if it is a candidate because it is played, and not for its value.
    pub only_played: bool,
    /// Its value whatever the line, for the mover.
    pub idea: Value,
    /// Its value on this line, for the mover.
    pub alpha: Value,
    /// True if it is the first, within the distance of the first at this ply, or played.
    pub candidate: bool,
    /// True if it returns to the path or the game.
    pub repetition: bool,
    /// True if the position's moves stand elsewhere in the same output.
    pub transposition: bool,
    /// The place of the position's moves, if it is this one.
    pub place: Option<usize>,
}

impl Child {
    /// The engine's score for the mover; None if the move is not listed.
    pub fn eval(&self) -> Option<Value> {
        self.rank.map(|_| self.edge.eval)
    }
}

/// Extent and order of a layout.
#[derive(Debug, Clone, Copy, Default)]
pub struct Layout {
    /// Number of levels of moves; None for all.
    pub plies: Option<u32>,
    /// Number of moves of a position, the best ones; None for all.
    pub moves: Option<usize>,
    /// Side whose repertoire is laid out: its moves are the included ones, or the best one if there
    /// are none, and the other side's are its candidates and the included ones. None for every move
    /// of both.
    pub side: Option<Color>,
    /// True if the positions of the best line have their place there, so that it is whole.
    pub best_line_first: bool,
}

/// Moves by which a layout is to reach positions, by where they are played, each with its place in
/// their order.
pub type WrittenLines = HashMap<(NodeId, PackedUciMove), u32>;

/// Lays out the tree below the end of a line of analysed positions (at least the root): place 0 is
/// that end, and every other analysed position has its first place in a breadth-first walk that is
/// not a repetition, or its place on the best line if that goes first.
pub fn places(
    graph: &Graph,
    values: &Values,
    line: &[NodeId],
    breadth: &Breadth,
    layout: Layout,
) -> Vec<Place> {
    places_by_lines(graph, values, line, breadth, layout, &WrittenLines::new())
}

/// [`places`] with some lines first: positions to which such moves lead have their places behind
/// them.
pub fn places_by_lines(
    graph: &Graph,
    values: &Values,
    line: &[NodeId],
    breadth: &Breadth,
    layout: Layout,
    lines: &WrittenLines,
) -> Vec<Place> {
    let mut walk = Walk { graph, paths: PathValues::new(graph, values), breadth, layout };
    let path = line.iter().fold(None, |path, node| walk.paths.extend(path, *node));
    let Some(start) = line.last().filter(|node| graph.is_analysed(**node)) else {
        return Vec::new();
    };
    let first_ply = u32::try_from(line.len()).unwrap_or(u32::MAX).saturating_sub(1);
    let end_ply = layout.plies.map_or(u32::MAX, |plies| first_ply.saturating_add(plies));
    if first_ply >= end_ply {
        return Vec::new();
    }
    let included = line.windows(2).filter(|pair| leads_included(graph, pair[0], pair[1])).count();
    let at = At { ply: first_ply, visit_ply: first_ply - included as u32, parent: None };
    let first = walk.place(*start, at, path);
    let mut placed =
        Placed { places: Vec::new(), has: vec![false; graph.len()], waiting: Vec::new() };
    placed.add(first, 0);
    placed.follow(&mut walk, lines, end_ply);
    if layout.best_line_first {
        let mut last = 0;
        while let Some(next) = placed.put(&mut walk, last, 0, end_ply) {
            last = next;
        }
    }
    let mut level = 0;
    while let Some(waiting) = placed.waiting.get_mut(level) {
        for current in std::mem::take(waiting) {
            for child in 0..placed.places[current].moves.len() {
                placed.put(&mut walk, current, child, end_ply);
            }
        }
        level += 1;
    }
    placed.places
}

/// True if the move from a position to another is included.
fn leads_included(graph: &Graph, from: NodeId, to: NodeId) -> bool {
    graph.included(from).iter().any(|included| included.child == to)
}

/// Location of a place.
struct At {
    ply: u32,
    visit_ply: u32,
    parent: Option<(usize, usize)>,
}

/// The places that there are so far.
struct Placed {
    places: Vec<Place>,
    /// True for positions that have one.
    has: Vec<bool>,
    /// Places whose moves are still to be followed, by the number of moves that lead there from the
    /// first one. A level leads to the next alone.
    waiting: Vec<Vec<usize>>,
}

impl Placed {
    /// Adds a place of a level, which is at most the next after those that there are.
    fn add(&mut self, place: Place, level: usize) {
        self.has[place.node.index()] = true;
        if self.waiting.len() == level {
            self.waiting.push(Vec::new());
        }
        self.waiting[level].push(self.places.len());
        self.places.push(place);
    }

    /// Gives the positions their places to which lines lead from the first place on, in the order of the lines.
    fn follow(&mut self, walk: &mut Walk<'_>, lines: &WrittenLines, end_ply: u32) {
        let mut waiting = vec![(0, None)];
        while let Some((current, child)) = waiting.pop() {
            let current = match child {
                None => current,
                Some(child) => match self.put(walk, current, child, end_ply) {
                    Some(next) => next,
                    None => continue,
                },
            };
            let Some(place) = self.places.get(current) else { continue };
            let number =
                |(index, m): (usize, &Child)| Some((*lines.get(&(place.node, m.edge.uci))?, index));
            let mut next: Vec<_> = place.moves.iter().enumerate().filter_map(number).collect();
            // The first line is followed first: it is taken last.
            next.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
            waiting.extend(next.into_iter().map(|(_, index)| (current, Some(index))));
        }
    }

    /// Gives the position after a move its place here, if it is analysed and has none yet.
    fn put(
        &mut self,
        walk: &mut Walk<'_>,
        current: usize,
        child: usize,
        end_ply: u32,
    ) -> Option<usize> {
        let count = self.places.len();
        let place = self.places.get_mut(current)?;
        let (ply, visit_ply, path) = (place.ply + 1, place.visit_ply, place.path);
        let m = place.moves.get_mut(child)?;
        let node = m.edge.child;
        if m.place.is_some() || m.repetition || !walk.graph.is_analysed(node) {
            return None;
        }
        m.transposition = self.has[node.index()];
        if m.transposition || ply >= end_ply {
            return None;
        }
        m.place = Some(count);
        let visit_ply = visit_ply + u32::from(!m.included);
        let path = walk.paths.extend(path, node);
        let at = At { ply, visit_ply, parent: Some((current, child)) };
        let level = (ply - self.places[0].ply) as usize;
        self.add(walk.place(node, at, path), level);
        Some(count)
    }
}

struct Walk<'a> {
    graph: &'a Graph,
    paths: PathValues<'a>,
    breadth: &'a Breadth,
    layout: Layout,
}

impl Walk<'_> {
    fn place(&mut self, node: NodeId, at: At, path: Option<PathSet>) -> Place {
        let At { ply, visit_ply, parent } = at;
        let mut moves = choices(&mut self.paths, self.breadth, node, visit_ply, path);
        let mut aside =
            if self.layout.moves.is_none() { aside(self.graph, node) } else { Vec::new() };
        if let Some(side) = self.layout.side {
            keep_side(self.graph, node, side, &mut moves, &mut aside);
        }
        moves.truncate(self.layout.moves.unwrap_or(usize::MAX));
        Place { node, ply, visit_ply, parent, moves, aside, path }
    }
}

/// The moves of a position that count, after a path that ends with it, by alpha, best first, ties by rank.
/// None of them has a place yet.
pub fn choices(
    paths: &mut PathValues<'_>,
    breadth: &Breadth,
    node: NodeId,
    visit_ply: u32,
    path: Option<PathSet>,
) -> Vec<Child> {
    let (graph, moves) = (paths.graph(), paths.graph().moves(node));
    let alpha = |index: usize| RankedMove { index, alpha: paths.alpha(&moves[index], path) };
    let mut ranked: Vec<RankedMove> = (0..moves.len()).map(alpha).collect();
    sort_moves(&mut ranked);
    let best = ranked.first().map_or(Value::EVEN, |m| m.alpha);
    let distance = reach(best, breadth.distance(graph.turn(node), visit_ply));
    let first = breadth.least_at(visit_ply);
    let child = |(index, m): (usize, &RankedMove)| {
        let edge = moves[m.index];
        let by_value = index < first || is_candidate(m.alpha, best, distance);
        let only_played = !by_value && graph.is_played(node, edge.uci);
        Child {
            edge,
            rank: graph.rank(node, m.index),
            included: graph.is_included(node, edge.uci),
            only_played,
            idea: paths.values().idea_of(graph, &edge),
            alpha: m.alpha,
            candidate: by_value || only_played,
            repetition: paths.repeats(edge.child, path),
            transposition: false,
            place: None,
        }
    };
    ranked.iter().enumerate().map(child).collect()
}

/// The moves of a position that do not count: included ones first.
pub fn aside(graph: &Graph, node: NodeId) -> Vec<Aside> {
    let waiting = graph.waiting(node);
    let waiting = waiting.map(|i| Aside { uci: i.uci, child: i.child, listed: None });
    let excluded = graph.list(node).iter().enumerate();
    let excluded = excluded.filter(|(_, edge)| graph.excluded(node).contains(&edge.uci));
    let excluded = excluded.map(|(rank, edge)| Aside {
        uci: edge.uci,
        child: edge.child,
        listed: Some((rank, edge.eval)),
    });
    waiting.chain(excluded).collect()
}
