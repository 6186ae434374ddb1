//! A tree at one moment, with all that walking it needs.

use std::collections::VecDeque;

use shakmaty::uci::UciMove;

use crate::chess::Game;
use crate::render::numbered_line;
use crate::session::KeptTree;
use crate::store::AnalysisRow;
use crate::tree::{Growth, NodeId, Values};

/// A kept tree with its values.
#[derive(Debug)]
pub struct Snapshot {
    /// The analysis.
    pub row: AnalysisRow,
    /// The game up to the root.
    pub game: Game,
    /// The tree.
    pub growth: Growth,
    /// Its values.
    pub values: Values,
    /// Per node, the one before it in a breadth-first walk, and the rank of the move from there.
    before: Vec<Option<(NodeId, usize)>>,
}

impl From<KeptTree> for Snapshot {
    fn from(tree: KeptTree) -> Snapshot {
        Snapshot::new(tree.row, tree.game, tree.growth)
    }
}

impl Snapshot {
    /// Values a tree.
    pub fn new(row: AnalysisRow, game: Game, growth: Growth) -> Snapshot {
        let values = Values::of(growth.graph());
        let before = first_lines(&growth);
        Snapshot { row, game, growth, values, before }
    }

    /// The shortest line from the root to a position; the engine's better moves first.
    pub fn first_line(&self, mut node: NodeId) -> Vec<UciMove> {
        let mut moves = Vec::new();
        while let Some((before, rank)) = self.before.get(node.index()).copied().flatten() {
            let edge = self.growth.graph().list(before).get(rank);
            moves.extend(edge.map(|edge| edge.uci.unpack()));
            node = before;
        }
        moves.reverse();
        moves
    }

    /// A line from the root in SAN with move numbers.
    pub fn numbered(&self, line: &[UciMove]) -> String {
        numbered_line(self.game.root(), line)
    }
}

fn first_lines(growth: &Growth) -> Vec<Option<(NodeId, usize)>> {
    let graph = growth.graph();
    let mut before = vec![None; graph.len()];
    let mut queue = VecDeque::from([growth.root()]);
    while let Some(node) = queue.pop_front() {
        for (rank, edge) in graph.list(node).iter().enumerate() {
            let is_new = edge.child != growth.root();
            if let Some(slot @ None) = before.get_mut(edge.child.index())
                && is_new
            {
                *slot = Some((node, rank));
                queue.push_back(edge.child);
            }
        }
    }
    before
}
