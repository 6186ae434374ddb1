//! The newest verdict of an analysis, out of its rows alone: quick, however large the tree is.

use shakmaty::uci::UciMove;

use crate::chess::Value;
use crate::store::{AnalysisId, Store, StoreError, Verdict};

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
