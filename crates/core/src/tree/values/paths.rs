//! Alpha after a path: values with the positions of the path as drawn ends (ALGORITHM, section 3).
//!
//! Only the path's positions inside the same circle matter, and they are the last ones of the path:
//! a path that has left a component never comes back. So a path is known by a [`PathSet`], and
//! positions outside circles have none.
//!
//! Changes by one position more on the path are worked out only once a value is asked for that may
//! lean on it. Positions that lean on another have less of a gain than it, and a line of best moves
//! goes from gain to greater gain: in endings with large circles half of the paths and more are
//! never worked out.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use hashbrown::hash_table::Entry;
use hashbrown::{HashMap, HashTable};
use shakmaty::ByColor;

use crate::chess::Value;

use super::gain::{Gain, Standing};
use super::standing::{Change, Standings};
use super::{Values, move_value};
use crate::tree::graph::{Edge, Graph, NodeId};
use crate::tree::work::{Spent, Work};

/// Positions of a circle copied in the time of a step.
const COPIED_IN_A_STEP: u64 = 32;

/// The last positions of a path, all in one circle, up to the position where a move is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PathSet(u32);

/// Knowledge of a move's value for its mover.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    /// The value, or one that is at least as far from a draw.
    pub value: Value,
    /// True if it is the value.
    pub is_exact: bool,
}

/// One circle after a path, as the difference to the circle after a path of one position less.
#[derive(Debug)]
struct AfterSet {
    circle: u32,
    /// The path's positions in the circle, local numbers, ascending.
    path: Box<[u32]>,
    /// The set without one of its positions; None if it has only one.
    before: Option<PathSet>,
    /// That position.
    last: u32,
    /// Its changes; None until a value that may lean on it is asked for.
    changes: Option<Box<[Change]>>,
    /// The greatest gains of the positions whose changes are not worked out: a position with as
    /// much keeps its standing.
    undrawn: ByColor<Option<Gain>>,
}

impl AfterSet {
    /// Changes by its last position, as far as worked out.
    fn worked_out(&self) -> &[Change] {
        self.changes.as_deref().unwrap_or_default()
    }
}

/// A circle's standings after the path that was looked at last.
#[derive(Debug)]
struct Current<'a> {
    standings: Standings<'a>,
    set: Option<PathSet>,
}

/// Values after paths, each set of path positions worked out once.
#[derive(Debug)]
pub struct PathValues<'a> {
    graph: &'a Graph,
    values: &'a Values,
    sets: Vec<AfterSet>,
    /// Sets by circle and path.
    known: HashTable<PathSet>,
    /// The circles that paths have come to.
    currents: HashMap<u32, Current<'a>>,
    /// Once it is spent, values may be greater than they are.
    work: Work,
}

