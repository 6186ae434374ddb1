//! Alpha after a path: values with the positions of the path as drawn ends (ALGORITHM, section 3).
//!
//! Only the path's positions inside the same circle matter, and they are the last ones of the path:
//! a path that has left a component never comes back. So a path is known by a [`PathSet`], and
//! positions outside circles have none.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use hashbrown::hash_table::Entry;
use hashbrown::{HashMap, HashTable};

use crate::chess::Value;

use super::standing::{Change, Standings};
use super::{Values, move_value};
use crate::tree::graph::{Edge, Graph, NodeId};

/// The last positions of a path, all in one circle, up to the position where a move is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PathSet(u32);

/// One circle after a path, as the difference to the circle after a path of one position less.
#[derive(Debug)]
struct AfterSet {
    circle: u32,
    /// The path's positions in the circle, local numbers, ascending.
    path: Box<[u32]>,
    /// The set without one of its positions; none where it has only one.
    before: Option<PathSet>,
    changes: Box<[Change]>,
}

/// A circle's standings after the path that was looked at last.
#[derive(Debug)]
struct Current<'a> {
    standings: Standings<'a>,
    set: Option<PathSet>,
}

/// Values after paths, each set of path positions worked out once.
#[derive(Debug)]
pub struct Line<'a> {
    graph: &'a Graph,
    values: &'a Values,
    sets: Vec<AfterSet>,
    /// Sets by circle and path.
    known: HashTable<PathSet>,
    /// The circles that paths have come to.
    currents: HashMap<u32, Current<'a>>,
}

impl<'a> Line<'a> {
    /// No path yet.
    pub fn new(graph: &'a Graph, values: &'a Values) -> Line<'a> {
        let (known, currents) = (HashTable::new(), HashMap::new());
        Line { graph, values, sets: Vec::new(), known, currents }
    }

    /// The tree that the paths are in.
    pub fn graph(&self) -> &'a Graph {
        self.graph
    }

    /// What its positions are worth before any path.
    pub fn values(&self) -> &'a Values {
        self.values
    }

    /// The path that ends in `node`, from the path before it.
    pub fn extend(&mut self, before: Option<PathSet>, node: NodeId) -> Option<PathSet> {
        let (circle, local) = self.values.circle_of(node)?;
        let before = before.filter(|set| self.set(*set).circle == circle);
        let mut path = before.map_or_else(Vec::new, |set| self.set(set).path.to_vec());
        if let Err(place) = path.binary_search(&local) {
            path.insert(place, local);
        }
        let new = PathSet(self.sets.len() as u32);
        let sets = &self.sets;
        let path_of = |set: &PathSet| (sets[set.0 as usize].circle, &*sets[set.0 as usize].path);
        let entry = self.known.entry(
            hash((circle, &path)),
            |set| path_of(set) == (circle, &path),
            |set| hash(path_of(set)),
        );
        match entry {
            Entry::Occupied(entry) => return Some(*entry.get()),
            Entry::Vacant(entry) => entry.insert(new),
        };
        let changes = self.draw(circle, before, local, new);
        self.sets.push(AfterSet { circle, path: path.into(), before, changes });
        Some(new)
    }

    /// Makes one position more a drawn end of its circle.
    fn draw(
        &mut self,
        circle: u32,
        before: Option<PathSet>,
        local: u32,
        new: PathSet,
    ) -> Box<[Change]> {
        let values = self.values;
        let current = self
            .currents
            .entry(circle)
            .or_insert_with(|| Current { standings: values.circle(circle).standings(), set: None });
        current.go_to(before, &self.sets);
        current.set = Some(new);
        current.standings.draw(local).into_boxed_slice()
    }

    /// The value of a move for its mover after a path that ends in the position it is played from.
    pub fn alpha(&self, edge: &Edge, path: Option<PathSet>) -> Value {
        match self.inside(edge.child, path) {
            Some((set, local)) if !self.graph.is_earlier(edge.child) => {
                move_value(self.graph, edge, self.value_after(set, local, edge.child))
            }
            _ => self.values.alpha_of(self.graph, edge),
        }
    }

    /// The value of a position for its side to move: what the last position of the path that
    /// changed it made of it.
    fn value_after(&self, set: &AfterSet, local: u32, node: NodeId) -> Value {
        let mut set = Some(set);
        while let Some(AfterSet { changes, before, .. }) = set {
            if let Ok(index) = changes.binary_search_by_key(&local, |change| change.place) {
                return changes[index].value(self.graph.turn(node));
            }
            set = before.map(|before| self.set(before));
        }
        self.values.alpha(node)
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
        let set = self.set(path?);
        let (circle, local) = self.values.circle_of(node)?;
        (set.circle == circle).then_some((set, local))
    }

    fn set(&self, set: PathSet) -> &AfterSet {
        &self.sets[set.0 as usize]
    }
}

impl Current<'_> {
    /// Takes changes back and makes others, until the standings are those after a path. A visit
    /// goes from a path to its neighbour, so this is little work.
    fn go_to(&mut self, target: Option<PathSet>, sets: &[AfterSet]) {
        let get = |set: Option<PathSet>| set.map(|set| &sets[set.0 as usize]);
        let length = |set| get(set).map_or(0, |set| set.path.len());
        let (mut target, mut to_redo) = (target, Vec::new());
        while self.set != target {
            if length(self.set) >= length(target) {
                let set = get(self.set);
                self.standings.undo(set.map_or(&[], |set| &set.changes));
                self.set = set.and_then(|set| set.before);
            } else {
                to_redo.push(target);
                target = get(target).and_then(|set| set.before);
            }
        }
        for set in to_redo.into_iter().rev() {
            self.standings.redo(get(set).map_or(&[], |set| &set.changes));
            self.set = set;
        }
    }
}

fn hash(key: (u32, &[u32])) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(key)
}
