//! Visits made, so that others that would ask for nothing new are skipped: in the same pass, and in
//! later ones until something that they saw has changed.

use hashbrown::{HashMap, HashSet};

use crate::chess::Value;

use crate::tree::graph::{Graph, NodeId};
use crate::tree::table::Table;
use crate::tree::values::Values;
use crate::tree::values::circles::Component;
use crate::tree::work::{Spent, Work};

/// Further visits of one position that are remembered; of more, the oldest is forgotten, and made
/// once more if it comes up again. The first stays, so that visited positions are known to have
/// been.
const REMEMBERED: usize = 6;

/// The values between which a position's value matters, for its side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Below it, another move is preferred before.
    pub lo: Value,
    /// From it on, the other side avoids the position.
    pub hi: Value,
}

impl Window {
    /// Every value matters.
    pub const FULL: Window = Window { lo: Value::MIN, hi: Value::MAX };
}

/// A visit that was made: from this ply on and within this window, another asks for nothing new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visited {
    /// The greatest number stands for all plies beyond, which no visit covers.
    ply: u16,
    /// Era of the visit, as [`Covered`] counts; 0 if there was no visit.
    era: u16,
    window: Window,
}

const NEVER: Visited = Visited { ply: 0, era: 0, window: Window::FULL };

impl Visited {
    /// A visit at a ply.
    pub fn new(ply: u32, window: Window) -> Visited {
        Visited { ply: u16::try_from(ply).unwrap_or(u16::MAX), era: 0, window }
    }

    /// True if the other one asks for nothing that this one has not asked for.
    pub fn covers(&self, other: &Visited) -> bool {
        self.ply <= other.ply
            && other.ply < u16::MAX
            && self.window.lo <= other.window.lo
            && self.window.hi >= other.window.hi
    }
}

/// Visits after paths that have nothing to do with the position: those of other paths are remembered
/// in their own pass only.
#[derive(Debug, Clone)]
pub struct Covered {
    /// Visits of earlier eras count no more. An era is a depth.
    era: u16,
    /// The first visit of each position: nearly always the only one.
    first: Table<Visited>,
    further: HashMap<NodeId, Vec<Visited>>,
    marked: Option<Marked>,
}

/// State of the further visits at the mark.
#[derive(Debug, Clone)]
struct Marked {
    era: u16,
    before: Vec<(NodeId, Option<Vec<Visited>>)>,
}

impl Covered {
    /// No visit yet.
    pub fn new() -> Covered {
        Covered { era: 1, first: Table::default(), further: HashMap::new(), marked: None }
    }

    /// Forgets all visits: another depth asks for more.
    pub fn forget_all(&mut self) {
        let next = self.era.checked_add(1);
        if self.marked.is_none() {
            self.further = HashMap::new();
        }
        if next.is_none() {
            (0..self.first.len()).for_each(|index| self.first.set(index, NEVER));
        }
        self.era = next.unwrap_or(1);
    }

    /// Numbers positions that have not been visited.
    pub fn add_nodes(&mut self, count: usize) {
        self.first.extend_to(count, NEVER);
    }

    /// Notes a visit, unless an earlier one covers it.
    pub fn enter(&mut self, node: NodeId, visit: Visited) -> bool {
        let visit = Visited { era: self.era, ..visit };
        let first = self.first[node.index()];
        if first.era != self.era {
            self.first.set(node.index(), visit);
            return true;
        }
        let further = self.further.get(&node).map_or(&[][..], Vec::as_slice);
        let known = || std::iter::once(&first).chain(further).filter(|v| v.era == self.era);
        if known().any(|known| known.covers(&visit)) {
            return false;
        }
        if visit.covers(&first) {
            self.first.set(node.index(), visit);
            return true;
        }
        let mut further: Vec<Visited> =
            further.iter().filter(|v| v.era == self.era && !visit.covers(v)).copied().collect();
        if further.len() == REMEMBERED {
            further.remove(0);
        }
        further.push(visit);
        self.note(node);
        self.further.insert(node, further);
        true
    }

    /// Forgets the visits of positions whose moves have changed, and of all through which they were
    /// reached.
    ///
    /// # Errors
    ///
    /// [`Spent`] if that is too much work.
    pub fn forget(
        &mut self,
        graph: &Graph,
        values: &Values,
        changed: &[NodeId],
        work: &mut Work,
    ) -> Result<(), Spent> {
        let circles = values.circles();
        // To ask each position of a large circle for its circle's visits would be quadratic.
        let mut seen_circles: HashSet<u32> = HashSet::new();
        let mut forget = |covered: &mut Covered, component: Component, work: &mut Work| {
            work.spend(1)?;
            match component {
                Component::Single(node) => Ok(covered.forget_visits(node)),
                Component::Circle(circle) if seen_circles.insert(circle) => {
                    let positions = circles.positions(circle);
                    work.spend(positions.len() as u64)?;
                    Ok(covered.forget_circle(positions))
                }
                Component::Circle(_) => Ok(false),
            }
        };
        let mut open: Vec<Component> = Vec::new();
        for component in changed.iter().map(|node| circles.component_of(*node)) {
            if forget(self, component, work)? {
                open.push(component);
            }
        }
        while let Some(component) = open.pop() {
            let nodes = circles.nodes(&component).iter();
            for above in nodes.flat_map(|node| graph.parents(*node)) {
                let above = circles.component_of(above);
                if above != component && forget(self, above, work)? {
                    open.push(above);
                }
            }
        }
        Ok(())
    }

    fn forget_circle(&mut self, positions: &[NodeId]) -> bool {
        let visited = positions.iter().filter(|node| self.forget_visits(**node));
        visited.count() > 0
    }

    /// Forgets the visits of a position; true if there were any.
    fn forget_visits(&mut self, node: NodeId) -> bool {
        let visited = self.first[node.index()].era == self.era;
        if visited {
            self.first.set(node.index(), NEVER);
            if self.further.contains_key(&node) {
                self.note(node);
                self.further.remove(&node);
            }
        }
        visited
    }

    /// Saves an entry before its change, if it may have to be restored.
    fn note(&mut self, node: NodeId) {
        if let Some(marked) = &mut self.marked {
            marked.before.push((node, self.further.get(&node).cloned()));
        }
    }

    /// Marks the present state for [`Covered::undo`].
    pub fn mark(&mut self) {
        self.first.mark();
        self.marked = Some(Marked { era: self.era, before: Vec::new() });
    }

    /// Undoes the changes since the mark.
    pub fn undo(&mut self) {
        self.first.undo();
        let Some(Marked { era, before }) = self.marked.take() else {
            return;
        };
        self.era = era;
        for (node, visits) in before.into_iter().rev() {
            match visits {
                Some(visits) => _ = self.further.insert(node, visits),
                None => _ = self.further.remove(&node),
            }
        }
    }
}
