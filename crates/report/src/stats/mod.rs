//! Costs and sizes of a database, or one analysis in it, and remarkable positions of one tree.

pub mod text;

use serde::Serialize;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, Value, epd_of};
use deepanalyze_core::tree::{
    CircleFound, Disagreement, Edge, NodeId, disagreements, largest_circles,
};
use deepanalyze_store::{
    AnalysisId, AnalysisRow, Cost, Origin, PlyCount, Sharing, Store, StoreError, Stretch,
    TableShare,
};

use deepanalyze_view::{NamedMove, Tree, after, json};

/// The most stretches of a histogram.
const STRETCHES: i64 = 30;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// The stretches of time for counting searches: milliseconds, and a name.
const UNITS: [(i64, &str); 7] = [
    (MINUTE, "minute"),
    (10 * MINUTE, "10 minutes"),
    (HOUR, "hour"),
    (6 * HOUR, "6 hours"),
    (DAY, "day"),
    (7 * DAY, "week"),
    (28 * DAY, "4 weeks"),
];

/// Costs and sizes of a database, or of one analysis in it. Scores are for the side to move.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Stats"))]
pub struct Statistics {
    /// The database.
    pub database: String,
    /// Analyses in the database.
    pub analyses: usize,
    /// The counted one, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analysis: Option<i64>,
    /// All counted answers.
    #[serde(flatten)]
    pub cost: Cost,
    /// The answers by storage time.
    pub over_time: OverTime,
    /// Number of answers of each rank.
    pub by_rank: Vec<RankCount>,
    /// Admitted answers by ply.
    pub by_ply: Vec<PlyCount>,
    /// The use of the memo.
    pub memo: MemoUse,
    /// The size of the file.
    pub file: FileTaken,
    /// Remarkable positions of the tree, if it is one.
    #[serde(flatten)]
    pub finds: Option<TreeFinds>,
}

/// The answers by storage time, without gaps.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct OverTime {
    /// The unit in milliseconds.
    pub unit_ms: i64,
    /// Its name: `minute`.
    #[serde(skip)]
    pub unit: &'static str,
    /// The answers of each.
    #[serde(serialize_with = "stretches")]
    #[cfg_attr(feature = "contract", schemars(with = "Vec<StretchFrom>"))]
    pub stretches: Vec<Stretch>,
}

/// Number of answers of a rank.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct RankCount {
    rank: usize,
    searches: u64,
}

/// Origin of answers.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged)]
pub enum MemoUse {
    /// Use by one analysis.
    One(Origin),
    /// Use by the whole database.
    All(Sharing),
}

/// Size of a database on the disk.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct FileTaken {
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of the log beside it.
    pub log_bytes: u64,
    /// Size of each table.
    pub tables: Vec<TableShare>,
}

/// Remarkable positions of one tree.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct TreeFinds {
    /// The analysis.
    #[serde(skip)]
    pub row: AnalysisRow,
    /// The game up to its root.
    #[serde(skip)]
    pub game: Game,
    /// Its largest circles.
    pub circles: Vec<LargeCircle>,
    /// Its greatest contradictions.
    pub disagreements: Vec<Contradiction>,
}

/// A position of the tree.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct PlaceFound {
    /// The position.
    pub epd: String,
    /// Distance from the root.
    pub ply: u32,
    /// The moves from the root.
    #[serde(serialize_with = "json::line")]
    #[cfg_attr(feature = "contract", schemars(with = "Vec<String>"))]
    pub line: Vec<UciMove>,
}

/// Positions that lead back to themselves.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct LargeCircle {
    /// Size.
    pub positions: usize,
    /// The one nearest to the root.
    #[serde(flatten)]
    pub place: PlaceFound,
}

/// A position where tree and engine differ.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct Contradiction {
    /// The position.
    #[serde(flatten)]
    pub place: PlaceFound,
    /// The engine's move.
    pub engine: ScoredMove,
    /// The tree's move.
    pub tree: ScoredMove,
    /// In expected score, 0 to 1, to three digits.
    pub difference: f64,
}

/// A move and its score.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct ScoredMove {
    /// The move.
    #[serde(flatten)]
    pub named: NamedMove,
    /// For its mover.
    pub score: Value,
}

#[derive(Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "Stretch"))]
struct StretchFrom {
    /// RFC 3339, UTC.
    #[serde(serialize_with = "json::time")]
    #[cfg_attr(feature = "contract", schemars(with = "String"))]
    from: i64,
    #[serde(flatten)]
    cost: Cost,
}

fn stretches<S: serde::Serializer>(stretches: &[Stretch], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(
        stretches.iter().map(|Stretch { from, cost }| StretchFrom { from: *from, cost: *cost }),
    )
}

