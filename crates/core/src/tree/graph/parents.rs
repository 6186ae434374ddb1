//! Positions from which listed moves come: the graph's moves turned around.

use super::NodeId;
use crate::tree::table::Table;

/// No position.
const NONE: u32 = u32::MAX;
/// Set where an entry is a place among the further ones, not a position.
const FURTHER: u32 = NodeId::END as u32;

/// The positions before each position. Nearly all have one, which lies in the table itself.
#[derive(Debug, Clone, Default)]
pub struct Parents {
    first: Table<u32>,
    /// Positions before those that have several, each with the place of the next.
    further: Table<(u32, u32)>,
}

impl Parents {
    /// Adds a position that no move leads to yet.
    pub fn add_node(&mut self) {
        self.first.push(NONE);
    }

    /// Adds a listed move from a position to another.
    pub fn add(&mut self, child: NodeId, parent: NodeId) {
        let first = self.first[child.index()];
        let parent = parent.index() as u32;
        if first == NONE {
            self.first.set(child.index(), parent);
            return;
        }
        let place = self.further.len() as u32;
        assert!(place < FURTHER - 1, "more moves than a graph can number");
        self.further.push((parent, first));
        self.first.set(child.index(), FURTHER | place);
    }

    /// The positions before one.
    pub fn of(&self, child: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut next = self.first[child.index()];
        std::iter::from_fn(move || {
            if next == NONE {
                return None;
            }
            let parent = if next & FURTHER == 0 {
                std::mem::replace(&mut next, NONE)
            } else {
                let (parent, behind) = self.further[(next & !FURTHER) as usize];
                next = behind;
                parent
            };
            Some(NodeId::from_index(parent as usize))
        })
    }

    /// Marks the present state for [`Parents::undo`].
    pub fn mark(&mut self) {
        self.first.mark();
        self.further.mark();
    }

    /// Undoes the additions since the mark.
    pub fn undo(&mut self) {
        self.first.undo();
        self.further.undo();
    }
}