impl<'a> PathValues<'a> {
    /// Without any path yet.
    pub fn new(graph: &'a Graph, values: &'a Values) -> PathValues<'a> {
        PathValues::within(graph, values, Work::UNLIMITED)
    }

    /// Without any path yet, with a limit of work; once it is spent, values are of no use.
    pub(in crate::tree) fn within(
        graph: &'a Graph,
        values: &'a Values,
        work: Work,
    ) -> PathValues<'a> {
        let (known, currents) = (HashTable::new(), HashMap::new());
        PathValues { graph, values, sets: Vec::new(), known, currents, work }
    }

    /// The tree that the paths are in.
    pub fn graph(&self) -> &'a Graph {
        self.graph
    }

    /// The values of its positions before any path.
    pub fn values(&self) -> &'a Values {
        self.values
    }

    /// Counts work done with its values.
    ///
    /// # Errors
    ///
    /// [`Spent`] if it is too much.
    pub(in crate::tree) fn spend(&mut self, steps: u64) -> Result<(), Spent> {
        self.work.spend(steps)
    }

    /// The work left.
    pub(in crate::tree) fn into_work(self) -> Work {
        self.work
    }

    /// Steps to look a value up after a path, if it is worked out.
    pub(in crate::tree) fn steps_of_a_value(&self, path: Option<PathSet>) -> u64 {
        1 + path.map_or(0, |set| self.set(set).path.len() as u64)
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
        let mut undrawn = before.map_or_else(ByColor::default, |set| self.set(set).undrawn);
        if let Some((winner, gain)) = self.standing(circle, before, local).lead() {
            let greatest = undrawn.get_mut(winner);
            *greatest = Some(gain).max(*greatest);
        }
        let path = path.into();
        self.sets.push(AfterSet { circle, path, before, last: local, changes: None, undrawn });
        Some(new)
    }

    /// The value of a move for its mover after a path that ends in the position it is played from.
    pub fn alpha(&mut self, edge: &Edge, path: Option<PathSet>) -> Value {
        let bound = self.bound(edge, path);
        match path {
            Some(set) if !bound.is_exact => {
                self.work_out(set);
                self.bound(edge, path).value
            }
            _ => bound.value,
        }
    }

    /// The alpha as far as known: if the path's positions may change it, it is only known to lie
    /// between this value and a draw.
    pub fn bound(&self, edge: &Edge, path: Option<PathSet>) -> Bound {
        let inside = path.zip(self.inside(edge.child, path));
        let Some((set, local)) = inside.filter(|_| !self.graph.is_repeated(edge.child)) else {
            return Bound { value: self.values.alpha_of(self.graph, edge), is_exact: true };
        };
        let AfterSet { circle, path, undrawn, .. } = self.set(set);
        let standing = match path.binary_search(&local) {
            Ok(_) => Standing::DRAWN,
            Err(_) => self.standing(*circle, Some(set), local),
        };
        let keeps_it = |(winner, gain)| Some(gain) >= *undrawn.get(winner);
        let child_value = standing.value(self.graph.turn(edge.child), self.graph.draw());
        Bound {
            value: move_value(self.graph, edge, || child_value),
            is_exact: standing.lead().is_none_or(keeps_it),
        }
    }

    /// The standing of a position, as left by the last position of the path that changed it, as far
    /// as worked out.
    fn standing(&self, circle: u32, mut set: Option<PathSet>, local: u32) -> Standing {
        while let Some(after) = set.map(|set| self.set(set)) {
            let changes = after.worked_out();
            if let Ok(index) = changes.binary_search_by_key(&local, |change| change.place) {
                return changes[index].after();
            }
            set = after.before;
        }
        self.values.circle(circle).standing(local)
    }

    /// Works out the changes by the positions of a path, one after the other.
    fn work_out(&mut self, set: PathSet) {
        let (mut open, mut next) = (Vec::new(), Some(set));
        while let Some(set) = next.filter(|set| self.set(*set).changes.is_none()) {
            open.push(set);
            next = self.set(set).before;
        }
        for set in open.into_iter().rev() {
            let Ok(changes) = self.draw(set) else {
                return;
            };
            let known = &mut self.sets[set.0 as usize];
            (known.changes, known.undrawn) = (Some(changes), ByColor::default());
        }
    }

    /// Makes the last position of a path a drawn end, those before it being drawn.
    fn draw(&mut self, set: PathSet) -> Result<Box<[Change]>, Spent> {
        let (values, AfterSet { circle, before, last, .. }) = (self.values, self.set(set));
        let (circle, before, last) = (*circle, *before, *last);
        if !self.currents.contains_key(&circle) {
            let positions = values.circles().positions(circle).len() as u64;
            self.work.spend(positions / COPIED_IN_A_STEP)?;
        }
        let current = self
            .currents
            .entry(circle)
            .or_insert_with(|| Current { standings: values.circle(circle).standings(), set: None });
        current.go_to(before, &self.sets, &mut self.work)?;
        current.set = Some(set);
        current.standings.draw(last, &mut self.work).map(Vec::into_boxed_slice)
    }

    /// True if a position is on the path, or was repeated in the game before the root.
    pub fn repeats(&self, node: NodeId, path: Option<PathSet>) -> bool {
        let on_path = |(set, local)| self.set(set).path.binary_search(&local).is_ok();
        self.graph.is_repeated(node) || path.zip(self.inside(node, path)).is_some_and(on_path)
    }

    /// The part of a path that matters for the values of `node`: none from another circle.
    pub fn relevant(&self, node: NodeId, path: Option<PathSet>) -> Option<PathSet> {
        self.inside(node, path).and(path)
    }

    /// The local number of a position in the circle that a path ends in, if it is there.
    fn inside(&self, node: NodeId, path: Option<PathSet>) -> Option<u32> {
        let set = self.set(path?);
        let (circle, local) = self.values.circle_of(node)?;
        (set.circle == circle).then_some(local)
    }

    fn set(&self, set: PathSet) -> &AfterSet {
        &self.sets[set.0 as usize]
    }
}

impl Current<'_> {
    /// Undoes changes and makes others, until the standings are those after a path. A visit goes
    /// from a path to its neighbour, so this is little work.
    fn go_to(
        &mut self,
        target: Option<PathSet>,
        sets: &[AfterSet],
        work: &mut Work,
    ) -> Result<(), Spent> {
        let get = |set: Option<PathSet>| set.map(|set| &sets[set.0 as usize]);
        let length = |set| get(set).map_or(0, |set| set.path.len());
        let (mut target, mut to_redo) = (target, Vec::new());
        while self.set != target {
            if length(self.set) >= length(target) {
                let set = get(self.set);
                let changes = set.map_or(&[][..], AfterSet::worked_out);
                work.spend(changes.len() as u64)?;
                self.standings.undo(changes);
                self.set = set.and_then(|set| set.before);
            } else {
                to_redo.push(target);
                target = get(target).and_then(|set| set.before);
            }
        }
        for set in to_redo.into_iter().rev() {
            let changes = get(set).map_or(&[][..], AfterSet::worked_out);
            work.spend(changes.len() as u64)?;
            self.standings.redo(changes);
            self.set = set;
        }
        Ok(())
    }
}

fn hash(key: (u32, &[u32])) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(key)
}
