//! The history of a verdict as one JSON object. The format is public; `"format": 1` names it.

use std::io::{self, Write};

use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::analysis::{AlphaChange, Cause, KeptTree, Stage, changes};
use crate::render::PointOfView;
use crate::render::words::changes::ChangeWords;
use crate::render::words::{BreadthObject, EngineObject, StageObject, timestamp};
use deepanalyze_core::chess::{Score, fen_of, san_of};

use super::text::Log;

#[derive(Serialize)]
struct LogObject<'a> {
    format: u32,
    analysis: i64,
    root: String,
    history: Vec<String>,
    engine: EngineObject<'a>,
    #[serde(flatten)]
    breadth: BreadthObject,
    /// The stages of the root, the shallowest engine depth first; only where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stages: Vec<StageObject>,
    verdicts: Vec<VerdictObject>,
    moves: Vec<MoveObject>,
    course: CourseObject,
}

#[derive(Serialize)]
struct VerdictObject {
    depth: u32,
    /// RFC 3339, UTC; null where it is under way.
    settled_at: Option<String>,
    passes: u64,
    searches: u64,
    positions: u64,
    value: Option<Score>,
    moves: Vec<ListedObject>,
}

#[derive(Serialize)]
struct ListedObject {
    uci: String,
    san: String,
    rank: Option<usize>,
    eval: Option<Score>,
    idea: Score,
    alpha: Score,
    line: Vec<String>,
}

#[derive(Serialize)]
struct MoveObject {
    uci: String,
    san: String,
    alpha: Score,
    changes: Vec<ChangeObject>,
}

#[derive(Serialize)]
struct ChangeObject {
    since: u32,
    depth: u32,
    before: Score,
    after: Score,
    because: BecauseObject,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
enum BecauseObject {
    /// The newer line leaves the older one here.
    Departs { ply: usize, uci: String, instead_of: String },
    /// The newer line begins with the older one, whose last move this is.
    Follows { ply: usize, uci: String },
}

#[derive(Serialize)]
struct CourseObject {
    from_pass: u64,
    changes: Vec<PointObject>,
}

#[derive(Serialize)]
struct PointObject {
    pass: u64,
    searches: u64,
    positions: u64,
    at: String,
    best: String,
    alpha: Score,
}

/// Writes the history as one JSON object. Scores are for the root's side to move; plies count from
/// the root.
pub fn write_log_json(log: &Log<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (row, root) = (&log.tree.row, log.tree.game.root());
    let change_words = ChangeWords { root, stages: log.stages, pov: PointOfView::Mover };
    let known = log.stages.iter().rev().find(|stage| !stage.moves.is_empty());
    let moves = known.map_or(&[][..], |stage| &stage.moves).iter();
    let moves = moves.map(|m| MoveObject {
        uci: m.uci.to_string(),
        san: san_of(root, m.uci),
        alpha: m.alpha.into(),
        changes: changes(log.stages, m.uci)
            .iter()
            .map(|change| change_object(&change_words, m.uci, change))
            .collect(),
    });
    let object = LogObject {
        format: 1,
        analysis: row.id.0,
        root: fen_of(root),
        history: words(&row.history),
        engine: EngineObject::of(&row.profile),
        breadth: BreadthObject::of(&row.breadth),
        stages: StageObject::of(&log.tree.stages),
        verdicts: log.stages.iter().map(|stage| stage_object(root, stage)).collect(),
        moves: moves.collect(),
        course: course_object(log.tree),
    };
    serde_json::to_writer(&mut *out, &object)?;
    writeln!(out)
}

fn stage_object(root: &Chess, stage: &Stage) -> VerdictObject {
    let moves = stage.moves.iter().map(|m| ListedObject {
        uci: m.uci.to_string(),
        san: san_of(root, m.uci),
        rank: m.listed.map(|(rank, _)| rank),
        eval: m.listed.map(|(_, eval)| eval.into()),
        idea: m.idea.into(),
        alpha: m.alpha.into(),
        line: words(&m.line),
    });
    VerdictObject {
        depth: stage.depth,
        settled_at: stage.is_settled.then(|| timestamp(stage.at)),
        passes: stage.passes,
        searches: stage.searches,
        positions: stage.positions,
        value: stage.value.map(Score::from),
        moves: moves.collect(),
    }
}

fn change_object(
    change_words: &ChangeWords<'_>,
    uci: UciMove,
    change: &AlphaChange,
) -> ChangeObject {
    let (old, new) = (change_words.line(change.since, uci), change_words.line(change.depth, uci));
    let at = |line: &[UciMove], ply: usize| line.get(ply).map(ToString::to_string);
    let because = match change.cause {
        Cause::Departs(ply) => BecauseObject::Departs {
            ply,
            uci: at(new, ply).unwrap_or_default(),
            instead_of: at(old, ply).unwrap_or_default(),
        },
        Cause::Follows(ply) => {
            BecauseObject::Follows { ply, uci: at(new, ply).unwrap_or_default() }
        }
    };
    ChangeObject {
        since: change.since,
        depth: change.depth,
        before: change.before.into(),
        after: change.after.into(),
        because,
    }
}

fn course_object(tree: &KeptTree) -> CourseObject {
    let points = tree.course.iter().map(|point| PointObject {
        pass: point.passes,
        searches: point.searches,
        positions: point.positions,
        at: timestamp(point.noted_at),
        best: point.best.to_string(),
        alpha: point.alpha.into(),
    });
    CourseObject { from_pass: 0, changes: points.collect() }
}

fn words(line: &[UciMove]) -> Vec<String> {
    line.iter().map(ToString::to_string).collect()
}
