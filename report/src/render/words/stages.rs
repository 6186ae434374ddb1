//! The stages of a root in words and as data.

use serde::Serialize;
use shakmaty::Color;

use crate::analysis::{StageVerdict, Stays};
use crate::render::{PointOfView, seen};
use deepanalyze_core::chess::Score;
use deepanalyze_core::search::Limit;

use super::describe_limit;

/// A stage in JSON.
#[derive(Debug, Serialize)]
pub struct StageObject {
    analysis: i64,
    limit: Limit,
    depth: StageDepth,
    /// The root's value, for its side to move.
    value: Option<Score>,
}

#[derive(Debug, Serialize)]
struct StageDepth {
    settled: Option<u32>,
    target: u32,
}

impl StageObject {
    /// The stages of a root; none where there is one alone.
    pub fn of(stages: &[StageVerdict]) -> Vec<StageObject> {
        if stages.len() < 2 { Vec::new() } else { StageObject::all(stages) }
    }

    /// The stages of a root, be it one alone.
    pub fn all(stages: &[StageVerdict]) -> Vec<StageObject> {
        let object = |stage: &StageVerdict| StageObject {
            analysis: stage.row.id.0,
            limit: stage.row.profile.limit,
            depth: StageDepth { settled: stage.row.settled_depth, target: stage.row.target_depth },
            value: stage.value.map(Score::from),
        };
        stages.iter().map(object).collect()
    }
}

/// How likely it is that a move stays the best: `94 % that 1. e4 stays the best move when …`.
pub fn describe_stays(stays: Stays, best: &str) -> String {
    let chance = stays.chance;
    format!("{chance} that {best} stays the best move when the engine searches two plies deeper")
}

/// A line for each stage, with its score, where there are several; the one that is shown is marked.
pub fn stage_lines(
    stages: &[StageVerdict],
    shown: i64,
    (mover, pov): (Color, PointOfView),
) -> Vec<String> {
    let line = |stage: &StageVerdict| {
        let limit = describe_limit(stage.row.profile.limit);
        let settled = match stage.row.settled_depth {
            Some(depth) => format!("depth {depth} of {} complete", stage.row.target_depth),
            None => "no depth complete yet".to_owned(),
        };
        let score = stage.value.map(|value| format!(", {}", seen(value, mover, pov)));
        let mark = if stage.row.id.0 == shown { ", shown here" } else { "" };
        format!("{limit}: {settled}{}{mark}", score.unwrap_or_default())
    };
    if stages.len() < 2 { Vec::new() } else { stages.iter().map(line).collect() }
}

/// Which stage speaks, and how far a deeper one has come; nothing where there is one alone.
pub fn describe_stages(stages: &[StageVerdict], analysis: i64) -> Option<String> {
    let place = stages.iter().position(|stage| stage.row.id.0 == analysis)?;
    if stages.len() < 2 {
        return None;
    }
    let mut told = format!("stage {} of {}", place + 1, stages.len());
    if let Some(next) = stages.get(place + 1) {
        let depth = match next.row.settled_depth {
            Some(depth) => format!("depth {depth} of {}", next.row.target_depth),
            None => "no depth".to_owned(),
        };
        told.push_str(&format!(
            "; {depth} complete with {}",
            describe_limit(next.row.profile.limit)
        ));
    }
    Some(told)
}
