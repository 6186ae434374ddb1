//! What is looked up before a tree grows: its root, the game's earlier positions, and what tables did not have when
//! they were asked before.

use shakmaty::{Chess, Position};

use crate::chess::{Ending, Game, PositionKey, TableFiles, TableMove, Tables};
use crate::run::control::ControlReceiver;
use crate::run::error::RunError;
use crate::store::{AnalysisRow, NewFact, Store, StoreError};
use crate::tree::{Growth, TableFacts};

use super::TableUse;

/// Looks up again what tables did not have when they were asked, as far as they may have it by now, and keeps what
/// they have. `say` is told of how many positions, where there are any; `false` where not all could be looked up: the
/// run was told to end before, or a file could not be read.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn look_again(
    store: &mut Store,
    files: &TableFiles,
    control: &ControlReceiver,
    say: &mut dyn FnMut(usize),
) -> Result<bool, StoreError> {
    let mut missing: Vec<Chess> =
        store.not_found(files.men())?.iter().map(|key| key.position()).collect();
    missing.retain(|position| may_have(files, position));
    if !missing.is_empty() {
        say(missing.len());
    }
    let going_on = missing.iter().take_while(|_| !control.is_told_to_end());
    let looked_up: Vec<_> =
        going_on.filter_map(|position| Some((position, files.look_up(position).ok()?))).collect();
    let found = looked_up.iter();
    let found = found.filter_map(|(position, wdl)| Some((PositionKey::of(position), (*wdl)?)));
    let found: Vec<_> = found.collect();
    if !found.is_empty() {
        store.find_facts(&found, files.men())?;
    }
    Ok(looked_up.len() == missing.len())
}

/// Whether there is a table of a position, or of one that a capture leads to: one that wins is enough.
fn may_have(files: &TableFiles, position: &Chess) -> bool {
    files.has_table_of(position)
        || position.capture_moves().iter().any(|m| {
            let mut after = position.clone();
            after.play_unchecked(*m);
            files.has_table_of(&after)
        })
}

/// Looks up the root of a game and its earlier positions, and keeps what was found; of a root that tables know, its
/// moves, too.
///
/// # Errors
///
/// [`RunError`] where the database fails, or a file that is there cannot be read.
pub fn begin_facts(store: &mut Store, game: &Game, tables: &TableUse) -> Result<(), RunError> {
    let root = game.root();
    let earlier = game.earlier().iter().map(|key| key.position());
    let all: Vec<Chess> = std::iter::once(root.clone()).chain(earlier).collect();
    let mut new = Vec::new();
    for position in all.into_iter().filter(|position| is_looked_up(position, tables.tables)) {
        if store.fact(&position, u64::MAX)?.is_none() {
            let result = tables.files.look_up(&position)?;
            new.push(NewFact { position, result });
        }
    }
    if !new.is_empty() {
        store.keep_facts(&new, tables.files.men(), u64::MAX)?;
    }
    let is_known =
        is_looked_up(root, tables.tables) && matches!(store.fact(root, u64::MAX)?, Some(Some(_)));
    if is_known
        && let Some(moves) = tables.files.moves(root)
        && is_better(&moves, &store.table_moves(root)?)
    {
        store.keep_table_moves(root, &moves)?;
    }
    Ok(())
}

/// Whether moves are to be kept in place of those that are there: a list that lacks distances is none.
fn is_better(moves: &[TableMove], kept: &[TableMove]) -> bool {
    kept.is_empty() || moves != kept && moves.iter().all(|m| m.dtz.is_some())
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
    // Others may find more meanwhile: what was found is to be of the same round as the facts.
    let later = store.at_one_moment(|| {
        if store.last_fact_round()? <= row.fact_round {
            return Ok::<_, StoreError>(None);
        }
        let found = store.found_since(row.fact_round, tables.men)?;
        Ok(Some((found, all_facts(store, tables)?)))
    })?;
    let Some((found, facts)) = later else {
        return Ok(None);
    };
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
    store.at_one_moment(|| {
        let round = store.last_fact_round()?;
        Ok(TableFacts::new(tables, round, store.facts(tables, round, false)?))
    })
}
