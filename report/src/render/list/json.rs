//! The roots as one JSON array. The format is public; `"format": 1` names it in each object.

use std::io::{self, Write};

use serde::Serialize;
use shakmaty::Chess;

use crate::analysis::WithStages;
use crate::render::words::{BreadthObject, EngineObject, StageObject, timestamp};
use deepanalyze_core::chess::{Score, fen_of};
use deepanalyze_store::AnalysisRow;

#[derive(Serialize)]
struct RootObject<'a> {
    format: u32,
    /// Of the stage that speaks, as all that follows.
    analysis: i64,
    /// Null where nobody has named it.
    name: Option<&'a str>,
    root: &'a str,
    history: Vec<String>,
    /// Where the history began; only where that was not the initial position.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    engine: EngineObject<'a>,
    #[serde(flatten)]
    breadth: BreadthObject,
    depth: DepthObject,
    value: Option<Score>,
    /// UCI notation.
    best: Option<String>,
    positions: u64,
    searches: u64,
    engine_time_ms: u64,
    /// RFC 3339, UTC, of the stage that was changed last.
    changed_at: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stages: Vec<StageObject>,
}

#[derive(Serialize)]
struct DepthObject {
    settled: Option<u32>,
    target: u32,
}

/// Writes the roots. Scores are the mover's.
///
/// # Errors
///
/// Those of `out`.
pub fn write_list_json(roots: &[WithStages], out: &mut dyn Write) -> io::Result<()> {
    let objects: Vec<RootObject<'_>> = roots.iter().map(object).collect();
    writeln!(out, "{}", serde_json::to_string(&objects)?)
}

fn object(listed: &WithStages) -> RootObject<'_> {
    let (root, row) = (&listed.root, &listed.root.row);
    let start = root
        .game
        .as_ref()
        .filter(|game| !game.moves().is_empty() && *game.start() != Chess::default());
    RootObject {
        format: 1,
        analysis: row.id.0,
        name: root.name.as_deref(),
        root: &row.root,
        history: row.history.iter().map(ToString::to_string).collect(),
        start: start.map(|game| fen_of(game.start())),
        engine: EngineObject::of(&row.profile),
        breadth: BreadthObject::of(&row.breadth),
        depth: depth_of(row),
        value: root.verdict.value.map(Score::from),
        best: root.verdict.line.first().map(ToString::to_string),
        positions: row.positions,
        searches: row.searches,
        engine_time_ms: listed.engine_time_ms,
        changed_at: timestamp(root.changed_at),
        stages: StageObject::of(&listed.stages),
    }
}

fn depth_of(row: &AnalysisRow) -> DepthObject {
    DepthObject { settled: row.settled_depth, target: row.target_depth }
}
