//! Two trees side by side: what each thinks of the root, and where they differ most. Pure.

pub mod text;

use std::io::{self, Write};

use hashbrown::HashSet;
use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey, Score, Value, epd_of, fen_of, san_of};
use deepanalyze_core::tree::{Growth, NodeId, RootMove, best_idea, best_idea_line, root_moves};
use deepanalyze_store::AnalysisRow;

use crate::words::figures::timestamp;
use crate::words::manner::{BreadthObject, EngineObject};
use crate::words::moves::after;

/// Two trees of one root.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The root's moves in each tree, by alpha, best first.
    pub moves: [Vec<RootMove>; 2],
    /// How many positions both have analysed.
    pub common: u64,
    /// In how many of those both choose the same move.
    pub agreed: u64,
    /// Where they differ most, the greatest difference first.
    pub differences: Vec<Difference>,
}

/// A position of which two trees think differently.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// How it is reached in the first tree.
    pub line: Vec<UciMove>,
    /// The position.
    pub position: PositionKey,
    /// The best move in each tree.
    pub best: [UciMove; 2],
    /// The value in each tree whatever the line, for the side to move.
    pub ideas: [Value; 2],
    /// By how much they differ in expected score, 0 to 1.
    pub size: f64,
}

/// A position that both trees have.
struct Common {
    nodes: [NodeId; 2],
    size: f64,
    ply: u32,
}

/// Compares two trees of one root, with so many of their differences.
pub fn compare(trees: [&Growth; 2], count: usize) -> Comparison {
    let moves = trees.map(|tree| root_moves(tree.graph(), tree.values(), tree.root()));
    let mut common = common(trees);
    let agrees = |common: &&Common| {
        let [a, b] = bests(trees, common.nodes);
        a == b
    };
    let (all, agreed) = (common.len() as u64, common.iter().filter(agrees).count() as u64);
    common.retain(|common| common.size > 0.0);
    common.sort_by(|a, b| b.size.total_cmp(&a.size).then(a.ply.cmp(&b.ply)));
    Comparison { moves, common: all, agreed, differences: differences(trees, &common, count) }
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

/// The greatest differences, each once: what differs along a position's best lines comes from there.
fn differences(trees: [&Growth; 2], common: &[Common], count: usize) -> Vec<Difference> {
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
            found.push(Difference {
                line: trees[0].first_line(first),
                position: key(trees[0], first),
                best: [a, b],
                ideas: ideas(trees, *nodes),
                size: *size,
            });
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

/// The positions along the best line from a position, it among them.
fn way(tree: &Growth, node: NodeId) -> impl Iterator<Item = PositionKey> {
    let nodes = best_idea_line(tree.graph(), tree.values(), node);
    nodes.into_iter().map(|node| key(tree, node))
}

fn key(tree: &Growth, node: NodeId) -> PositionKey {
    PositionKey::of(&tree.position(node))
}

impl Comparison {
    /// The best move of the root in each tree with its alpha; none where a tree has no answer yet.
    pub fn best(&self) -> [Option<&RootMove>; 2] {
        self.moves.each_ref().map(|moves| moves.first())
    }

    /// By how much the verdicts on the root differ in expected score, 0 to 1.
    pub fn size(&self) -> Option<f64> {
        let [a, b] = self.best().map(|best| best.map(|best| best.alpha.expected_score()));
        Some((a? - b?).abs())
    }
}

/// A root with two analyses of it.
#[derive(Debug)]
pub struct Compared {
    /// Their rows.
    pub rows: [AnalysisRow; 2],
    /// The game up to the root.
    pub game: Game,
    /// What they say.
    pub comparison: Comparison,
}

#[derive(Serialize)]
struct ComparisonObject<'a> {
    format: u32,
    roots: Vec<RootObject<'a>>,
}

#[derive(Serialize)]
struct RootObject<'a> {
    root: String,
    history: Vec<String>,
    a: SideObject<'a>,
    b: SideObject<'a>,
    /// In expected score, 0 to 1; null where one has no answer yet.
    difference: Option<f64>,
    /// Positions that both have analysed, and in how many they choose the same move.
    common: u64,
    agreed: u64,
    differences: Vec<DifferenceObject>,
}

