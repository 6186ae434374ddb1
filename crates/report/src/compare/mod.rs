//! Two analyses side by side: their verdicts on the root, and their greatest differences.

pub mod text;

use hashbrown::HashSet;
use serde::{Serialize, Serializer};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey, Value, epd_of};
use deepanalyze_core::tree::{Growth, NodeId, RootMove, best_idea, best_idea_line, root_moves};
use deepanalyze_store::AnalysisRow;

use deepanalyze_view::{AnalysisManner, DepthReached, NamedMove, Verdict, after, json};

/// Two analyses of each of some roots. Scores are for the side to move.
#[derive(Debug, Serialize)]
pub struct ComparisonReport {
    /// Each root with its two analyses.
    pub roots: Vec<ComparedRoot>,
}

/// A root with two analyses of it.
#[derive(Debug, Serialize)]
pub struct ComparedRoot {
    /// The game up to the root.
    #[serde(flatten, serialize_with = "json::root")]
    pub game: Game,
    /// The root's name, from the user or its file.
    #[serde(skip)]
    pub name: Option<String>,
    /// The first analysis.
    pub a: ComparedTree,
    /// The other one.
    pub b: ComparedTree,
    /// Difference of the verdicts on the root in expected score, 0 to 1; `None` if one has no
    /// answer yet.
    #[serde(rename = "difference")]
    pub size: Option<f64>,
    /// Positions that both have analysed.
    pub common: u64,
    /// Positions in which both choose the same move.
    pub agreed: u64,
    /// The greatest differences, in descending order.
    pub differences: Vec<Difference>,
}

/// One of two analyses.
#[derive(Debug, Serialize)]
pub struct ComparedTree {
    /// The analysis.
    #[serde(flatten, serialize_with = "analysis")]
    pub row: AnalysisRow,
    /// The score of the verdict.
    pub value: Option<Value>,
    /// The verdict on the root, if the tree has one.
    pub verdict: Option<Verdict>,
    /// The tree's root moves, by alpha, best first.
    pub moves: Vec<ComparedMove>,
}

/// A move of the root.
#[derive(Debug, PartialEq, Serialize)]
pub struct ComparedMove {
    /// The move.
    #[serde(flatten)]
    pub named: NamedMove,
    /// Its value.
    pub alpha: Value,
    /// The best line, the move first.
    #[serde(serialize_with = "json::line")]
    pub line: Vec<UciMove>,
}

/// A position on which two trees differ.
#[derive(Debug, Serialize)]
pub struct Difference {
    /// Its line in the first tree.
    #[serde(serialize_with = "json::line")]
    pub line: Vec<UciMove>,
    /// The position.
    pub epd: String,
    /// The first tree's move there.
    pub a: Choice,
    /// The other one's.
    pub b: Choice,
    /// Their difference in expected score, 0 to 1.
    #[serde(rename = "difference")]
    pub size: f64,
}

/// The best move of a position in a tree.
#[derive(Debug, Serialize)]
pub struct Choice {
    /// The move.
    #[serde(flatten)]
    pub best: NamedMove,
    /// The position's value on any line, for the side to move.
    pub idea: Value,
}

/// The identity of an analysis, and its progress.
fn analysis<S: Serializer>(row: &AnalysisRow, to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct AnalysisOfSide<'a> {
        analysis: i64,
        #[serde(flatten)]
        made_of: AnalysisManner<'a>,
        depth: DepthReached,
        positions: u64,
        searches: u64,
        #[serde(serialize_with = "json::time")]
        changed_at: i64,
    }
    let AnalysisRow { id, positions, searches, changed_at, .. } = *row;
    let (made_of, depth) = (AnalysisManner::of(row), DepthReached::of_row(row));
    AnalysisOfSide { analysis: id.0, made_of, depth, positions, searches, changed_at }.serialize(to)
}

