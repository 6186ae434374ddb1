//! Where each analysed position stands in a printed tree: its first place in a breadth-first walk.

use hashbrown::HashMap;

use crate::chess::Value;

use super::graph::{Edge, Graph, NodeId};
use super::line::{Line, PathSet};
use super::order::{RankedMove, distance_at, is_candidate, reach, sort_moves};
use super::values::Values;

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

/// Lays out the tree below the end of a line of analysed positions (at least the root): place 0 is
/// that end, and every other analysed position has its first place in a breadth-first walk that is
/// not a repetition. `plies` says how many levels of moves there are.
pub fn places(
    graph: &Graph,
    values: &Values,
    line: &[NodeId],
    distance: u32,
    plies: Option<u32>,
) -> Vec<Place> {
    let mut walk = Walk { graph, values, line: Line::new(graph, values), distance };
    let path = line.iter().fold(None, |path, node| walk.line.extend(path, *node));
    let Some(start) = line.last().filter(|node| graph.is_analysed(**node)) else {
        return Vec::new();
    };
    let first_ply = u32::try_from(line.len()).unwrap_or(u32::MAX).saturating_sub(1);
    let end_ply = plies.map_or(u32::MAX, |plies| first_ply.saturating_add(plies));
    if first_ply >= end_ply {
        return Vec::new();
    }
    let mut places = vec![walk.place(*start, first_ply, None, path)];
    let mut place_of: HashMap<NodeId, usize> = HashMap::new();
    place_of.insert(*start, 0);
    let mut current = 0;
    while current < places.len() {
        let (ply, path) = (places[current].ply + 1, places[current].path);
        for child in 0..places[current].moves.len() {
            let count = places.len();
            let m = &mut places[current].moves[child];
            let node = m.edge.child;
            if m.repetition || !graph.is_analysed(node) {
                continue;
            }
            m.transposition = place_of.contains_key(&node);
            if m.transposition || ply >= end_ply {
                continue;
            }
            m.place = Some(count);
            place_of.insert(node, count);
            let path = walk.line.extend(path, node);
            places.push(walk.place(node, ply, Some((current, child)), path));
        }
        current += 1;
    }
    places
}

struct Walk<'a> {
    graph: &'a Graph,
    values: &'a Values,
    line: Line<'a>,
    distance: u32,
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
        Place { node, ply, parent, moves: ranked.iter().enumerate().map(child).collect(), path }
    }
}
