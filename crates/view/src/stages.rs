//! The stages of a root: analyses that differ only in how deep the engine searches.

use std::collections::{BTreeMap, HashMap};

use serde::{Serialize, Serializer};
use shakmaty::Color;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Value;
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_store::{AnalysisId, AnalysisRow, CoursePoint, Store, StoreError, TreeSettings};

use crate::chance::{Stays, StaysUntil};
use crate::json::DepthReached;
use crate::present::settled_now;
use crate::words::manner::describe_limit;
use crate::words::{PointOfView, seen};

/// Settled depth from which the verdict of a deeper stage counts, or the depth that the stage
/// before has settled, if less (docs/measurements/2026-11-performance.md, "Which stage speaks").
const BELIEVED: u32 = 6;

/// The stages of one root, the shallowest engine depth first; at least one.
#[derive(Debug, Clone)]
pub struct Stages {
    rows: Vec<AnalysisRow>,
    speaks: usize,
}

/// The result of a stage.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Stage"))]
pub struct StageVerdict {
    /// Its analysis.
    #[serde(flatten, serialize_with = "as_stage")]
    #[cfg_attr(feature = "contract", schemars(with = "StageOfRoot"))]
    pub row: AnalysisRow,
    /// The root's alpha, for its side to move; none before its first search.
    pub value: Option<Value>,
}

impl Stages {
    /// The stages of an analysis. One with a limit of nodes, or on a kept hash, stands alone.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub fn of(store: &Store, row: AnalysisRow) -> Result<Stages, StoreError> {
        let Some(game) = row.game() else {
            return Ok(Stages::new(vec![row]));
        };
        let mut rows = store.analyses_of(&game)?;
        rows.retain(|other| are_stages(&row, other));
        Stages::told(store, rows)
    }

    /// All analyses of a database by their stages, the last one grown first.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub fn all(store: &Store) -> Result<Vec<Stages>, StoreError> {
        grouped(store.analyses()?).into_iter().map(|rows| Stages::told(store, rows)).collect()
    }

    /// Analyses by their stages, in the order in which the first of each comes.
    pub fn among(rows: Vec<AnalysisRow>) -> Vec<Stages> {
        grouped(rows).into_iter().map(Stages::new).collect()
    }

    /// Stages of one root: which of them speaks depends on the present directives.
    fn told(store: &Store, rows: Vec<AnalysisRow>) -> Result<Stages, StoreError> {
        let mut stages = Stages::new(rows);
        if stages.rows.len() > 1 {
            let settled = stages.rows.iter().map(|row| settled_now(store, row));
            stages.speaks = speaks(&settled.collect::<Result<Vec<_>, _>>()?);
        }
        Ok(stages)
    }

    fn new(mut rows: Vec<AnalysisRow>) -> Stages {
        rows.sort_by_key(|row| (engine_depth(&row.profile), row.id));
        let settled: Vec<Option<u32>> = rows.iter().map(|row| row.settled_depth).collect();
        Stages { rows, speaks: speaks(&settled) }
    }

    /// The analyses, the shallowest engine depth first.
    pub fn rows(&self) -> &[AnalysisRow] {
        &self.rows
    }

    /// The deepest stage that counts.
    pub fn speaking(&self) -> Option<&AnalysisRow> {
        self.rows.get(self.speaks)
    }

    /// The result of each stage.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub fn verdicts(&self, store: &Store) -> Result<Vec<StageVerdict>, StoreError> {
        let verdict = |row: &AnalysisRow| {
            // As left by the last pass that changed it.
            let value = store.newest_of_course(row.id)?.map(|newest| newest.alpha);
            Ok(StageVerdict { row: row.clone(), value })
        };
        self.rows.iter().map(verdict).collect()
    }
}

/// The properties shared by stages.
#[derive(Debug, PartialEq, Eq, Hash)]
struct SharedByStages<'a> {
    start: [Option<&'a str>; 4],
    history: &'a [UciMove],
    settings: &'a TreeSettings,
    engine: &'a str,
    options: &'a BTreeMap<String, String>,
}

