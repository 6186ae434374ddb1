//! The lines behind the first moves, and how the verdict went, as the page's script reads them.

use std::collections::BTreeSet;

use serde::Serialize;
use shakmaty::Chess;

use crate::analysis::{Prospect, StageCourse};
use crate::render::words::{after, describe_limit, describe_line_end};
use deepanalyze_core::chess::san_of;
use deepanalyze_store::CoursePoint;

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
            end: describe_line_end(prospect.end),
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
        let points = thinned(&course.points).into_iter();
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

/// A course of more points is thinned: a plot has no more columns.
const MANY: usize = 1000;

/// The first and the last point, those at which the best move changes, and of each equal part of the time
/// the lowest and the highest.
fn thinned(points: &[CoursePoint]) -> Vec<&CoursePoint> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    if points.len() <= MANY {
        return points.iter().collect();
    }
    let (span, parts) = ((last.noted_at - first.noted_at).max(1), 400);
    let part = |point: &CoursePoint| (point.noted_at - first.noted_at) * parts / span;
    let numbered: Vec<(usize, &CoursePoint)> = points.iter().enumerate().collect();
    let changes = numbered.windows(2).filter_map(|pair| match pair {
        [(_, before), (index, point)] if before.best != point.best => Some(*index),
        _ => None,
    });
    let of_parts = numbered.chunk_by(|one, other| part(one.1) == part(other.1));
    let extremes = of_parts.flat_map(|of_part| {
        let lowest = of_part.iter().min_by_key(|(_, point)| point.alpha);
        let highest = of_part.iter().max_by_key(|(_, point)| point.alpha);
        [lowest, highest].into_iter().flatten().map(|(index, _)| *index)
    });
    let ends = [0, points.len() - 1].into_iter();
    let kept: BTreeSet<usize> = ends.chain(changes).chain(extremes).collect();
    kept.into_iter().filter_map(|index| points.get(index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::{Value, parse_uci};

    /// A night: a point every second, the best move another one after each thousand.
    fn night(count: i64) -> Vec<CoursePoint> {
        let point = |index: i64| CoursePoint {
            passes: index.unsigned_abs(),
            searches: 1,
            positions: 1,
            best: parse_uci(if index / 1000 % 2 == 0 { "e2e4" } else { "d2d4" }).unwrap(),
            alpha: Value::new(if index == 7777 { 300 } else { index % 17 }).unwrap(),
            noted_at: 1_800_000_000_000 + index * 1000,
        };
        (0..count).map(point).collect()
    }

    #[test]
    fn a_long_night_is_thinned_to_what_the_plot_can_show() {
        let (short, long) = (night(1000), night(30_000));
        assert_eq!(thinned(&short).len(), 1000);
        assert!(thinned(&[]).is_empty());
        let kept = thinned(&long);
        assert!(kept.len() < 1000, "{}", kept.len());
        assert!(kept.is_sorted_by_key(|point| point.passes));
        let has = |passes: u64| kept.iter().any(|point| point.passes == passes);
        assert!(has(0) && has(29_999), "the ends");
        assert!((1..30).all(|change| has(change * 1000)), "where the best move changes");
        assert!(has(7777), "the highest");
    }
}
