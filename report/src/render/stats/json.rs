//! Statistics as one JSON object. The format is public; `"format": 1` names it.

use std::io::{self, Write};

use serde::Serialize;

use crate::analysis::{MemoUse, Statistics};
use crate::render::words::{after, timestamp};
use deepanalyze_core::chess::{Score, epd_of, san_of};
use deepanalyze_core::tree::{CircleFound, Disagreement, Edge, NodeId};
use deepanalyze_store::{Cost, Origin, PlyCount, Share, Sharing};

use super::text::TreeFacts;

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
