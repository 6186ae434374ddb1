//! What a database, or one analysis in it, has cost and takes.

pub mod text;

use std::io::{self, Write};

use serde::Serialize;

use deepanalyze_core::chess::{Score, epd_of, san_of};
use deepanalyze_core::tree::{CircleFound, Disagreement, Edge, NodeId};
use deepanalyze_store::{
    AnalysisId, Cost, Origin, PlyCount, Share, Sharing, Store, StoreError, Stretch,
};

use crate::stats::text::TreeFacts;
use crate::words::figures::timestamp;
use crate::words::moves::after;

/// How many stretches a histogram may have.
const STRETCHES: i64 = 30;

/// A stretch of time that searches are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// Milliseconds.
    pub ms: i64,
    /// Its name: `minute`.
    pub name: &'static str,
}

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const UNITS: [Unit; 7] = [
    Unit { ms: MINUTE, name: "minute" },
    Unit { ms: 10 * MINUTE, name: "10 minutes" },
    Unit { ms: HOUR, name: "hour" },
    Unit { ms: 6 * HOUR, name: "6 hours" },
    Unit { ms: DAY, name: "day" },
    Unit { ms: 7 * DAY, name: "week" },
    Unit { ms: 28 * DAY, name: "4 weeks" },
];

/// Where answers came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoUse {
    /// Those of one analysis.
    One(Origin),
    /// Those of the whole database.
    All(Sharing),
}

/// What a database, or one analysis in it, has cost and takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statistics {
    /// Analyses in the database.
    pub analyses: usize,
    /// All answers that are counted.
    pub cost: Cost,
    /// What `over_time` counts by.
    pub unit: Unit,
    /// The answers by when they were stored, without gaps.
    pub over_time: Vec<Stretch>,
    /// How many answers have each rank.
    pub by_rank: Vec<(usize, u64)>,
    /// What trees admit at each ply.
    pub by_ply: Vec<PlyCount>,
    /// What the memo answered.
    pub memo: MemoUse,
    /// Bytes of the database file.
    pub file_bytes: u64,
    /// Bytes of the log beside it.
    pub log_bytes: u64,
    /// What each table takes.
    pub shares: Vec<Share>,
}

impl Statistics {
    /// Counts all answers of the database, or the admitted ones of one analysis.
    pub fn of(store: &Store, analysis: Option<AnalysisId>) -> Result<Statistics, StoreError> {
        store.at_one_moment(|| {
            let span = store.span(analysis)?;
            let unit = span.map_or(UNITS[0], |(first, last)| unit_of(first, last));
            let over_time = store.cost_over_time(analysis, unit.ms)?;
            let memo = match analysis {
                Some(id) => MemoUse::One(store.origin(id)?),
                None => MemoUse::All(store.sharing()?),
            };
            let (file_bytes, log_bytes) = store.file_sizes()?;
            Ok(Statistics {
                analyses: store.analysis_ids()?.len(),
                cost: total(&over_time),
                unit,
                over_time: without_gaps(over_time, unit),
                by_rank: store.searches_by_rank(analysis)?,
                by_ply: store.searches_by_ply(analysis)?,
                memo,
                file_bytes,
                log_bytes,
                shares: store.shares()?,
            })
        })
    }
}

/// The shortest unit that does not make too many stretches; the longest where all do.
fn unit_of(first: i64, last: i64) -> Unit {
    let fits = |unit: &&Unit| (last / unit.ms).saturating_sub(first / unit.ms) < STRETCHES;
    let [.., longest] = UNITS;
    UNITS.iter().find(fits).copied().unwrap_or(longest)
}

fn total(stretches: &[Stretch]) -> Cost {
    stretches.iter().fold(Cost::default(), |sum, stretch| Cost {
        searches: sum.searches + stretch.cost.searches,
        nodes: sum.nodes.saturating_add(stretch.cost.nodes),
        time_ms: sum.time_ms.saturating_add(stretch.cost.time_ms),
    })
}

