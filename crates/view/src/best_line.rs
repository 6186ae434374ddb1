//! Best lines of a root, and what lies behind the moves of a position.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Score, Value};
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_core::tree::{Growth, NodeId, PathValues, first_lines};
use deepanalyze_store::{AnalysisId, NodeRow, Store, StoreError};

use crate::json;

/// Plies of a line shown of a run.
pub const SHOWN_PLIES: usize = 12;

/// A line of best moves from a position, with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The position that it begins with.
    pub root: Chess,
    /// Its moves; empty if the game is over there.
    pub moves: Vec<UciMove>,
    /// Its value for the side to move; the root's, of the best line.
    pub value: Value,
    /// How games end behind it for the side to move, by the engine's word; `None` if the engine has
    /// not said it, or if it is looked up only when shown.
    pub wdl: Option<WinDrawLoss>,
}

impl Line {
    /// A line without the engine's word on how games end.
    pub fn new(root: Chess, moves: Vec<UciMove>, value: Value) -> Line {
        Line { root, moves, value, wdl: None }
    }

    /// The first move.
    pub fn best(&self) -> Option<UciMove> {
        self.moves.first().copied()
    }

    /// The value as a score.
    pub fn score(&self) -> Score {
        self.value.into()
    }

    /// Its first moves, this many at most.
    pub fn plies(&self, most: usize) -> &[UciMove] {
        self.moves.get(..most).unwrap_or(&self.moves)
    }
}

/// As JSON: the value, and the first moves.
impl Serialize for Line {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            value: Score,
            #[serde(serialize_with = "json::line")]
            moves: &'a [UciMove],
        }
        Fields { value: self.score(), moves: self.plies(SHOWN_PLIES) }.serialize(to)
    }
}

/// The best lines of a tree, each with another first move, the best first: of this many moves, and one at least where the
/// root's value is known.
pub fn best_lines(growth: &Growth, count: usize) -> Arc<[Line]> {
    let (graph, values, root) = (growth.graph(), growth.values(), growth.root());
    let line = |(value, moves)| Line::new(growth.position(root), moves, value);
    let lines: Arc<[Line]> =
        first_lines(graph, values, root, count.max(1), usize::MAX).into_iter().map(line).collect();
    if !lines.is_empty() {
        return lines;
    }
    root_value(growth).map(|end| line((end, Vec::new()))).into_iter().collect()
}

/// The best line of a tree.
pub fn best_line(growth: &Growth) -> Option<Line> {
    best_lines(growth, 1).first().cloned()
}

/// The moves of the best line of a tree; empty if the game is over at the root.
pub fn best_moves(growth: &Growth) -> Vec<UciMove> {
    best_line(growth).map(|line| line.moves).unwrap_or_default()
}

/// The best line of the root as a stored tree was left: value and moves of one state of the tree.
/// `None` before its first answer.
///
/// # Errors
///
/// [`StoreError`] where the database fails or a row is damaged.
pub fn stored_line(
    store: &Store,
    id: AnalysisId,
    root: &Chess,
) -> Result<Option<Line>, StoreError> {
    store.at_one_moment(|| {
        let value = match store.newest_of_course(id)? {
            Some(newest) => Some(newest.alpha),
            // The root is an end.
            None => store.last_verdict(id)?.and_then(|settled| settled.value),
        };
        let Some(value) = value else { return Ok(None) };
        Ok(Some(Line::new(root.clone(), store.best_line(id)?, value)))
    })
}

/// The rows that a tree's analysed positions must have.
pub fn node_rows<'a>(growth: &'a Growth) -> impl Iterator<Item = (NodeId, NodeRow)> + 'a {
    let graph = growth.graph();
    graph.analysed().map(move |node| (node, node_row(growth, node)))
}

/// The row that an analysed position must have.
pub fn node_row(growth: &Growth, node: NodeId) -> NodeRow {
    let admitted = growth.graph().list(node).len();
    NodeRow { ply: growth.ply(node), admitted, idea: growth.values().idea(node) }
}

/// The root's alpha for its side to move, if known.
pub fn root_value(growth: &Growth) -> Option<Value> {
    let (graph, root) = (growth.graph(), growth.root());
    if let Some(end) = graph.end(root) {
        return Some(end);
    }
    let mut paths = PathValues::new(graph, growth.values());
    let path = paths.extend(None, root);
    graph.moves(root).iter().map(|edge| paths.alpha(edge, path)).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::tree::{grown_of, root_moves};

    #[test]
    fn as_many_lines_are_told_as_are_asked_for_by_alpha() {
        let game = Game::from_start("startpos").unwrap();
        let lists: [(&str, &[(&str, i32)]); 3] = [
            ("", &[("e2e4", 30), ("d2d4", 28), ("c2c4", 25)]),
            ("e4", &[("e7e5", -10)]),
            ("d4", &[("g8f6", -27)]),
        ];
        let growth = grown_of(&game, 30, &lists);
        let right = root_moves(growth.graph(), growth.values(), growth.root());
        let right: Vec<_> = right.into_iter().map(|m| (m.alpha, m.line)).collect();
        for count in [0, 1, 2, 3, 9] {
            let lines = best_lines(&growth, count);
            let told: Vec<_> = lines.iter().map(|line| (line.value, line.moves.clone())).collect();
            assert_eq!(told, right[..count.clamp(1, 3)]);
        }
    }

    #[test]
    fn a_finished_root_has_a_value_and_no_move() {
        let mate = Game::from_start("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        let line = best_line(&grown_of(&mate, 10, &[])).unwrap();
        assert_eq!((line.value, line.moves.len()), (Value::MATED, 0));
        let game = Game::from_start("startpos").unwrap();
        assert_eq!(best_line(&grown_of(&game, 10, &[])), None);
    }
}

#[cfg(test)]
mod tests_of_latest {
    use super::*;
    use crate::made::pawns;
    use crate::tree::load;
    use deepanalyze_core::tree::root_moves;
    use deepanalyze_store::AnalysisRow;

    #[test]
    fn what_the_rows_say_is_what_the_whole_tree_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        std::fs::write(&path, pawns()).unwrap();
        let store = Store::open(&path).unwrap();
        let all = store.analyses().unwrap();
        let is_settled = |row: &AnalysisRow| {
            store.last_verdict(row.id).unwrap().is_some_and(|v| v.settled.passes == row.passes)
        };
        assert_eq!(
            all.iter().filter(|row| is_settled(row)).count(),
            3,
            "one is between two depths"
        );
        for row in &all {
            let tree = load(&store, row.id).unwrap();
            let (graph, values) = (tree.growth.graph(), tree.growth.values());
            let right = root_moves(graph, values, tree.growth.root()).into_iter().next().unwrap();
            let root = tree.game.root();
            let said = stored_line(&store, row.id, root).unwrap();
            assert_eq!(said, Some(Line::new(root.clone(), right.line, right.alpha)));
        }
    }
}