impl ComparedTree {
    fn of(
        (row, verdict): (AnalysisRow, Option<Verdict>),
        root: &Chess,
        tree: &Growth,
    ) -> ComparedTree {
        let compared = |RootMove { uci, alpha, line, .. }: RootMove| ComparedMove {
            named: NamedMove::of(root, uci),
            alpha,
            line,
        };
        let moves = root_moves(tree.graph(), tree.values(), tree.root());
        let value = verdict.as_ref().map(|told| told.choice.value);
        ComparedTree { row, value, verdict, moves: moves.into_iter().map(compared).collect() }
    }
}

impl ComparedRoot {
    /// Compares two trees of one root, each with its row and the root's verdict, with at most this
    /// many differences.
    pub fn of(
        game: Game,
        [first, second]: [(AnalysisRow, Option<Verdict>); 2],
        trees: [&Growth; 2],
        count: usize,
    ) -> ComparedRoot {
        let mut common = common(trees);
        let agrees = |common: &&Common| {
            let [a, b] = bests(trees, common.nodes);
            a == b
        };
        let (all, agreed) = (common.len() as u64, common.iter().filter(agrees).count() as u64);
        common.retain(|common| common.size > 0.0);
        common.sort_by(|a, b| b.size.total_cmp(&a.size).then(a.ply.cmp(&b.ply)));
        let differences = differences(game.root(), trees, &common, count);
        let a = ComparedTree::of(first, game.root(), trees[0]);
        let b = ComparedTree::of(second, game.root(), trees[1]);
        let expected = [&a, &b].map(|side| side.value.map(Value::expected_score));
        let size = expected[0].zip(expected[1]).map(|(a, b)| (a - b).abs());
        ComparedRoot { game, name: None, a, b, size, common: all, agreed, differences }
    }

    /// Both analyses.
    pub fn sides(&self) -> [&ComparedTree; 2] {
        [&self.a, &self.b]
    }
}

/// A position that both trees have.
struct Common {
    nodes: [NodeId; 2],
    size: f64,
    ply: u32,
}

fn common(trees: [&Growth; 2]) -> Vec<Common> {
    let [first, second] = trees;
    let pair = |node: NodeId| {
        let other = second.find(&PositionKey::of(&first.position(node)))?;
        second.graph().is_analysed(other).then_some([node, other])
    };
    let nodes = first.graph().analysed().filter_map(pair);
    let common = nodes.map(|nodes| {
        let [a, b] = ideas(trees, nodes).map(Value::expected_score);
        Common { nodes, size: (a - b).abs(), ply: first.ply(nodes[0]) }
    });
    common.collect()
}

/// The greatest differences, each once: one along a position's best lines explains the position's
/// own.
fn differences(
    root: &Chess,
    trees: [&Growth; 2],
    common: &[Common],
    count: usize,
) -> Vec<Difference> {
    let (mut told, mut found) = (HashSet::new(), Vec::new());
    for Common { nodes, size, .. } in common {
        if found.len() == count {
            break;
        }
        let [first, _] = *nodes;
        let (Some(a), Some(b)) = (best(trees[0], nodes[0]), best(trees[1], nodes[1])) else {
            continue;
        };
        let is_told = told.contains(&key(trees[0], first));
        for (tree, node) in trees.iter().zip(nodes) {
            told.extend(way(tree, *node));
        }
        if !is_told {
            let line = trees[0].first_line(first);
            let position = after(root, &line);
            let [idea_a, idea_b] = ideas(trees, *nodes);
            let choice = |uci, idea| Choice { best: NamedMove::of(&position, uci), idea };
            let (a, b) = (choice(a, idea_a), choice(b, idea_b));
            found.push(Difference { line, epd: epd_of(&position), a, b, size: *size });
        }
    }
    found
}

fn ideas([a, b]: [&Growth; 2], nodes: [NodeId; 2]) -> [Value; 2] {
    [a.values().idea(nodes[0]), b.values().idea(nodes[1])]
}

fn bests([a, b]: [&Growth; 2], nodes: [NodeId; 2]) -> [Option<UciMove>; 2] {
    [best(a, nodes[0]), best(b, nodes[1])]
}