/// Puts in the stretches in which nothing was stored, where there are not too many.
fn without_gaps(stretches: Vec<Stretch>, unit: Unit) -> Vec<Stretch> {
    let (Some(first), Some(last)) = (stretches.first(), stretches.last()) else {
        return stretches;
    };
    let (first, last) = (first.from, last.from);
    if last.saturating_sub(first) / unit.ms >= STRETCHES {
        return stretches;
    }
    let mut known = stretches.into_iter().peekable();
    let times = std::iter::successors(Some(first), |from| from.checked_add(unit.ms));
    let times = times.take_while(|from| *from <= last);
    let at = |from| {
        let there = known.next_if(|stretch: &Stretch| stretch.from == from);
        there.unwrap_or(Stretch { from, cost: Cost::default() })
    };
    times.map(at).collect()
}

#[derive(Serialize)]
struct StatsObject<'a> {
    format: u32,
    database: &'a str,
    analyses: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    analysis: Option<i64>,
    #[serde(flatten)]
    cost: CostObject,
    over_time: OverTimeObject,
    by_rank: Vec<RankObject>,
    by_ply: Vec<PlyObject>,
    memo: MemoObject,
    file: FileObject<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    circles: Option<Vec<CircleObject>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disagreements: Option<Vec<DisagreementObject>>,
}

#[derive(Serialize)]
struct CostObject {
    searches: u64,
    nodes: u64,
    engine_time_ms: u64,
}

#[derive(Serialize)]
struct OverTimeObject {
    unit_ms: i64,
    stretches: Vec<StretchObject>,
}

#[derive(Serialize)]
struct StretchObject {
    /// RFC 3339, UTC.
    from: String,
    #[serde(flatten)]
    cost: CostObject,
}

#[derive(Serialize)]
struct RankObject {
    rank: usize,
    searches: u64,
}

#[derive(Serialize)]
struct PlyObject {
    ply: u32,
    positions: u64,
    searches: u64,
}

#[derive(Serialize)]
#[serde(untagged)]
enum MemoObject {
    One { admitted: u64, stored_before: u64, shared: u64 },
    All { admitted: u64, admitted_once: u64, stored: u64 },
}

#[derive(Serialize)]
struct FileObject<'a> {
    bytes: u64,
    log_bytes: u64,
    tables: Vec<TableObject<'a>>,
}

#[derive(Serialize)]
struct TableObject<'a> {
    table: &'a str,
    bytes: u64,
}

#[derive(Serialize)]
struct PlaceObject {
    epd: String,
    ply: u32,
    /// UCI moves from the root.
    line: Vec<String>,
}

#[derive(Serialize)]
struct CircleObject {
    positions: usize,
    #[serde(flatten)]
    place: PlaceObject,
}

#[derive(Serialize)]
struct DisagreementObject {
    #[serde(flatten)]
    place: PlaceObject,
    engine: MoveObject,
    tree: MoveObject,
    /// In expected score, 0 to 1.
    difference: f64,
}

#[derive(Serialize)]
struct MoveObject {
    uci: String,
    san: String,
    score: Score,
}

/// Writes statistics. Scores are for the side to move.
pub fn write_stats_json(
    stats: &Statistics,
    database: &str,
    facts: Option<&TreeFacts<'_>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let stretches = stats
        .over_time
        .iter()
        .map(|stretch| StretchObject { from: timestamp(stretch.from), cost: cost(&stretch.cost) });
    let ranks = stats.by_rank.iter();
    let object = StatsObject {
        format: 1,
        database,
        analyses: stats.analyses,
        analysis: facts.map(|facts| facts.tree.row.id.0),
        cost: cost(&stats.cost),
        over_time: OverTimeObject { unit_ms: stats.unit.ms, stretches: stretches.collect() },
        by_rank: ranks
            .map(|(rank, searches)| RankObject { rank: *rank, searches: *searches })
            .collect(),
        by_ply: stats.by_ply.iter().map(ply).collect(),
        memo: memo(&stats.memo),
        file: FileObject {
            bytes: stats.file_bytes,
            log_bytes: stats.log_bytes,
            tables: stats.shares.iter().map(table).collect(),
        },
        circles: facts.map(|facts| facts.circles.iter().map(|c| circle(facts, c)).collect()),
        disagreements: facts
            .map(|facts| facts.disagreements.iter().map(|d| disagreement(facts, d)).collect()),
    };
    serde_json::to_writer(&mut *out, &object)?;
    writeln!(out)
}

