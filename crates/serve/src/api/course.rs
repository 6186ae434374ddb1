//! The course of a root's verdict over time.

use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Score, Value, san_of};
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::RootMove;
use deepanalyze_report::{Cause, cause};
use deepanalyze_store::{CoursePoint, DepthVerdict, Store, StoreError};
use deepanalyze_view::{NamedMove, StageCourse, StageVerdict, after, numbered_line, stage_courses};

/// Changes listed, the newest.
const MOST: usize = 100;

/// The course of the verdict.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Course"))]
pub struct CourseObject {
    stages: Vec<StageCourseObject>,
    changes: Vec<ChangeObject>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "StageCourse"))]
struct StageCourseObject {
    analysis: i64,
    limit: Limit,
    points: Vec<PointObject>,
    settled: Vec<SettledObject>,
    speaks_from: Option<i64>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "CoursePoint"))]
struct PointObject {
    at: i64,
    best: NamedMove,
    alpha: Score,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "DepthSettled"))]
struct SettledObject {
    depth: u32,
    at: i64,
}

/// A changed verdict, and why.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "VerdictChange"))]
pub struct ChangeObject {
    at: i64,
    from: Option<ValuedMove>,
    to: ValuedMove,
    because: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ValuedMove {
    san: String,
    value: Score,
}

impl CourseObject {
    /// Reads it for a root with these stages.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn read(
        store: &Store,
        root: &Chess,
        stages: &[StageVerdict],
    ) -> Result<CourseObject, StoreError> {
        let courses = stage_courses(store, stages)?;
        let mut spoken = Vec::new();
        for (index, course) in courses.iter().enumerate() {
            let Some(from) = course.speaks_from else { continue };
            let next = courses.iter().skip(index + 1).find_map(|next| next.speaks_from);
            let verdicts = store.verdicts(course.analysis)?;
            spoken.extend(said(course, verdicts, from, next.unwrap_or(i64::MAX)));
        }
        let mut changes: Vec<ChangeObject> = changes(root, &spoken);
        changes.reverse();
        changes.truncate(MOST);
        let stages = courses.iter().map(|course| stage_object(root, course)).collect();
        Ok(CourseObject { stages, changes })
    }

    /// The newest change, if it has led to this verdict.
    pub fn into_change_to(self, best: &NamedMove, score: Score) -> Option<ChangeObject> {
        let newest = self.changes.into_iter().next()?;
        (newest.to.san == best.san && newest.to.value == score).then_some(newest)
    }
}

/// A root's moves at a time, the best one first.
struct RootSaid {
    at: i64,
    /// With its alpha.
    best: (UciMove, Value),
    /// All of them, if known.
    moves: Vec<RootMove>,
}

/// Verdicts of a stage while it spoke: by settled depth, and newest.
fn said(course: &StageCourse, verdicts: Vec<DepthVerdict>, from: i64, until: i64) -> Vec<RootSaid> {
    let mut said: Vec<RootSaid> = Vec::new();
    let mut last = None;
    for verdict in verdicts {
        let at = verdict.settled_at;
        let Some(best) = verdict.moves.first().map(|best| (best.uci, best.alpha)) else { continue };
        last = Some(at);
        if (from..until).contains(&at) {
            said.push(RootSaid { at, best, moves: verdict.moves });
        }
    }
    let newest = course.points.last().filter(|point| last.is_none_or(|last| point.noted_at > last));
    let newest = newest.filter(|point| (from..until).contains(&point.noted_at));
    said.extend(newest.map(|point: &CoursePoint| RootSaid {
        at: point.noted_at,
        best: (point.best, point.alpha),
        moves: Vec::new(),
    }));
    said
}

