//! Alpha after a path: values with the positions of the path as drawn ends (ALGORITHM, section 3).
//!
//! Only the path's positions inside the same circle matter, and they are the last ones of the path:
//! a path that has left a component never comes back. So a path is known by a [`PathSet`], and
//! positions outside circles have none.

use hashbrown::HashMap;

use crate::chess::Value;

use super::graph::{Edge, Graph, NodeId};
use super::values::{Values, move_value};

/// The last positions of a path, all in one circle, up to the position where a move is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PathSet(u32);

/// The values of one circle after a path.
#[derive(Debug)]
struct AfterSet {
    circle: u32,
    /// The path's positions in the circle, local numbers, ascending.
    path: Box<[u32]>,
    values: Box<[Value]>,
}

/// Values after paths, each set of path positions worked out once.
#[derive(Debug)]
pub struct Line<'a> {
    graph: &'a Graph,
    values: &'a Values,
    sets: Vec<AfterSet>,
    known: HashMap<(u32, Box<[u32]>), PathSet>,
}

impl<'a> Line<'a> {
    /// No path yet.
    pub fn new(graph: &'a Graph, values: &'a Values) -> Line<'a> {
        Line { graph, values, sets: Vec::new(), known: HashMap::new() }
    }

    /// The path that ends in `node`, from the path before it.
    pub fn extend(&mut self, before: Option<PathSet>, node: NodeId) -> Option<PathSet> {
        let (circle, local) = self.values.circle_of(node)?;
        let mut path = match before.map(|set| &self.sets[set.0 as usize]) {
            Some(set) if set.circle == circle => set.path.to_vec(),
            _ => Vec::new(),
        };
        if let Err(place) = path.binary_search(&local) {
            path.insert(place, local);
        }
        let key = (circle, path.into_boxed_slice());
        if let Some(set) = self.known.get(&key) {
            return Some(*set);
        }
        let set = PathSet(self.sets.len() as u32);
        let values = self.values.circle(circle).values(&key.1).into_boxed_slice();
        self.sets.push(AfterSet { circle, path: key.1.clone(), values });
        self.known.insert(key, set);
        Some(set)
    }

    /// The value of a move for its mover after a path that ends in the position it is played from.
    pub fn alpha(&self, edge: &Edge, path: Option<PathSet>) -> Value {
        match self.inside(edge.child, path) {
            Some((set, local)) if !self.graph.is_earlier(edge.child) => {
                move_value(self.graph, edge, set.values[local as usize])
            }
            _ => self.values.alpha_of(self.graph, edge),
        }
    }

    /// Whether a position has been on the path or in the game before.
    pub fn repeats(&self, node: NodeId, path: Option<PathSet>) -> bool {
        let on_path = |(set, local): (&AfterSet, u32)| set.path.binary_search(&local).is_ok();
        self.graph.is_earlier(node) || self.inside(node, path).is_some_and(on_path)
    }

    /// The part of a path that matters for the values of `node`: none from another circle.
    pub fn relevant(&self, node: NodeId, path: Option<PathSet>) -> Option<PathSet> {
        self.inside(node, path).and(path)
    }

    fn inside(&self, node: NodeId, path: Option<PathSet>) -> Option<(&AfterSet, u32)> {
        let set = &self.sets[path?.0 as usize];
        let (circle, local) = self.values.circle_of(node)?;
        (set.circle == circle).then_some((set, local))
    }
}
