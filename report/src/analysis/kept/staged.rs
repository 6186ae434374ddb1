//! The stages of a root: analyses that differ in nothing but how deep the engine searches.

use std::collections::{BTreeMap, HashMap};

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Tables, Value};
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::Breadth;
use deepanalyze_store::{AnalysisId, AnalysisRow, Store, StoreError};

/// From this settled depth on the verdict of a deeper stage is believed, or from the depth that the stage before
/// has settled, where that is less (docs/measurements/performance.md, "Which stage speaks").
const BELIEVED: u32 = 6;

/// The stages of one root, the shallowest engine depth first; at least one.
#[derive(Debug, Clone)]
pub struct Stages {
    rows: Vec<AnalysisRow>,
    speaks: usize,
}

/// What one stage has come to.
#[derive(Debug, Clone)]
pub struct StageVerdict {
    /// Its analysis.
    pub row: AnalysisRow,
    /// The root's alpha, for its side to move; none before its first search.
    pub value: Option<Value>,
}

impl Stages {
    /// The stages to which an analysis belongs. One with a limit of nodes, or on a kept hash, stands alone.
    ///
    /// # Errors
    ///
    /// Where the database fails.
    pub fn of(store: &Store, row: AnalysisRow) -> Result<Stages, StoreError> {
        let Some(game) = row.game() else {
            return Ok(Stages::new(vec![row]));
        };
        let mut rows = store.analyses_of(&game)?;
        rows.retain(|other| are_stages(&row, other));
        Ok(Stages::new(rows))
    }

    /// All analyses of a database by their stages, the last one grown first.
    ///
    /// # Errors
    ///
    /// Where the database fails.
    pub fn all(store: &Store) -> Result<Vec<Stages>, StoreError> {
        Ok(grouped(store.analyses()?).into_iter().map(Stages::new).collect())
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

    /// The deepest stage that has come far enough to be believed.
    pub fn speaking(&self) -> Option<&AnalysisRow> {
        self.rows.get(self.speaks)
    }

    /// What each stage has come to.
    ///
    /// # Errors
    ///
    /// Where the database fails.
    pub fn verdicts(&self, store: &Store) -> Result<Vec<StageVerdict>, StoreError> {
        let verdict = |row: &AnalysisRow| {
            let value = last_value(store, row.id)?;
            Ok(StageVerdict { row: row.clone(), value })
        };
        self.rows.iter().map(verdict).collect()
    }
}

/// The root's alpha as the last pass that changed it has left it.
fn last_value(store: &Store, id: AnalysisId) -> Result<Option<Value>, StoreError> {
    Ok(store.newest_of_course(id)?.map(|newest| newest.alpha))
}

/// What the stages of one thing have in common.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Shared<'a> {
    start: [Option<&'a str>; 4],
    history: &'a [UciMove],
    breadth: &'a Breadth,
    tables: Option<Tables>,
    engine: &'a str,
    options: &'a BTreeMap<String, String>,
}

impl<'a> Shared<'a> {
    /// None where an analysis stands alone.
    fn of(row: &'a AnalysisRow) -> Option<Shared<'a>> {
        engine_depth(&row.profile)?;
        Some(Shared {
            start: without_clocks(&row.start),
            history: &row.history,
            breadth: &row.breadth,
            tables: row.tables,
            engine: &row.profile.engine,
            options: &row.profile.options,
        })
    }
}

/// Whether two analyses are stages of one thing.
fn are_stages(one: &AnalysisRow, other: &AnalysisRow) -> bool {
    let is_shared = |shared| Some(shared) == Shared::of(other);
    one.id == other.id || Shared::of(one).is_some_and(is_shared)
}

/// Analyses by their stages, in the order in which the first of each comes.
fn grouped(rows: Vec<AnalysisRow>) -> Vec<Vec<AnalysisRow>> {
    let mut known: HashMap<Shared<'_>, usize> = HashMap::new();
    let mut count = 0;
    let place = |row| {
        let next = count;
        let place = Shared::of(row).map_or(next, |shared| *known.entry(shared).or_insert(next));
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

/// The fields of a FEN that make the position: an analysis keeps the clocks that it was first given with.
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

/// Whether the verdict of a deeper stage is to be believed rather than that of the one that has spoken so far,
/// by the depths that the two have settled.
pub fn is_believed(deeper: Option<u32>, so_far: Option<u32>) -> bool {
    let enough = so_far.map_or(0, |depth| depth.min(BELIEVED));
    deeper.is_some_and(|depth| depth >= enough)
}

/// Which of several stages speaks, by what they have settled, the shallowest first.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
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
        AnalysisRow {
            id: AnalysisId(0),
            root: String::new(),
            start: format!("{start} {clocks}"),
            history: history.map(|uci| parse_uci(uci).unwrap()).collect(),
            profile_id: ProfileId(1),
            profile,
            breadth: Breadth::from(breadth),
            target_depth: 0,
            settled_depth: None,
            passes: 0,
            positions: 0,
            searches: 0,
            changed_at: 0,
            regrown: 0,
            tables: (tables > 0).then_some(Tables { men: 3, fifty: FiftyMoves::default() }),
            fact_round: 0,
            grown_round: 0,
        }
    }

    proptest! {
        #[test]
        fn analyses_are_grouped_as_by_comparing_each_with_each(
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
    fn the_deepest_stage_speaks_that_has_settled_as_much_as_the_one_before_or_enough() {
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