fn best(tree: &Growth, node: NodeId) -> Option<UciMove> {
    best_idea(tree.graph(), tree.values(), node).map(|edge| edge.uci.unpack())
}

/// The positions along the best line from a position, including it.
fn way(tree: &Growth, node: NodeId) -> impl Iterator<Item = PositionKey> {
    let nodes = best_idea_line(tree.graph(), tree.values(), node);
    nodes.into_iter().map(|node| key(tree, node))
}

fn key(tree: &Growth, node: NodeId) -> PositionKey {
    PositionKey::of(&tree.position(node))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::DrawValue;
    use deepanalyze_core::search::{Limit, Profile};
    use deepanalyze_core::tree::{Lists, grown_of};
    use deepanalyze_store::{AnalysisId, ProfileId};
    use deepanalyze_view::best_line;

    fn grown(lists: &Lists<'_>) -> Growth {
        grown_of(&Game::from_start("startpos").unwrap(), 20, lists)
    }

    fn verdict(tree: &Growth) -> Option<Verdict> {
        Verdict::of(&best_line(tree)?, 0, DrawValue::default(), None)
    }

    fn compare(trees: [&Growth; 2], count: usize) -> ComparedRoot {
        let row = || AnalysisRow {
            id: AnalysisId(1),
            root: String::new(),
            start: String::new(),
            history: Vec::new(),
            profile_id: ProfileId(1),
            profile: Profile {
                engine: "engine".to_owned(),
                options: Default::default(),
                limit: Limit::Depth(1),
                kept_hash: None,
            },
            settings: 20.into(),
            target_depth: 1,
            settled_depth: None,
            passes: 0,
            positions: 0,
            searches: 0,
            nodes: 0,
            changed_at: 0,
            regrown: 0,
            found: Vec::new(),
            fact_round: 0,
            grown_round: 0,
            game_set: None,
        };
        let sides = trees.map(|tree| (row(), verdict(tree)));
        ComparedRoot::of(Game::from_start("startpos").unwrap(), sides, trees, count)
    }

    const FIRST: &Lists<'_> = &[
        ("", &[("e2e4", 30), ("d2d4", 25)]),
        ("e4", &[("e7e5", -30), ("c7c5", -40)]),
        ("e4 e5", &[("g1f3", 30)]),
        ("d4", &[("d7d5", -25)]),
    ];

    #[test]
    fn a_tree_agrees_with_itself() {
        let tree = grown(FIRST);
        let same = compare([&tree, &tree], 5);
        assert_eq!((same.common, same.agreed, same.differences.len()), (4, 4, 0));
        assert_eq!(same.a.moves, same.b.moves);
        assert_eq!(same.size, Some(0.0));
    }

    #[test]
    fn a_difference_is_listed_once_nearest_to_the_root() {
        let (first, second) = (
            grown(FIRST),
            grown(&[
                ("", &[("d2d4", 25), ("e2e4", 24)]),
                ("e4", &[("e7e5", -30)]),
                ("e4 e5", &[("f1c4", 90)]),
                ("d4", &[("g8f6", -35)]),
            ]),
        );
        let compared = compare([&first, &second], 5);
        assert_eq!((compared.common, compared.agreed), (4, 2), "the root and e4 by e4 and e5");
        let ideas = |root: &ComparedRoot| {
            let d = &root.differences[0];
            [&d.a, &d.b].map(|choice| choice.idea.get())
        };
        let told =
            |d: &Difference| (d.line.len(), [&d.a, &d.b].map(|choice| choice.best.uci.to_string()));
        let told: Vec<_> = compared.differences.iter().map(told).collect();
        // The value of e4 e5 makes the difference of the root and of e4.
        let strings = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
        assert_eq!(told, [(0, strings("e2e4", "e2e4")), (1, strings("d7d5", "g8f6"))]);
        assert_eq!(ideas(&compared), [30, 90]);
        let swapped = compare([&second, &first], 1);
        assert_eq!(ideas(&swapped), [90, 30]);
        assert_eq!(swapped.differences.len(), 1, "no more than asked for");
    }
}
