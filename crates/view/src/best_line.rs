//! The lines of the best alphas.

use std::sync::Arc;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Value, playable};
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_core::tree::{
    Behind, Growth, Line, LineEnd, NodeId, RootMove, behind, first_lines, line_end, moves_behind,
};
use deepanalyze_store::{AnalysisId, NodeRow, ProfileId, Store, StoreError};

use crate::figures::Figures;

/// Which of the root's lines are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinesTold {
    /// How many at most.
    pub count: usize,
    /// How many plies of each.
    pub plies: usize,
}

/// What people see of a run: the best line.
impl Default for LinesTold {
    fn default() -> LinesTold {
        LinesTold { count: 1, plies: 12 }
    }
}

/// A line of best alphas from the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestLine {
    /// Where it begins.
    pub root: Chess,
    /// Its first moves.
    pub moves: Vec<UciMove>,
    /// Whether it goes on behind them.
    pub goes_on: bool,
    /// The alpha of its first move, that of the root for the best one, for the root's side to move.
    pub value: Value,
}

/// The best lines of a root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BestLines {
    /// The line of the best alpha; without a move where the root is an end.
    pub best: Option<Arc<BestLine>>,
    /// Those behind it, where several are told.
    pub others: Arc<[BestLine]>,
}

impl BestLine {
    /// Follows the first move by alpha as far as positions are analysed and do not repeat.
    pub fn of(growth: &Growth) -> Option<BestLine> {
        BestLine::lines(growth, LinesTold::default()).into_iter().next()
    }

    /// The same without the best root move; none where there is no other.
    pub fn second(growth: &Growth) -> Option<BestLine> {
        let told = LinesTold { count: 2, ..LinesTold::default() };
        BestLine::lines(growth, told).into_iter().nth(1)
    }

    /// The best lines, each with another first move.
    fn lines(growth: &Growth, told: LinesTold) -> Vec<BestLine> {
        let (graph, values, root) = (growth.graph(), growth.values(), growth.root());
        let position = growth.position(root);
        let wanted = (told.count.max(1), told.plies + 1);
        let line = |(value, mut moves): (Value, Vec<UciMove>)| {
            let goes_on = moves.len() > told.plies;
            moves.truncate(told.plies);
            BestLine { root: position.clone(), moves, goes_on, value }
        };
        let lines: Vec<_> =
            first_lines(graph, values, root, wanted).into_iter().map(line).collect();
        if !lines.is_empty() {
            return lines;
        }
        let end =
            |value| BestLine { root: position.clone(), moves: Vec::new(), goes_on: false, value };
        root_value(growth).map(end).into_iter().collect()
    }
}

impl BestLines {
    /// As many lines of a tree as are told.
    pub fn of(growth: &Growth, told: LinesTold) -> BestLines {
        let mut lines = BestLine::lines(growth, told).into_iter();
        BestLines { best: lines.next().map(Arc::new), others: lines.collect() }
    }

    /// All of them, the best one first.
    pub fn all(&self) -> impl Iterator<Item = &BestLine> {
        self.best.as_deref().into_iter().chain(self.others.iter())
    }
}

/// What an analysis says of its root by now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LatestVerdict {
    /// The root's alpha, for its side to move.
    pub value: Option<Value>,
    /// The best move and what follows it, as the whole tree tells it; empty where the root is an end.
    pub line: Vec<UciMove>,
}

/// Reads the newest verdict: score and line of one state of the tree.
///
/// # Errors
///
/// [`StoreError`] where the database fails or a row is damaged.
pub fn latest_verdict(store: &Store, id: AnalysisId) -> Result<LatestVerdict, StoreError> {
    store.at_one_moment(|| {
        let value = match store.newest_of_course(id)? {
            Some(newest) => Some(newest.alpha),
            // The root is an end.
            None => store.last_verdict(id)?.and_then(|settled| settled.value),
        };
        Ok(LatestVerdict { value, line: store.best_line(id)? })
    })
}

/// What the rows of a tree's analysed positions must hold.
pub fn node_rows<'a>(growth: &'a Growth) -> impl Iterator<Item = (NodeId, NodeRow)> + 'a {
    let graph = growth.graph();
    graph.analysed().map(move |node| (node, node_row(growth, node)))
}

/// What the row of an analysed position must hold.
pub fn node_row(growth: &Growth, node: NodeId) -> NodeRow {
    let admitted = growth.graph().list(node).len();
    NodeRow { ply: growth.ply(node), admitted, idea: growth.values().idea(node) }
}

/// The root's alpha for its side to move, if it is known.
pub fn root_value(growth: &Growth) -> Option<Value> {
    let (graph, root) = (growth.graph(), growth.root());
    if let Some(end) = graph.end(root) {
        return Some(end);
    }
    let mut line = Line::new(graph, growth.values());
    let path = line.extend(None, root);
    graph.moves(root).iter().map(|edge| line.alpha(edge, path)).max()
}

