//! How the verdict of a root went over time, through its stages.

use crate::analysis::kept::{StageVerdict, is_believed};
use deepanalyze_core::search::Limit;
use deepanalyze_store::{AnalysisId, CoursePoint, Store, StoreError};

/// How the verdict went in one stage. Times are in milliseconds since 1970, UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageCourse {
    /// The stage's analysis.
    pub analysis: AnalysisId,
    /// The limit of its searches.
    pub limit: Limit,
    /// The changes of the best move and of its alpha, for the mover.
    pub points: Vec<CoursePoint>,
    /// Its settled depths, and when each was settled.
    pub settled: Vec<(u32, i64)>,
    /// From when on it speaks for the root; none where it has not come so far.
    pub speaks_from: Option<i64>,
}

/// The courses of all stages of a root, the shallowest engine depth first, as they are given.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn stage_courses(
    store: &Store,
    stages: &[StageVerdict],
) -> Result<Vec<StageCourse>, StoreError> {
    let mut courses: Vec<StageCourse> = Vec::new();
    for stage in stages {
        let verdicts = store.verdicts(stage.row.id)?;
        let settled: Vec<_> =
            verdicts.iter().map(|one| (one.settled.depth, one.settled_at)).collect();
        let points = store.course(stage.row.id)?;
        let before = courses.iter().rfind(|course| course.speaks_from.is_some());
        let speaks_from = speaks_from(before, &points, &settled);
        let (analysis, limit) = (stage.row.id, stage.row.profile.limit);
        courses.push(StageCourse { analysis, limit, points, settled, speaks_from });
    }
    Ok(courses)
}

/// From when on a stage speaks, behind the one that spoke before.
fn speaks_from(
    before: Option<&StageCourse>,
    points: &[CoursePoint],
    settled: &[(u32, i64)],
) -> Option<i64> {
    let Some(before) = before else {
        return points.first().map(|point| point.noted_at);
    };
    let so_far = before.settled.last().map(|(depth, _)| *depth);
    settled.iter().find(|(depth, _)| is_believed(Some(*depth), so_far)).map(|(_, at)| *at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::{Value, parse_uci};

    fn course(settled: &[(u32, i64)]) -> StageCourse {
        let speaks_from = Some(0);
        let settled = settled.to_vec();
        let (analysis, limit) = (AnalysisId(1), Limit::Depth(8));
        StageCourse { analysis, limit, points: Vec::new(), settled, speaks_from }
    }

    #[test]
    fn a_stage_speaks_from_its_first_point_or_once_it_has_settled_enough() {
        let point = CoursePoint {
            passes: 1,
            searches: 1,
            positions: 1,
            best: parse_uci("e2e4").unwrap(),
            alpha: Value::new(20).unwrap(),
            noted_at: 70,
        };
        assert_eq!(speaks_from(None, &[point], &[]), Some(70));
        assert_eq!(speaks_from(None, &[], &[]), None);
        let settled: Vec<(u32, i64)> =
            (0..8).map(|depth| (depth, 100 + i64::from(depth))).collect();
        for (before, right) in [
            (course(&[(0, 1), (2, 9)]), Some(102)),
            (course(&[(0, 1), (9, 9)]), Some(106)),
            (course(&[]), Some(100)),
        ] {
            assert_eq!(speaks_from(Some(&before), &[point], &settled), right);
        }
        assert_eq!(speaks_from(Some(&course(&[(9, 9)])), &[point], &[(3, 5)]), None);
    }
}
