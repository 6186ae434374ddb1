//! The newest verdict of an analysis, out of its rows alone: quick, however large the tree is.

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Value;
use deepanalyze_store::{AnalysisId, Store, StoreError, Verdict};

/// What an analysis says of its root by now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LatestVerdict {
    /// The root's alpha, for its side to move.
    pub value: Option<Value>,
    /// The best move and what follows it, as the whole tree tells it; the move alone where an older version has
    /// grown the tree, and was stopped between two depths.
    pub line: Vec<UciMove>,
}

/// Reads the newest verdict: score and line of one state of the tree.
///
/// # Errors
///
/// [`StoreError`] where the database fails or a row is damaged.
pub fn latest_verdict(store: &Store, id: AnalysisId) -> Result<LatestVerdict, StoreError> {
    store.at_one_moment(|| {
        let newest = store.newest_of_course(id)?;
        if let (Some(newest), Some(line)) = (newest, store.best_line(id)?) {
            return Ok(LatestVerdict { value: Some(newest.alpha), line });
        }
        let settled = store.last_verdict(id)?;
        let Some(newest) = newest else {
            // The root is an end, or version 1 of the schema kept no course.
            let value = settled.and_then(|settled| settled.value);
            return Ok(LatestVerdict { value, line: Vec::new() });
        };
        let passes = store.analysis(id)?.map(|row| row.passes);
        let is_now = |verdict: &Verdict| Some(verdict.settled.passes) == passes;
        let best = settled.filter(is_now).and_then(|settled| settled.moves.into_iter().next());
        let line = best.map_or_else(|| vec![newest.best], |best| best.line);
        Ok(LatestVerdict { value: Some(newest.alpha), line })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::kept::load;
    use deepanalyze_core::tree::root_moves;

    #[test]
    fn what_older_versions_have_grown_is_told_as_far_as_it_is_of_now() {
        for kept in [
            include_str!("../../../../tests/databases/version-2.sql"),
            include_str!("../../../../tests/databases/version-5.sql"),
            include_str!("../../../../tests/databases/version-7.sql"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("tree.db");
            rusqlite::Connection::open(&path).unwrap().execute_batch(kept).unwrap();
            let store = Store::open_to_read(&path).unwrap();
            for row in store.analyses().unwrap() {
                let tree = load(&store, row.id).unwrap();
                let (graph, values) = (tree.growth.graph(), tree.growth.values());
                let right = root_moves(graph, values, tree.growth.root()).into_iter().next();
                let said = latest_verdict(&store, row.id).unwrap();
                assert_eq!(said.value, right.as_ref().map(|right| right.alpha), "{}", row.id.0);
                let right = right.map(|right| right.line).unwrap_or_default();
                let is_settled =
                    tree.verdicts.last().is_some_and(|v| v.settled.passes == row.passes);
                let plies = if is_settled { right.len() } else { 1 };
                assert_eq!(said.line, right[..plies.min(right.len())], "{}", row.id.0);
            }
        }
    }
}