/// The line of best alphas from the root, to its end; empty where the root is an end.
pub fn whole_best_line(growth: &Growth) -> Vec<UciMove> {
    let (graph, values, root) = (growth.graph(), growth.values(), growth.root());
    let best = first_lines(graph, values, root, (1, usize::MAX)).pop();
    best.map(|(_, line)| line).unwrap_or_default()
}

/// A move with what lies behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prospect {
    /// The move with its values and the tree's best line, which begins with it.
    pub best: RootMove,
    /// Why that line ends where it does.
    pub end: LineEnd,
    /// How the engine's own search goes on behind that line; empty where the line ends with something else
    /// than the engine's word.
    pub continuation: Vec<UciMove>,
    /// How much of the tree lies behind the move, where that was asked: it takes a walk through all of it.
    pub behind: Option<Behind>,
    /// How games end behind that line as told by the engine, for the side that plays the move; none where nobody has
    /// said it.
    pub wdl: Option<WinDrawLoss>,
}

/// The moves that count in the position that a path of the tree from its root ends with, by alpha, best
/// first, ties by rank.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn prospects(
    store: &Store,
    (profile, growth): (ProfileId, &Growth),
    path: &[NodeId],
) -> Result<Vec<Prospect>, StoreError> {
    let (graph, values) = (growth.graph(), growth.values());
    let moves = moves_behind(graph, values, path).into_iter();
    let figures = Figures::new(store, (profile, growth))?;
    let prospect = |best: RootMove| {
        let end = line_end(graph, values, path, &best.line);
        let wdl = figures.of_line(path, &best.line, end)?;
        let continuation = continuation(store, (profile, growth), end, best.line.last())?;
        Ok(Prospect { best, end, continuation, behind: None, wdl })
    };
    moves.map(prospect).collect()
}

/// The same, and how much of the tree lies behind each move.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn measured_prospects(
    store: &Store,
    (profile, growth): (ProfileId, &Growth),
    path: &[NodeId],
) -> Result<Vec<Prospect>, StoreError> {
    let mut prospects = prospects(store, (profile, growth), path)?;
    // Behind the root there is nothing but what lies behind its moves.
    let child = |uci| child_of(growth, path, uci).unwrap_or(growth.root());
    let children: Vec<NodeId> = prospects.iter().map(|prospect| child(prospect.best.uci)).collect();
    let measured = behind(growth.graph(), path, &children);
    for (prospect, measured) in prospects.iter_mut().zip(measured) {
        prospect.behind = Some(measured);
    }
    Ok(prospects)
}

/// How the engine goes on behind the last move of a line, where the line leaves the tree.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn continuation(
    store: &Store,
    (profile, growth): (ProfileId, &Growth),
    end: LineEnd,
    last: Option<&UciMove>,
) -> Result<Vec<UciMove>, StoreError> {
    let (LineEnd::Tree { position, rank }, Some(last)) = (end, last) else {
        return Ok(Vec::new());
    };
    let position = growth.position(position);
    let moves = store.continuation(profile, &position, rank)?;
    let line = std::iter::once(*last).chain(moves);
    Ok(playable(&position, line).into_iter().skip(1).collect())
}

fn child_of(growth: &Growth, path: &[NodeId], uci: UciMove) -> Option<NodeId> {
    let moves = growth.graph().moves(*path.last()?).iter();
    moves
        .map(|edge| (edge.uci.unpack(), edge.child))
        .find(|(m, _)| *m == uci)
        .map(|(_, child)| child)
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
            let lines = BestLines::of(&growth, LinesTold { count, plies: 9 });
            let told: Vec<_> = lines.all().map(|line| (line.value, line.moves.clone())).collect();
            assert_eq!(told, right[..count.clamp(1, 3)]);
        }
        assert_eq!(BestLine::second(&growth).map(|second| second.moves), Some(right[1].1.clone()));
        let short = BestLines::of(&growth, LinesTold { count: 2, plies: 1 });
        assert_eq!(short.all().map(|line| line.goes_on).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn a_finished_root_has_a_value_and_no_move() {
        let mate = Game::from_start("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        let line = BestLine::of(&grown_of(&mate, 10, &[])).unwrap();
        assert_eq!((line.value, line.moves.len()), (Value::MATED, 0));
        let game = Game::from_start("startpos").unwrap();
        assert_eq!(BestLine::of(&grown_of(&game, 10, &[])), None);
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
            let said = latest_verdict(&store, row.id).unwrap();
            assert_eq!(said, LatestVerdict { value: Some(right.alpha), line: right.line });
        }
    }
}