fn cost(cost: &Cost) -> CostObject {
    CostObject { searches: cost.searches, nodes: cost.nodes, engine_time_ms: cost.time_ms }
}

fn ply(count: &PlyCount) -> PlyObject {
    PlyObject { ply: count.ply, positions: count.positions, searches: count.searches }
}

fn table(share: &Share) -> TableObject<'_> {
    TableObject { table: &share.table, bytes: share.bytes }
}

fn memo(memo: &MemoUse) -> MemoObject {
    match *memo {
        MemoUse::One(Origin { admitted, before, shared }) => {
            MemoObject::One { admitted, stored_before: before, shared }
        }
        MemoUse::All(Sharing { admitted, used, stored }) => {
            MemoObject::All { admitted, admitted_once: used, stored }
        }
    }
}

fn place(facts: &TreeFacts<'_>, node: NodeId) -> PlaceObject {
    PlaceObject {
        epd: epd_of(&facts.tree.growth.position(node)),
        ply: facts.tree.growth.ply(node),
        line: facts.tree.growth.first_line(node).iter().map(ToString::to_string).collect(),
    }
}

fn circle(facts: &TreeFacts<'_>, circle: &CircleFound) -> CircleObject {
    CircleObject { positions: circle.positions, place: place(facts, circle.nearest) }
}

fn disagreement(facts: &TreeFacts<'_>, found: &Disagreement) -> DisagreementObject {
    let position = after(facts.tree.game.root(), &facts.tree.growth.first_line(found.node));
    let object = |edge: Edge, score: Score| {
        let uci = edge.uci.unpack();
        MoveObject { uci: uci.to_string(), san: san_of(&position, uci), score }
    };
    DisagreementObject {
        place: place(facts, found.node),
        engine: object(found.engine, found.engine.eval.into()),
        tree: object(found.tree, found.idea.into()),
        difference: (found.size() * 1000.0).round() / 1000.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_is_the_shortest_that_makes_few_stretches() {
        for (minutes, name) in [
            (0, "minute"),
            (29, "minute"),
            (30, "10 minutes"),
            (299, "10 minutes"),
            (8 * 60, "hour"),
            (3 * 24 * 60, "6 hours"),
            (20 * 24 * 60, "day"),
            (90 * 24 * 60, "week"),
            (9000 * 24 * 60, "4 weeks"),
        ] {
            assert_eq!(unit_of(0, minutes * MINUTE).name, name, "{minutes}");
        }
        assert_eq!(unit_of(i64::MIN, i64::MAX).name, "4 weeks");
    }

    #[test]
    fn gaps_are_filled_and_absurd_ones_left() {
        let stretch =
            |from, searches| Stretch { from, cost: Cost { searches, nodes: 2, time_ms: 1 } };
        let unit = UNITS[0];
        let some = vec![stretch(0, 3), stretch(3 * MINUTE, 4)];
        assert_eq!(total(&some), Cost { searches: 7, nodes: 4, time_ms: 2 });
        let filled: Vec<u64> =
            without_gaps(some, unit).iter().map(|stretch| stretch.cost.searches).collect();
        assert_eq!(filled, [3, 0, 0, 4]);
        let absurd = vec![stretch(0, 3), stretch(i64::MAX, 4)];
        assert_eq!(without_gaps(absurd.clone(), unit), absurd);
        let late = vec![stretch(i64::MAX - 2, 3), stretch(i64::MAX - 1, 4)];
        assert_eq!(without_gaps(late, unit).len(), 1, "no endless walk");
        assert!(without_gaps(Vec::new(), unit).is_empty());
    }
}
