//! The stages of a root: analyses that differ in nothing but how deep the engine searches.

use crate::chess::Value;
use crate::search::{Limit, Profile};
use crate::store::{AnalysisId, AnalysisRow, Store, StoreError};

/// From this settled depth on the verdict of a deeper stage is believed, or from the depth that the stage before
/// has settled, where that is less (docs/performance.md, "Which stage speaks").
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
        let mut groups: Vec<Vec<AnalysisRow>> = Vec::new();
        for row in store.analyses()? {
            let of_it = |group: &&mut Vec<AnalysisRow>| {
                group.first().is_some_and(|other| are_stages(other, &row))
            };
            match groups.iter_mut().find(of_it) {
                Some(group) => group.push(row),
                None => groups.push(vec![row]),
            }
        }
        Ok(groups.into_iter().map(Stages::new).collect())
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

/// Whether two analyses are stages of one thing.
fn are_stages(one: &AnalysisRow, other: &AnalysisRow) -> bool {
    one.id == other.id
        || one.history == other.history
            && without_clocks(&one.start) == without_clocks(&other.start)
            && one.breadth == other.breadth
            && one.tables == other.tables
            && one.profile.engine == other.profile.engine
            && one.profile.options == other.profile.options
            && engine_depth(&one.profile).is_some()
            && engine_depth(&other.profile).is_some()
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
    use super::*;

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
