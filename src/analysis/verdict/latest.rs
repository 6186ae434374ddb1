//! The newest verdict of an analysis, out of its rows alone: quick, however large the tree is.

use shakmaty::uci::UciMove;

use crate::chess::Value;
use crate::store::{AnalysisId, Store, StoreError};

/// What an analysis says of its root by now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatestVerdict {
    /// The root's alpha, for its side to move.
    pub value: Option<Value>,
    /// The best move and what follows it, as the last settled depth has it; the move alone where that depth
    /// had another one, and nothing where version 1 of the schema kept no moves.
    pub line: Vec<UciMove>,
}

/// Reads the newest verdict.
///
/// # Errors
///
/// [`StoreError`] where the database fails or a row is damaged.
pub fn latest_verdict(store: &Store, id: AnalysisId) -> Result<LatestVerdict, StoreError> {
    let newest = store.course(id)?.points.pop();
    let settled = store.last_verdict(id)?;
    let moves = settled.as_ref().map(|settled| settled.moves.as_slice()).unwrap_or_default();
    let line = match newest {
        Some(newest) => {
            let known = moves.iter().find(|m| m.uci == newest.best);
            known.map_or_else(|| vec![newest.best], |m| m.line.clone())
        }
        None => moves.first().map(|m| m.line.clone()).unwrap_or_default(),
    };
    let before = settled.as_ref().and_then(|settled| settled.value);
    Ok(LatestVerdict { value: newest.map(|newest| newest.alpha).or(before), line })
}