impl<'a> SharedByStages<'a> {
    /// `None` if an analysis stands alone.
    fn of(row: &'a AnalysisRow) -> Option<SharedByStages<'a>> {
        engine_depth(&row.profile)?;
        Some(SharedByStages {
            start: without_clocks(&row.start),
            history: &row.history,
            settings: &row.settings,
            engine: &row.profile.engine,
            options: &row.profile.options,
        })
    }
}

/// True if two analyses are stages of one root.
fn are_stages(one: &AnalysisRow, other: &AnalysisRow) -> bool {
    let is_shared = |shared| Some(shared) == SharedByStages::of(other);
    one.id == other.id || SharedByStages::of(one).is_some_and(is_shared)
}

/// Analyses by their stages, in the order in which the first of each comes.
fn grouped(rows: Vec<AnalysisRow>) -> Vec<Vec<AnalysisRow>> {
    let mut known: HashMap<SharedByStages<'_>, usize> = HashMap::new();
    let mut count = 0;
    let place = |row| {
        let next = count;
        let place =
            SharedByStages::of(row).map_or(next, |shared| *known.entry(shared).or_insert(next));
        count += usize::from(place == next);
        place
    };
    let places: Vec<usize> = rows.iter().map(place).collect();
    let mut groups = vec![Vec::new(); count];
    for (row, place) in rows.into_iter().zip(places) {
        if let Some(group) = groups.get_mut(place) {
            group.push(row);
        }
    }
    groups
}

/// The fields of a FEN that make the position: an analysis keeps the clocks of its first FEN.
fn without_clocks(fen: &str) -> [Option<&str>; 4] {
    let mut fields = fen.split(' ');
    [(); 4].map(|()| fields.next())
}

/// The engine depth of a profile that may have stages.
fn engine_depth(profile: &Profile) -> Option<u32> {
    match profile.limit {
        Limit::Depth(depth) if profile.kept_hash.is_none() => Some(depth),
        _ => None,
    }
}

/// True if the verdict of a deeper stage replaces that of the one that has spoken so far, by the
/// depths that the two have settled.
pub fn is_believed(deeper: Option<u32>, so_far: Option<u32>) -> bool {
    let enough = so_far.map_or(0, |depth| depth.min(BELIEVED));
    deeper.is_some_and(|depth| depth >= enough)
}

/// The index of the stage that speaks, by their settled depths, the shallowest first.
pub fn speaks(settled: &[Option<u32>]) -> usize {
    let mut speaks = 0;
    let mut so_far = settled.first().copied().flatten();
    for (stage, depth) in settled.iter().copied().enumerate().skip(1) {
        if is_believed(depth, so_far) {
            (speaks, so_far) = (stage, depth);
        }
    }
    speaks
}

/// True if there is no other stage, for serde.
pub fn is_one_alone(stages: &&[StageVerdict]) -> bool {
    stages.len() < 2
}

/// An analysis as a stage of its root.
#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
struct StageOfRoot {
    analysis: i64,
    limit: Limit,
    depth: DepthReached,
}

fn as_stage<S: Serializer>(row: &AnalysisRow, to: S) -> Result<S::Ok, S::Error> {
    let depth = DepthReached::of_row(row);
    StageOfRoot { analysis: row.id.0, limit: row.profile.limit, depth }.serialize(to)
}

/// The chance that a move stays the best: `94 % that 1. e4 stays the best move when …`.
pub(crate) fn describe_stays(stays: Stays, best: &str) -> String {
    let when = match stays.until {
        StaysUntil::NextStage => "the engine searches two plies deeper",
        StaysUntil::FourTimesTheTime => "tree and closing search get four times the time",
    };
    format!("{} that {best} stays the best move when {when}", stays.chance)
}

/// A line for each stage, with its score, if there are several; the shown one is marked.
pub fn stage_lines(
    stages: &[StageVerdict],
    shown: i64,
    mover: Color,
    pov: PointOfView,
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

/// The stage that speaks, and the progress of a deeper one; `None` if there is only one.
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

/// Changes of the verdict in one stage. Times are in milliseconds since 1970, UTC.
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
    /// The time from which it speaks for the root; `None` if it does not yet.
    pub speaks_from: Option<i64>,
}

/// The courses of all stages of a root, the shallowest engine depth first, in the given order.
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

/// When a stage begins to speak, after the one before.
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
    use proptest::prelude::*;

