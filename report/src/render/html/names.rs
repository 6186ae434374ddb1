//! The names of openings that a page needs.

use hashbrown::HashMap;

use crate::render::report::{Report, Shown};
use deepanalyze_core::chess::{Opening, openings};
use deepanalyze_core::tree::{NodeId, Place};

/// The names in use, each once, in the order in which the page comes to them.
#[derive(Default)]
pub struct Names {
    /// ECO code and name.
    pub list: Vec<(&'static str, &'static str)>,
    /// The name of the line to where printing begins.
    pub of_line: Option<usize>,
    index: HashMap<Opening, usize>,
}

/// Which positions have names: each one's place in the list.
pub type NameOfNode = HashMap<NodeId, usize>;

/// The names of a report. Nearly all positions of a large tree have none: those that have are looked for in
/// the tree, and not the tree's in the table.
pub fn names_of(report: &Report<'_>) -> (Names, NameOfNode) {
    let growth = report.growth();
    let known = openings().filter_map(|(key, opening)| Some((growth.find(&key)?, opening)));
    let known: HashMap<NodeId, Opening> = known.collect();
    let (mut names, mut of_nodes) = (Names::default(), NameOfNode::new());
    names.of_line = report.opening().map(|opening| names.index(opening));
    for node in report.places.iter().flat_map(|place| shown(place).map(Shown::node)) {
        if let Some(opening) = known.get(&node) {
            of_nodes.insert(node, names.index(*opening));
        }
    }
    (names, of_nodes)
}

/// The moves of a place, those that do not count last.
pub fn shown(place: &Place) -> impl Iterator<Item = Shown<'_>> {
    place.moves.iter().map(Shown::Counts).chain(place.aside.iter().map(Shown::Aside))
}

impl Names {
    fn index(&mut self, opening: Opening) -> usize {
        *self.index.entry(opening).or_insert_with(|| {
            self.list.push((opening.eco, opening.name));
            self.list.len() - 1
        })
    }
}
