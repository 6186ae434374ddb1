//! What every format prints: a kept tree, or the part of it below a line.

pub(super) mod bests;
mod line;
pub(super) mod marks;
pub(super) mod references;
mod shown;
pub(super) mod walk;

use hashbrown::HashMap;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color};

use crate::analysis::{KeptTree, Stays};
use crate::render::words::after;
use deepanalyze_core::chess::{Game, Opening, Value, opening_of};
use deepanalyze_core::tree::{Child, Growth, Layout, NodeId, Place, Stability, places};

pub use line::LineError;
use line::nodes_along;
pub use marks::{MoveSaid, value_of};
pub(super) use shown::Shown;

/// A tree laid out for printing.
#[derive(Debug)]
pub struct Report<'a> {
    /// The tree.
    pub tree: &'a KeptTree,
    /// The moves from the root to the first printed position.
    pub line: Vec<UciMove>,
    /// The printed positions; the first is where printing begins. None where it is not analysed.
    pub places: Vec<Place>,
    /// The positions on the way there, the root first.
    pub path: Vec<NodeId>,
    /// Whose repertoire it is, where it is one side's.
    pub side: Option<Color>,
    /// How far the root's best move holds, where that is printed.
    pub stability: Option<Stability>,
    /// The user's notes by position.
    notes: HashMap<NodeId, &'a str>,
}

/// Where printing begins: the line from the root, and the positions along it.
#[derive(Debug)]
pub struct Beginning {
    line: Vec<UciMove>,
    path: Vec<NodeId>,
}

impl Beginning {
    /// Behind a line in SAN or UCI notation.
    ///
    /// # Errors
    ///
    /// [`LineError`] where a move of the line cannot be played or leaves the tree.
    pub fn behind(tree: &KeptTree, line: &str) -> Result<Beginning, LineError> {
        let mut game = Game::from_position(tree.game.root().clone());
        game.play_line(line)?;
        let path = nodes_along(tree, game.moves())?;
        Ok(Beginning { line: game.moves().to_vec(), path })
    }

    /// Whether it is the root.
    pub fn is_root(&self) -> bool {
        self.line.is_empty()
    }
}

impl<'a> Report<'a> {
    /// Lays out the tree, or a part of it.
    pub fn new(tree: &'a KeptTree, Beginning { line, path }: Beginning, layout: Layout) -> Self {
        let (graph, breadth) = (tree.growth.graph(), tree.growth.breadth());
        let places = places(graph, tree.growth.values(), &path, breadth, layout);
        let side = layout.side;
        Report { tree, line, places, path, side, stability: None, notes: notes(tree) }
    }

    /// The tree.
    pub fn growth(&self) -> &'a Growth {
        &self.tree.growth
    }

    /// The position where printing begins, with the clocks of the game.
    pub fn start(&self) -> Chess {
        after(self.tree.game.root(), &self.line)
    }

    /// The node where printing begins.
    pub(super) fn start_node(&self) -> NodeId {
        self.places.first().map_or_else(|| self.growth().root(), |place| place.node)
    }

    /// The position of a place. Its clocks do not count.
    pub fn position(&self, place: &Place) -> Chess {
        self.growth().position(place.node)
    }

    /// The chance that the root's best move stays, where printing begins with the root and it is known.
    pub fn stays(&self) -> Option<Stays> {
        self.tree.stays.filter(|_| self.line.is_empty())
    }

    /// The root's alpha, for its side to move.
    pub fn value(&self) -> Option<Value> {
        crate::analysis::root_value(self.growth())
    }

    /// The best move where printing begins, with its alpha.
    pub fn best(&self) -> Option<(UciMove, Value)> {
        let best = self.places.first()?.moves.first()?;
        Some((uci_of(best), best.alpha))
    }

    /// The opening of the last position with a name, in the game and on the line to where printing
    /// begins.
    pub fn opening(&self) -> Option<Opening> {
        let game = &self.tree.game;
        let (mut position, mut found) = (game.start().clone(), opening_of(game.start()));
        for uci in game.moves().iter().chain(&self.line) {
            position = after(&position, [uci]);
            found = opening_of(&position).or(found);
        }
        found
    }

    /// The moves from the root to a place.
    pub fn moves_to(&self, place: usize) -> Vec<UciMove> {
        let mut moves = Vec::new();
        let mut at = self.places.get(place);
        while let Some((parent, child)) = at.and_then(|place| place.parent) {
            at = self.places.get(parent);
            moves.extend(at.and_then(|place| place.moves.get(child)).map(uci_of));
        }
        moves.reverse();
        [&self.line[..], &moves].concat()
    }
}

/// The place of each printed position, by its node.
#[derive(Debug)]
pub(super) struct PlaceOf(Vec<u32>);

/// No place.
const NONE: u32 = u32::MAX;

impl PlaceOf {
    /// Of all places of a report.
    pub(super) fn new(report: &Report<'_>) -> PlaceOf {
        let mut places = vec![NONE; report.growth().graph().len()];
        for (index, place) in report.places.iter().enumerate() {
            if let Some(entry) = places.get_mut(place.node.index()) {
                *entry = u32::try_from(index).unwrap_or(NONE);
            }
        }
        PlaceOf(places)
    }

    /// The place that has a position's moves.
    pub(super) fn get(&self, node: NodeId) -> Option<usize> {
        let place = self.0.get(node.index()).copied().filter(|place| *place != NONE)?;
        usize::try_from(place).ok()
    }
}

/// The notes on positions that the tree knows.
fn notes(tree: &KeptTree) -> HashMap<NodeId, &str> {
    let noted = tree.said.positions().filter_map(|(key, said)| Some((key, said.note.as_deref()?)));
    noted.filter_map(|(key, note)| Some((tree.growth.find(key)?, note))).collect()
}

/// The move of a child in UCI notation.
pub fn uci_of(child: &Child) -> UciMove {
    child.edge.uci.unpack()
}
