//! What the best move of each position is worth, be it printed or not: a repertoire has its own moves alone.

use hashbrown::HashMap;

use deepanalyze_core::chess::Value;
use deepanalyze_core::tree::{Line, NodeId, PathSet, choices};

use super::Report;

/// The best values of positions whose place has not all of their moves.
#[derive(Debug, Default)]
pub struct Bests(HashMap<NodeId, Value>);

impl Bests {
    /// Of a report's positions. Where all moves are laid out, the first one of a place is the best.
    pub fn new(report: &Report<'_>) -> Bests {
        if report.side.is_none() {
            return Bests::default();
        }
        let growth = report.growth();
        let mut line = Line::new(growth.graph(), growth.values());
        // That of where printing begins, too, which the path ends with.
        let first = report.path.iter().fold(None, |path, node| line.extend(path, *node));
        let mut paths: Vec<Option<PathSet>> = Vec::with_capacity(report.places.len());
        let mut bests = HashMap::with_capacity(report.places.len());
        for place in &report.places {
            let before = place.parent.map(|(parent, _)| paths.get(parent).copied().flatten());
            let path = before.map_or(first, |before| line.extend(before, place.node));
            let moves = choices(&mut line, growth.breadth(), place.node, place.visit_ply, path);
            bests.extend(moves.first().map(|best| (place.node, best.alpha)));
            paths.push(path);
        }
        Bests(bests)
    }

    /// The best value at a place; nothing where none of its moves counts.
    pub fn at(&self, place: &deepanalyze_core::tree::Place) -> Option<Value> {
        let known = self.0.get(&place.node).copied();
        known.or_else(|| place.moves.first().map(|best| best.alpha))
    }
}
