//! Proving notes of rechecks: each recheck is made again from the tree, its margin and the memo.

use deepanalyze_core::chess::epd_of;
use deepanalyze_store::{AnalysisRow, RecheckRow, Store, StoreError};

use crate::recheck::TreeRecheck;
use crate::tree::load_as_grown;
use crate::words::manner::describe_profile;

/// Flaws of the rechecks of an analysis. Of a tree that has changed since nothing can be proved.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn recheck_flaws(store: &Store, row: &AnalysisRow) -> Result<Vec<String>, StoreError> {
    let mut flaws = Vec::new();
    for kept in store.rechecks_of(row.id)? {
        if kept.tree == (row.passes, row.regrown) {
            let whose = describe_profile(&kept.profile);
            let flaw = flaw_of(store, &kept)?;
            flaws.extend(flaw.map(|flaw| format!("its recheck by {whose}: {flaw}")));
        }
    }
    Ok(flaws)
}

fn flaw_of(store: &Store, kept: &RecheckRow) -> Result<Option<String>, StoreError> {
    let (tree, profile) =
        (load_as_grown(store, kept.analysis)?, (kept.profile_id, kept.profile.clone()));
    let Some(mut again) = TreeRecheck::new(tree, profile, kept.margin.clone()) else {
        return Ok(Some("the root has no move".to_owned()));
    };
    while again.asked() < kept.asked && again.follow(store)? {}
    if again.asked() < kept.asked
        && let Some(leaf) = again.next_leaf()
    {
        let (position, uci) = again.place(leaf);
        let needs = format!("it needs an answer to {uci} alone in {}", epd_of(&position));
        return Ok(Some(format!("{needs}, and there is none")));
    }
    let right = RecheckRow { changed_at: kept.changed_at, ..again.row() };
    Ok((right != *kept).then(|| "it differs when made again".to_owned()))
}
