//! Growing trees again from merged or remaining answers, without engines.

use std::collections::BTreeMap;

use deepanalyze_core::search::Profile;
use deepanalyze_store::{AnalysisId, AnalysisRow, Store, StoreError};

use crate::control::ControlReceiver;
use crate::facts::TableUse;
use crate::memo_only::{GrownFromMemo, grow_from_memo};
use crate::outcome::RunError;

/// The result of growing trees from the memo.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Regrown {
    /// Trees grown as far as the memo answers.
    pub grown: u64,
    /// Of them, trees that have changed.
    pub changed: u64,
    /// Trees that another process grows.
    pub growing: u64,
    /// Trees that use tablebases missing here.
    pub without_tables: u64,
    /// Trees that know games missing here.
    pub without_games: u64,
    /// True if it was asked to end before all were grown.
    pub is_interrupted: bool,
}

/// The trees that may grow on with new answers of some profiles: these, and those not as deep as
/// they were to come.
///
/// # Errors
///
/// [`StoreError`] if the database fails.
pub fn trees_to_grow<'p>(
    store: &Store,
    these: impl IntoIterator<Item = (AnalysisId, u32)>,
    profiles: impl IntoIterator<Item = &'p Profile>,
) -> Result<BTreeMap<AnalysisId, u32>, StoreError> {
    let mut trees = BTreeMap::new();
    for profile in profiles {
        if let Some(id) = store.find_profile(profile)? {
            trees.extend(store.unsettled(id)?);
        }
    }
    trees.extend(these);
    Ok(trees)
}

/// Grows trees to these depths, as far as the memo answers. `tell` gets the number done.
///
/// # Errors
///
/// [`RunError`] if the database fails, or an existing table cannot be read.
pub fn grow_trees(
    store: &mut Store,
    trees: &BTreeMap<AnalysisId, u32>,
    tables: Option<&TableUse>,
    control: &ControlReceiver,
    tell: &mut dyn FnMut(usize),
) -> Result<Regrown, RunError> {
    let mut regrown = Regrown::default();
    for (done, (id, depth)) in (1..).zip(trees) {
        if control.is_told_to_end() {
            regrown.is_interrupted = true;
            return Ok(regrown);
        }
        if let Some(row) = store.analysis(*id)? {
            match grow_from_memo(store, &row, *depth, tables, control)? {
                GrownFromMemo::Grown(_) => {
                    regrown.grown += 1;
                    let of = |row: &AnalysisRow| (row.passes, row.settled_depth);
                    let is_other = store.analysis(*id)?.is_some_and(|now| of(&now) != of(&row));
                    regrown.changed += u64::from(is_other);
                }
                GrownFromMemo::Growing => regrown.growing += 1,
                GrownFromMemo::NoTables(_) => regrown.without_tables += 1,
                GrownFromMemo::NoGames => regrown.without_games += 1,
                GrownFromMemo::Unplayable => {}
            }
        }
        tell(done);
    }
    Ok(regrown)
}

/// The trees emptied because their answers were invalidated, with their target depths.
///
/// # Errors
///
/// [`StoreError`] if the database fails.
pub fn emptied_trees(store: &Store) -> Result<BTreeMap<AnalysisId, u32>, StoreError> {
    to_their_targets(store, store.emptied()?)
}

/// These trees, and those that have been grown again in part: a process was killed, or told to end,
/// or the memo has no more.
///
/// # Errors
///
/// [`StoreError`] if the database fails.
pub fn half_regrown_trees(store: &Store) -> Result<BTreeMap<AnalysisId, u32>, StoreError> {
    to_their_targets(store, store.half_regrown()?)
}

fn to_their_targets(
    store: &Store,
    analyses: Vec<AnalysisId>,
) -> Result<BTreeMap<AnalysisId, u32>, StoreError> {
    let mut trees = BTreeMap::new();
    for id in analyses {
        trees.extend(store.analysis(id)?.map(|row| (id, row.target_depth)));
    }
    Ok(trees)
}