#[derive(Serialize)]
struct SideObject<'a> {
    analysis: i64,
    engine: EngineObject<'a>,
    #[serde(flatten)]
    breadth: BreadthObject,
    depth: DepthObject,
    positions: u64,
    searches: u64,
    changed_at: String,
    value: Option<Score>,
    moves: Vec<MoveObject>,
}

#[derive(Serialize)]
struct DepthObject {
    settled: Option<u32>,
    target: u32,
}

#[derive(Serialize)]
struct MoveObject {
    uci: String,
    san: String,
    alpha: Score,
    line: Vec<String>,
}

#[derive(Serialize)]
struct DifferenceObject {
    line: Vec<String>,
    epd: String,
    a: ChoiceObject,
    b: ChoiceObject,
    difference: f64,
}

#[derive(Serialize)]
struct ChoiceObject {
    uci: String,
    san: String,
    idea: Score,
}

/// Writes what two analyses say. Scores are for the side to move.
pub fn write_comparison_json(roots: &[Compared], out: &mut dyn Write) -> io::Result<()> {
    let object = ComparisonObject { format: 1, roots: roots.iter().map(root_object).collect() };
    serde_json::to_writer(&mut *out, &object)?;
    writeln!(out)
}

fn root_object(root: &Compared) -> RootObject<'_> {
    let (start, comparison) = (root.game.root(), &root.comparison);
    let [first, second] = &root.rows;
    let [moves_a, moves_b] = &comparison.moves;
    RootObject {
        root: fen_of(start),
        history: words(root.game.moves()),
        a: side_object(start, first, moves_a),
        b: side_object(start, second, moves_b),
        difference: comparison.size(),
        common: comparison.common,
        agreed: comparison.agreed,
        differences: comparison.differences.iter().map(|found| difference(start, found)).collect(),
    }
}

fn side_object<'a>(start: &Chess, row: &'a AnalysisRow, moves: &[RootMove]) -> SideObject<'a> {
    let object = |m: &RootMove| MoveObject {
        uci: m.uci.to_string(),
        san: san_of(start, m.uci),
        alpha: m.alpha.into(),
        line: words(&m.line),
    };
    SideObject {
        analysis: row.id.0,
        engine: EngineObject::of(&row.profile),
        breadth: BreadthObject::of(&row.breadth),
        depth: DepthObject { settled: row.settled_depth, target: row.target_depth },
        positions: row.positions,
        searches: row.searches,
        changed_at: timestamp(row.changed_at),
        value: moves.first().map(|best| best.alpha.into()),
        moves: moves.iter().map(object).collect(),
    }
}

fn difference(start: &Chess, found: &Difference) -> DifferenceObject {
    let position = after(start, &found.line);
    let choice = |uci: UciMove, idea: Value| ChoiceObject {
        uci: uci.to_string(),
        san: san_of(&position, uci),
        idea: idea.into(),
    };
    let ([a, b], [value_a, value_b]) = (found.best, found.ideas);
    DifferenceObject {
        line: words(&found.line),
        epd: epd_of(&position),
        a: choice(a, value_a),
        b: choice(b, value_b),
        difference: found.size,
    }
}

fn words(line: &[UciMove]) -> Vec<String> {
    line.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::tree::{Lists, grown_of};

    fn grown(lists: &Lists<'_>) -> Growth {
        grown_of(&Game::from_start("startpos").unwrap(), 20, lists)
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
        assert_eq!(same.moves[0], same.moves[1]);
        assert_eq!(same.size(), Some(0.0));
    }

    #[test]
    fn a_difference_is_told_once_where_it_is_nearest_to_the_root() {
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
        let told = |d: &Difference| (d.line.len(), d.best.map(|uci| uci.to_string()));
        let told: Vec<_> = compared.differences.iter().map(told).collect();
        // What e4 e5 is worth makes the difference of the root and of e4.
        let strings = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
        assert_eq!(told, [(0, strings("e2e4", "e2e4")), (1, strings("d7d5", "g8f6"))]);
        assert_eq!(compared.differences[0].ideas.map(Value::get), [30, 90]);
        let swapped = compare([&second, &first], 1);
        assert_eq!(swapped.differences[0].ideas.map(Value::get), [90, 30]);
        assert_eq!(swapped.differences.len(), 1, "no more than asked for");
    }
}