/// The changes from each to the next.
fn changes(root: &Chess, said: &[RootSaid]) -> Vec<ChangeObject> {
    let valued = |(uci, alpha): (UciMove, Value)| ValuedMove {
        san: san_of(root, uci),
        value: Score::from(alpha),
    };
    let first = said.first().map(|first| {
        let to = valued(first.best);
        ChangeObject { at: first.at, from: None, to, because: None }
    });
    let pairs = said.iter().zip(said.iter().skip(1));
    let later = pairs.filter(|(was, is)| was.best != is.best).map(|(was, is)| ChangeObject {
        at: is.at,
        from: Some(valued(was.best)),
        to: valued(is.best),
        because: because(root, was, is),
    });
    first.into_iter().chain(later).collect()
}

/// The reason: of the old best move and the new one, the one whose alpha changed more.
fn because(root: &Chess, was: &RootSaid, is: &RootSaid) -> Option<String> {
    fn of(said: &RootSaid, uci: UciMove) -> Option<&RootMove> {
        said.moves.iter().find(|one| one.uci == uci)
    }
    let change = |uci: UciMove| Some((of(was, uci)?, of(is, uci)?));
    let size = |old: &RootMove, new: &RootMove| old.alpha.get().abs_diff(new.alpha.get());
    let changed = [change(is.best.0), change(was.best.0)].into_iter().flatten();
    let changed = changed.filter(|(old, new)| size(old, new) > 0);
    let (old, new) = changed.max_by_key(|(old, new)| size(old, new))?;
    reason(root, &old.line, &new.line)
}

/// `3... Qh4 now meets 4. g3`, or `what follows 5... Nd7`.
fn reason(root: &Chess, old: &[UciMove], new: &[UciMove]) -> Option<String> {
    let name = |ply: usize| {
        let position = after(root, new.iter().take(ply));
        new.get(ply).map(|uci| numbered_line(&position, &[*uci]))
    };
    match cause(old, new)? {
        Cause::Departs { ply: 0, .. } => None,
        Cause::Departs { ply, .. } => Some(format!("{} now meets {}", name(ply - 1)?, name(ply)?)),
        Cause::Follows { ply, .. } => Some(format!("what follows {}", name(ply)?)),
    }
}

fn stage_object(root: &Chess, course: &StageCourse) -> StageCourseObject {
    let point = |point: &CoursePoint| PointObject {
        at: point.noted_at,
        best: NamedMove::of(root, point.best),
        alpha: point.alpha.into(),
    };
    let settled = course.settled.iter().map(|(depth, at)| SettledObject { depth: *depth, at: *at });
    StageCourseObject {
        analysis: course.analysis.0,
        limit: course.limit,
        points: course.points.iter().map(point).collect(),
        settled: settled.collect(),
        speaks_from: course.speaks_from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(at: i64, moves: &[(i64, &str)]) -> RootSaid {
        let moves = moves.iter().map(|(alpha, line)| {
            let line: Vec<UciMove> = line.split(' ').map(|uci| uci.parse().unwrap()).collect();
            let alpha = Value::new(*alpha).unwrap();
            RootMove { uci: line[0], listed: None, idea: alpha, alpha, line }
        });
        let moves: Vec<RootMove> = moves.collect();
        RootSaid { at, best: (moves[0].uci, moves[0].alpha), moves }
    }

    #[test]
    fn a_change_says_which_answer_is_new() {
        let told = [
            said(1, &[(31, "e2e4 e7e5 g1f3"), (20, "d2d4 d7d5")]),
            said(2, &[(18, "e2e4 c7c5 g1f3"), (10, "d2d4 d7d5")]),
            said(3, &[(18, "e2e4 c7c5 g1f3"), (10, "d2d4 d7d5")]),
            said(4, &[(19, "d2d4 d7d5 c2c4"), (18, "e2e4 c7c5 g1f3")]),
        ];
        let changes = changes(&Chess::default(), &told);
        let words: Vec<_> = changes
            .iter()
            .map(|one| (one.at, one.to.san.as_str(), one.because.as_deref()))
            .collect();
        let right = [
            (1, "e4", None),
            (2, "e4", Some("1. e4 now meets 1... c5")),
            (4, "d4", Some("what follows 1... d5")),
        ];
        assert_eq!(words, right);
    }
}
