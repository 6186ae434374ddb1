//! Positions of each circle, and the place of each position in its circle.

use crate::tree::graph::NodeId;
use crate::tree::table::Table;

/// Not in a circle.
const NONE: u32 = u32::MAX;

/// The positions of all circles. A circle that grows keeps the local numbers of those it has.
#[derive(Debug, Clone, Default)]
pub struct Members {
    /// Per node, its number among `places`.
    place_of: Table<u32>,
    /// The circle and the local number of each position in a circle.
    places: Table<(u32, u32)>,
    /// The positions of each circle, by local number; empty if it has become part of another.
    circles: Vec<Vec<NodeId>>,
    marked: Option<Marked>,
}

/// State of the circles at the mark.
#[derive(Debug, Clone)]
struct Marked {
    len: usize,
    before: Vec<(u32, Before)>,
}

/// A circle before a change.
#[derive(Debug, Clone)]
enum Before {
    /// It had fewer positions.
    Shorter(usize),
    /// It had not become part of another.
    Whole(Vec<NodeId>),
}

impl Members {
    /// Numbers positions that are in no circle.
    pub fn add_nodes(&mut self, count: usize) {
        self.place_of.extend_to(count, NONE);
    }

    /// The circle that a position is in, and its local number there.
    pub fn circle_of(&self, node: NodeId) -> Option<(u32, u32)> {
        match self.place_of[node.index()] {
            NONE => None,
            place => Some(self.places[place as usize]),
        }
    }

    /// The positions of a circle, by local number.
    pub fn of(&self, circle: u32) -> &[NodeId] {
        &self.circles[circle as usize]
    }

    /// Number of circles numbered.
    pub fn circles(&self) -> usize {
        self.circles.len()
    }

    /// Numbers a circle without positions.
    pub fn begin(&mut self) -> u32 {
        self.circles.push(Vec::new());
        self.circles.len() as u32 - 1
    }

    /// Appends positions to a circle.
    pub fn append(&mut self, circle: u32, nodes: &[NodeId]) {
        let positions = &mut self.circles[circle as usize];
        if let Some(marked) = &mut self.marked {
            marked.before.push((circle, Before::Shorter(positions.len())));
        }
        for node in nodes {
            let place = (circle, positions.len() as u32);
            positions.push(*node);
            match self.place_of[node.index()] {
                NONE => {
                    self.place_of.set(node.index(), self.places.len() as u32);
                    self.places.push(place);
                }
                known => self.places.set(known as usize, place),
            }
        }
    }

    /// Takes all positions out of a circle, for another one.
    pub fn empty(&mut self, circle: u32) -> Vec<NodeId> {
        let positions = std::mem::take(&mut self.circles[circle as usize]);
        if let Some(marked) = &mut self.marked {
            marked.before.push((circle, Before::Whole(positions.clone())));
        }
        positions
    }

    /// Marks the present state for [`Members::undo`].
    pub fn mark(&mut self) {
        self.place_of.mark();
        self.places.mark();
        self.marked = Some(Marked { len: self.circles.len(), before: Vec::new() });
    }

    /// Undoes the changes since the mark.
    pub fn undo(&mut self) {
        self.place_of.undo();
        self.places.undo();
        let Some(Marked { len, before }) = self.marked.take() else {
            return;
        };
        for (circle, before) in before.into_iter().rev() {
            match before {
                Before::Shorter(len) => self.circles[circle as usize].truncate(len),
                Before::Whole(positions) => self.circles[circle as usize] = positions,
            }
        }
        self.circles.truncate(len);
    }
}
