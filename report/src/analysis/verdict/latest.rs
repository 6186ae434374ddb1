//! The newest verdict of an analysis, out of its rows alone: quick, however large the tree is.

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Value;
use deepanalyze_store::{AnalysisId, Store, StoreError};

/// What an analysis says of its root by now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LatestVerdict {
    /// The root's alpha, for its side to move.
    pub value: Option<Value>,
    /// The best move and what follows it, as the whole tree tells it; empty where the root is an end.
    pub line: Vec<UciMove>,
}

/// Reads the newest verdict: score and line of one state of the tree.
///
/// # Errors
///
/// [`StoreError`] where the database fails or a row is damaged.
pub fn latest_verdict(store: &Store, id: AnalysisId) -> Result<LatestVerdict, StoreError> {
    store.at_one_moment(|| {
        let value = match store.newest_of_course(id)? {
            Some(newest) => Some(newest.alpha),
            // The root is an end.
            None => store.last_verdict(id)?.and_then(|settled| settled.value),
        };
        Ok(LatestVerdict { value, line: store.best_line(id)? })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::kept::load;
    use deepanalyze_core::tree::root_moves;
    use deepanalyze_store::AnalysisRow;

    #[test]
    fn what_the_rows_say_is_what_the_whole_tree_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let store = Store::open(&path).unwrap();
        let rows = include_str!("../../../../tests/databases/pawns.sql");
        rusqlite::Connection::open(&path).unwrap().execute_batch(rows).unwrap();
        let all = store.analyses().unwrap();
        let is_settled = |row: &AnalysisRow| {
            store.last_verdict(row.id).unwrap().is_some_and(|v| v.settled.passes == row.passes)
        };
        assert_eq!(
            all.iter().filter(|row| is_settled(row)).count(),
            3,
            "one is between two depths"
        );
        for row in &all {
            let tree = load(&store, row.id).unwrap();
            let (graph, values) = (tree.growth.graph(), tree.growth.values());
            let right = root_moves(graph, values, tree.growth.root()).into_iter().next().unwrap();
            let said = latest_verdict(&store, row.id).unwrap();
            assert_eq!(said, LatestVerdict { value: Some(right.alpha), line: right.line });
        }
    }
}
