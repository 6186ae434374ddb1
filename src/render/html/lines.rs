//! The lines behind the first moves, and how the verdict went, as the page's script reads them.

use serde::Serialize;
use shakmaty::Chess;

use crate::analysis::{Prospect, StageCourse};
use crate::chess::san_of;
use crate::render::words::{after, describe_limit};
use crate::tree::LineEnd;

use super::data::words_of;

/// What lies behind a move.
#[derive(Serialize)]
pub struct LineData {
    /// The tree's best line, the move first, and how the engine goes on behind it, in UCI.
    moves: String,
    own: String,
    /// Both in SAN.
    sans: String,
    /// Why the line ends, where that is not seen.
    end: Option<&'static str>,
}

impl LineData {
    /// What lies behind a move of the position where printing begins.
    pub fn new(start: &Chess, prospect: &Prospect) -> LineData {
        let moves = prospect.best.line.iter().chain(&prospect.continuation);
        let (mut position, mut sans) = (start.clone(), Vec::new());
        for uci in moves {
            sans.push(san_of(&position, *uci));
            position = after(&position, [uci]);
        }
        LineData {
            sans: sans.join(" "),
            moves: words_of(&prospect.best.line),
            own: words_of(&prospect.continuation),
            end: match prospect.end {
                LineEnd::Repetition => Some("repetition"),
                LineEnd::Over(ending) => Some(ending.name()),
                LineEnd::Value => Some("your value"),
                LineEnd::Tree { .. } | LineEnd::Elsewhere => None,
            },
        }
    }
}

/// A stage of the root; times are in milliseconds since 1970, UTC.
#[derive(Serialize)]
pub struct StageData {
    analysis: i64,
    limit: String,
    /// When, the best move from then on, and its alpha for the mover.
    points: Vec<(i64, String, i16)>,
    /// Depth and when.
    settled: Vec<(u32, i64)>,
    /// From when on it speaks for the root.
    speaks: Option<i64>,
}

impl From<&StageCourse> for StageData {
    fn from(course: &StageCourse) -> StageData {
        let points = course.points.iter();
        let points = points.map(|one| (one.noted_at, one.best.to_string(), one.alpha.get()));
        StageData {
            analysis: course.analysis.0,
            limit: describe_limit(course.limit),
            points: points.collect(),
            settled: course.settled.clone(),
            speaks: course.speaks_from,
        }
    }
}
