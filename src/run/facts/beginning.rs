//! What is looked up before a tree grows: its root, the game's earlier positions, and what tables did not have when
//! they were asked before.

use shakmaty::Chess;

use crate::chess::{Ending, Game, TableFiles, Tables};
use crate::store::{AnalysisRow, NewFact, Store, StoreError};
use crate::tree::{Growth, TableFacts};

use super::TableUse;

/// Looks up again what tables did not have when they were asked, and keeps what they have by now.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn look_again(store: &mut Store, files: &TableFiles) -> Result<(), StoreError> {
    let missing = store.not_found(files.men())?.into_iter();
    let found: Vec<_> =
        missing.filter_map(|key| Some((key, files.wdl(&key.position())?))).collect();
    if !found.is_empty() {
        store.find_facts(&found, files.men())?;
    }
    Ok(())
}

/// Looks up the root of a game and its earlier positions, and keeps what was found; of a root that tables know, its
/// moves, too.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn begin_facts(store: &mut Store, game: &Game, tables: &TableUse) -> Result<(), StoreError> {
    let root = game.root();
    let earlier = game.earlier().iter().map(|key| key.position());
    let all: Vec<Chess> = std::iter::once(root.clone()).chain(earlier).collect();
    let mut new = Vec::new();
    for position in all.into_iter().filter(|position| is_looked_up(position, tables.tables)) {
        if store.fact(&position, u64::MAX)?.is_none() {
            let result = tables.files.wdl(&position);
            new.push(NewFact { position, result });
        }
    }
    if !new.is_empty() {
        store.keep_facts(&new, tables.files.men(), u64::MAX)?;
    }
    let is_known =
        is_looked_up(root, tables.tables) && matches!(store.fact(root, u64::MAX)?, Some(Some(_)));
    if is_known
        && store.table_moves(root)?.is_empty()
        && let Some(moves) = tables.files.moves(root)
    {
        store.keep_table_moves(root, &moves)?;
    }
    Ok(())
}

fn is_looked_up(position: &Chess, tables: Tables) -> bool {
    tables.may_know(position) && Ending::of(position).is_none()
}

/// The facts with which a kept tree is to be grown again: some of its positions were found in tables only later.
/// None where all is as it was; the tree and its row then take up all facts.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn facts_to_grow_again(
    store: &mut Store,
    row: &AnalysisRow,
    growth: &mut Growth,
) -> Result<Option<TableFacts>, StoreError> {
    let Some(tables) = row.tables else {
        return Ok(None);
    };
    let round = store.last_fact_round()?;
    if round <= row.fact_round {
        return Ok(None);
    }
    let found = store.found_since(row.fact_round, tables.men)?;
    let facts = all_facts(store, tables)?;
    if found.iter().all(|key| growth.find(key).is_none()) {
        store.take_up_facts(row.id, facts.round)?;
        growth.take_up(facts);
        return Ok(None);
    }
    Ok(Some(facts))
}

/// All that is kept of positions that some tables may have.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn all_facts(store: &Store, tables: Tables) -> Result<TableFacts, StoreError> {
    let round = store.last_fact_round()?;
    Ok(TableFacts::new(tables, round, store.facts(tables, round, false)?))
}
