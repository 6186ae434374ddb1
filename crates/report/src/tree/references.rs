//! The place of each printed position's moves.

use arrayvec::ArrayString;

use deepanalyze_core::chess::{LONGEST_SAN, san_of};
use deepanalyze_core::tree::NodeId;

use crate::tree::layout::{PlaceOf, TreeReport, uci_of};
use deepanalyze_view::{in_order, numbered, sans_of};

/// A move in SAN.
type San = ArrayString<LONGEST_SAN>;

/// The place of each printed position's moves, as a target of references.
pub struct References<'a> {
    report: &'a TreeReport<'a>,
    places: PlaceOf,
    /// The moves to where printing begins.
    before: Vec<String>,
    /// The move to each place on the way to a target of references; a large tree has a hundred
    /// thousand of these.
    sans: Vec<San>,
}

impl<'a> References<'a> {
    /// For a report's places.
    pub fn new(report: &'a TreeReport<'a>) -> References<'a> {
        let before = sans_of(report.tree.game.root(), &report.line);
        let places = PlaceOf::new(report);
        let mut sans = vec![San::new(); report.places.len()];
        let part = |places: Vec<usize>| -> Vec<(usize, San)> {
            places.into_iter().map(|place| (place, san_to(report, place))).collect()
        };
        let take = |part: Vec<(usize, San)>| {
            for (place, san) in part {
                sans.get_mut(place).into_iter().for_each(|entry| *entry = san);
            }
            Ok(())
        };
        // Infallible.
        let _ = in_order(pointed_at(report, &places).into_iter(), part, take);
        References { report, places, before, sans }
    }

    /// The report.
    pub fn report(&self) -> &'a TreeReport<'a> {
        self.report
    }

    /// The place that has a position's moves.
    pub fn place_of(&self, node: NodeId) -> Option<usize> {
        self.places.get(node)
    }

    /// The moves from the root to the place that has a position's moves.
    pub fn line_to(&self, node: NodeId) -> String {
        let Some(mut place) = self.place_of(node) else {
            return String::new();
        };
        let mut sans = Vec::new();
        while let Some((before, _)) = self.report.places.get(place).and_then(|at| at.parent) {
            sans.extend(self.sans.get(place).map(San::as_str));
            place = before;
        }
        let before = self.before.iter().map(String::as_str);
        numbered(self.report.tree.game.root(), before.chain(sans.into_iter().rev()))
    }
}

/// The places that moves elsewhere refer to, and those on the ways to them; never the first.
fn pointed_at(report: &TreeReport<'_>, places: &PlaceOf) -> Vec<usize> {
    let mut is_pointed_at = vec![false; report.places.len()];
    let transpositions = report.places.iter().flat_map(|place| &place.moves);
    for child in transpositions.filter(|child| child.transposition) {
        let mut next = places.get(child.edge.child);
        while let Some(place) = next.filter(|place| *place > 0) {
            let known = is_pointed_at.get_mut(place).is_none_or(|is| std::mem::replace(is, true));
            let above = || report.places.get(place)?.parent.map(|(above, _)| above);
            next = if known { None } else { above() };
        }
    }
    let all = is_pointed_at.into_iter().enumerate();
    all.filter(|(_, is)| *is).map(|(place, _)| place).collect()
}

/// The move that leads to a place.
fn san_to(report: &TreeReport<'_>, place: usize) -> San {
    let parent = report.places.get(place).and_then(|place| place.parent);
    let before = parent.and_then(|(place, index)| Some((report.places.get(place)?, index)));
    let led = before.and_then(|(before, index)| Some((before, before.moves.get(index)?)));
    let san = led.map(|(before, child)| san_of(&report.position(before), uci_of(child)));
    san.and_then(|san| San::from(&san).ok()).unwrap_or_default()
}
