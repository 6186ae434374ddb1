//! Two analyses side by side as one JSON object. The format is public; `"format": 1` names it.

use std::io::{self, Write};

use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::analysis::Difference;
use crate::render::words::{BreadthObject, EngineObject, after, timestamp};
use deepanalyze_core::chess::{Score, Value, epd_of, fen_of, san_of};
use deepanalyze_core::tree::RootMove;
use deepanalyze_store::AnalysisRow;

use super::Compared;

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
