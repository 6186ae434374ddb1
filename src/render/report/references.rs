//! Where each printed position has its moves.

use hashbrown::HashMap;

use crate::render::words::numbered_line;
use crate::tree::NodeId;

use super::Report;

/// Where each printed position has its moves, to point at from elsewhere.
pub(in crate::render) struct References<'a> {
    report: &'a Report<'a>,
    places: HashMap<NodeId, usize>,
}

impl<'a> References<'a> {
    /// Of all places of a report.
    pub(in crate::render) fn new(report: &'a Report<'a>) -> References<'a> {
        let places = report.places.iter().enumerate().map(|(index, place)| (place.node, index));
        References { report, places: places.collect() }
    }

    /// The report.
    pub(in crate::render) fn report(&self) -> &'a Report<'a> {
        self.report
    }

    /// The place that has a position's moves.
    pub(in crate::render) fn place_of(&self, node: NodeId) -> Option<usize> {
        self.places.get(&node).copied()
    }

    /// The moves from the root to the place that has a position's moves.
    pub(in crate::render) fn line_to(&self, node: NodeId) -> String {
        let moves = self.place_of(node).map(|place| self.report.moves_to(place));
        numbered_line(self.report.tree.game.root(), &moves.unwrap_or_default())
    }
}