    use super::*;
    use deepanalyze_core::chess::Tables;
    use deepanalyze_core::chess::{FiftyMoves, parse_uci};
    use deepanalyze_core::search::KeptHash;
    use deepanalyze_store::ProfileId;

    /// An analysis out of few of each kind, so that many are alike.
    fn analysis() -> impl Strategy<Value = AnalysisRow> {
        let small = || 0..3_u32;
        (small(), small(), small(), small(), small(), small(), small()).prop_map(row_of)
    }

    fn row_of(of: (u32, u32, u32, u32, u32, u32, u32)) -> AnalysisRow {
        let (start, history, breadth, engine, options, limit, tables) = of;
        let clocks = ["0 1", "3 9", "7 7"][limit as usize];
        let start =
            ["8/8/4k3/8/8/4K3/4P3/8 w - -", "8/8/4k3/8/8/4K3/4P3/8 b - -"][start as usize % 2];
        let history = ["", "e3d3", "e3d3 e6d6"][history as usize].split_whitespace();
        let profile = Profile {
            engine: format!("engine {engine}"),
            options: (0..options % 2).map(|n| (n.to_string(), "x".to_owned())).collect(),
            limit: [Limit::Depth(5), Limit::Depth(9), Limit::Nodes(5)][limit as usize],
            kept_hash: (options == 2).then_some(KeptHash::Unknown),
        };
        let tables = (tables > 0).then_some(Tables { men: 3, fifty: FiftyMoves::default() });
        AnalysisRow {
            id: AnalysisId(0),
            root: String::new(),
            start: format!("{start} {clocks}"),
            history: history.map(|uci| parse_uci(uci).unwrap()).collect(),
            profile_id: ProfileId(1),
            profile,
            settings: TreeSettings { tables, ..breadth.into() },
            target_depth: 0,
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
        }
    }

    proptest! {
        #[test]
        fn grouping_equals_pairwise_comparison(
            mut rows in prop::collection::vec(analysis(), 0..60),
        ) {
            for (id, row) in (1..).zip(&mut rows) {
                row.id = AnalysisId(id);
            }
            let mut right: Vec<Vec<AnalysisRow>> = Vec::new();
            for row in &rows {
                match right.iter_mut().find(|group| are_stages(&group[0], row)) {
                    Some(group) => group.push(row.clone()),
                    None => right.push(vec![row.clone()]),
                }
            }
            prop_assert_eq!(grouped(rows), right);
        }
    }

    #[test]
    fn deepest_believed_stage_speaks() {
        let cases: [(&[Option<u32>], usize); 8] = [
            (&[None], 0),
            (&[Some(10)], 0),
            (&[Some(10), Some(5)], 0),
            (&[Some(10), Some(6)], 1),
            (&[Some(2), Some(2)], 1),
            (&[Some(10), Some(10), None], 1),
            (&[Some(10), None, Some(7)], 2),
            (&[None, Some(0)], 1),
        ];
        for (settled, right) in cases {
            assert_eq!(speaks(settled), right, "{settled:?}");
        }
    }
}

#[cfg(test)]
mod tests_of_over_time {
    use super::*;
    use deepanalyze_core::chess::{Value, parse_uci};

    fn course(settled: &[(u32, i64)]) -> StageCourse {
        let speaks_from = Some(0);
        let settled = settled.to_vec();
        let (analysis, limit) = (AnalysisId(1), Limit::Depth(8));
        StageCourse { analysis, limit, points: Vec::new(), settled, speaks_from }
    }

    #[test]
    fn stage_speaks_from_first_point_or_enough_depth() {
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
