//! The memory of all lists: each in one piece, with room for a few more moves.
//!
//! A pass appends a few answers to a few lists. One array with all lists side by side had to be
//! copied for that; here, a list that outgrows its piece moves to a larger one.

use shakmaty::packed::PackedUciMove;
use shakmaty::uci::UciMove;

use crate::chess::Value;

use super::{Edge, NodeId};
use crate::tree::table::Table;

/// Capacities of the pieces, in moves.
const SIZES: [u8; 14] = [0, 1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 96, 128, 218];

/// The place of a list. 6 bytes.
#[derive(Debug, Clone, Copy, Default)]
#[repr(Rust, packed(2))]
pub struct Place {
    start: u32,
    len: u8,
    /// Index of its piece's size.
    size: u8,
}

/// All lists.
#[derive(Debug, Clone, Default)]
pub struct Lists {
    edges: Table<Edge>,
    /// Pieces that lists have moved out of, by size.
    free: [Vec<u32>; SIZES.len()],
    listed: usize,
    listed_at_mark: usize,
}

impl Lists {
    /// A list's moves, rank 0 first.
    pub fn get(&self, place: Place) -> &[Edge] {
        let start = place.start as usize;
        self.edges.slice(start..start + usize::from(place.len))
    }

    /// Number of moves listed in all.
    pub fn edges(&self) -> usize {
        self.listed
    }

    /// Appends moves to a list; returns its new place.
    ///
    /// # Panics
    ///
    /// If a list has more moves than any position, or all have more than fit into 32 bits.
    pub fn append(&mut self, place: Place, moves: &[Edge]) -> Place {
        let len = usize::from(place.len) + moves.len();
        let mut grown = self.with_room(place, len);
        let end = grown.start as usize + usize::from(place.len);
        for (index, edge) in moves.iter().enumerate() {
            // Behind the list's end at the mark: not read after an undo.
            self.edges.set_unread(end + index, *edge);
        }
        grown.len = len as u8;
        self.listed += moves.len();
        grown
    }

    fn with_room(&mut self, place: Place, len: usize) -> Place {
        if len <= usize::from(SIZES[usize::from(place.size)]) {
            return place;
        }
        let size = SIZES.partition_point(|size| usize::from(*size) < len);
        assert!(size < SIZES.len(), "a position has no more than 218 moves");
        let start = self.piece(size);
        for index in 0..usize::from(place.len) {
            let edge = self.edges[place.start as usize + index];
            self.edges.set_unread(start as usize + index, edge);
        }
        if place.size > 0 && !self.edges.is_marked() {
            self.free[usize::from(place.size)].push(place.start);
        }
        Place { start, len: place.len, size: size as u8 }
    }

    /// A piece of a size: one that is free, or a new one at the end. While a mark is set, free ones
    /// stay free.
    fn piece(&mut self, size: usize) -> u32 {
        if !self.edges.is_marked()
            && let Some(start) = self.free[size].pop()
        {
            return start;
        }
        let start = self.edges.len();
        assert!(start < u32::MAX as usize - 256, "more moves than a graph can number");
        let end = start + usize::from(SIZES[size]);
        self.edges.extend_to(end, unused());
        start as u32
    }

    /// Marks the present state for [`Lists::undo`].
    pub fn mark(&mut self) {
        self.edges.mark();
        self.listed_at_mark = self.listed;
    }

    /// Undoes the appends since the mark.
    pub fn undo(&mut self) {
        self.edges.undo();
        self.listed = self.listed_at_mark;
    }
}

/// Filler where no list is yet.
fn unused() -> Edge {
    let uci = PackedUciMove::pack(UciMove::Null);
    Edge { child: NodeId::from_index(0), eval: Value::EVEN, uci }
}