impl Statistics {
    /// Counts all answers of a database, under any name.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn of_all(store: &Store, database: String) -> Result<Statistics, StoreError> {
        Statistics::of(store, database, None)
    }

    /// Counts the admitted answers of one analysis, with `count` finds of each kind in its tree.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn of_tree(
        store: &Store,
        database: String,
        tree: &Tree,
        count: usize,
    ) -> Result<Statistics, StoreError> {
        let stats = Statistics::of(store, database, Some(tree.row.id))?;
        Ok(Statistics { finds: Some(TreeFinds::of(tree, count)), ..stats })
    }

    fn of(
        store: &Store,
        database: String,
        analysis: Option<AnalysisId>,
    ) -> Result<Statistics, StoreError> {
        store.at_one_moment(|| {
            let span = store.span(analysis)?;
            let (unit_ms, unit) = span.map_or(UNITS[0], |(first, last)| unit_of(first, last));
            let over_time = store.cost_over_time(analysis, unit_ms)?;
            let by_rank = store.searches_by_rank(analysis)?.into_iter();
            let (bytes, log_bytes) = store.file_sizes()?;
            Ok(Statistics {
                database,
                analyses: store.analysis_ids()?.len(),
                analysis: analysis.map(|id| id.0),
                cost: total(&over_time),
                over_time: OverTime { unit_ms, unit, stretches: without_gaps(over_time, unit_ms) },
                by_rank: by_rank.map(|(rank, searches)| RankCount { rank, searches }).collect(),
                by_ply: store.searches_by_ply(analysis)?,
                memo: match analysis {
                    Some(id) => MemoUse::One(store.origin(id)?),
                    None => MemoUse::All(store.sharing()?),
                },
                file: FileTaken { bytes, log_bytes, tables: store.shares()? },
                finds: None,
            })
        })
    }
}

impl TreeFinds {
    fn of(tree: &Tree, count: usize) -> TreeFinds {
        let graph = tree.growth.graph();
        let place = |node: NodeId| PlaceFound {
            epd: epd_of(&tree.growth.position(node)),
            ply: tree.growth.ply(node),
            line: tree.growth.first_line(node),
        };
        let circle = |CircleFound { positions, nearest, .. }: CircleFound| LargeCircle {
            positions,
            place: place(nearest),
        };
        let contradiction = |found: Disagreement| {
            let place = place(found.node);
            let position = after(tree.game.root(), &place.line);
            let scored = |edge: Edge, score| ScoredMove {
                named: NamedMove::of(&position, edge.uci.unpack()),
                score,
            };
            Contradiction {
                engine: scored(found.engine, found.engine.eval),
                tree: scored(found.tree, found.idea),
                difference: (found.size() * 1000.0).round() / 1000.0,
                place,
            }
        };
        let circles = largest_circles(graph, |node| tree.growth.ply(node), count);
        let disagreements = disagreements(graph, tree.growth.values(), count);
        TreeFinds {
            row: tree.row.clone(),
            game: tree.game.clone(),
            circles: circles.into_iter().map(circle).collect(),
            disagreements: disagreements.into_iter().map(contradiction).collect(),
        }
    }
}

/// The shortest unit without too many stretches; the longest if all have too many.
fn unit_of(first: i64, last: i64) -> (i64, &'static str) {
    let fits = |(ms, _): &&(i64, &str)| (last / ms).saturating_sub(first / ms) < STRETCHES;
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

/// Inserts the empty stretches, unless there are too many.
fn without_gaps(stretches: Vec<Stretch>, unit_ms: i64) -> Vec<Stretch> {
    let (Some(first), Some(last)) = (stretches.first(), stretches.last()) else {
        return stretches;
    };
    let (first, last) = (first.from, last.from);
    if last.saturating_sub(first) / unit_ms >= STRETCHES {
        return stretches;
    }
    let mut known = stretches.into_iter().peekable();
    let times = std::iter::successors(Some(first), |from| from.checked_add(unit_ms));
    let times = times.take_while(|from| *from <= last);
    let at = |from| {
        let there = known.next_if(|stretch: &Stretch| stretch.from == from);
        there.unwrap_or(Stretch { from, cost: Cost::default() })
    };
    times.map(at).collect()
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
            assert_eq!(unit_of(0, minutes * MINUTE).1, name, "{minutes}");
        }
        assert_eq!(unit_of(i64::MIN, i64::MAX).1, "4 weeks");
    }

    #[test]
    fn gaps_are_filled_and_absurd_ones_left() {
        let stretch =
            |from, searches| Stretch { from, cost: Cost { searches, nodes: 2, time_ms: 1 } };
        let (unit, _) = UNITS[0];
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
