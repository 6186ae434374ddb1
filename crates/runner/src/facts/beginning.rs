//! Lookups before a tree grows: its root, the positions repeated in its game, and what tables
//! lacked at an earlier lookup.

use shakmaty::{Chess, Position};

use crate::control::ControlReceiver;
use crate::outcome::RunError;
use deepanalyze_core::chess::{Ending, Game, PositionKey, TableFiles, TableMove, Tables};
use deepanalyze_core::tree::TableFacts;
use deepanalyze_store::{NewFact, Store, StoreError};
use deepanalyze_view::{KeptGrowth, first_facts};

use super::TableUse;

/// Looks up again what tables lacked before, as far as they may have it by now, and keeps the
/// results. `say` gets the number of positions, if any; `false` if not all could be looked up: the
/// run was told to end before, or a file could not be read.
///
/// # Errors
///
/// [`StoreError`] if the database fails.
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
    for key in store.without_distances()? {
        renew_moves(store, files, &key.position())?;
    }
    Ok(looked_up.len() == missing.len())
}

/// True if a table may exist for a position, or for one after a capture: one that wins is enough.
fn may_have(files: &TableFiles, position: &Chess) -> bool {
    files.has_table_of(position)
        || position.capture_moves().iter().any(|m| {
            let mut after = position.clone();
            after.play_unchecked(*m);
            files.has_table_of(&after)
        })
}

/// Looks up the root of a game and the positions it has repeated, and keeps the results; the root's
/// moves, too, if tables know it.
///
/// # Errors
///
/// [`RunError`] if the database fails, or an existing file cannot be read.
pub fn begin_facts(store: &mut Store, game: &Game, tables: &TableUse) -> Result<(), RunError> {
    let root = game.root();
    let repeated = game.repeated().into_iter().map(|key| key.position());
    let all: Vec<Chess> = std::iter::once(root.clone()).chain(repeated).collect();
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
    if is_known {
        renew_moves(store, &tables.files, root)?;
    }
    Ok(())
}

/// Keeps the moves of a position as the files have them, unless the kept ones say more, or the
/// same.
fn renew_moves(store: &mut Store, files: &TableFiles, position: &Chess) -> Result<(), StoreError> {
    let Some(moves) = files.moves(position) else {
        return Ok(());
    };
    let is_better = match store.table_moves(position) {
        // Unreadable: counts as none.
        Err(error) if error.is_damage() => true,
        kept => is_better(&moves, &kept?),
    };
    if is_better { store.keep_table_moves(position, &moves) } else { Ok(()) }
}

/// True if moves are better than those kept: files of distances may have come, or gone.
fn is_better(moves: &[TableMove], kept: &[TableMove]) -> bool {
    let with_distance = |moves: &[TableMove]| moves.iter().filter(|m| m.dtz.is_some()).count();
    kept.is_empty() || moves != kept && with_distance(moves) >= with_distance(kept)
}

fn is_looked_up(position: &Chess, tables: Tables) -> bool {
    tables.may_know(position) && Ending::of(position).is_none()
}

/// The facts for growing a kept tree again: some of its positions were found in tables only later.
/// `None` if nothing has changed; the tree and its row then take up all facts.
///
/// # Errors
///
/// [`StoreError`] if the database fails.
pub fn facts_to_grow_again(
    store: &mut Store,
    KeptGrowth { row, game, growth, .. }: &mut KeptGrowth,
) -> Result<Option<TableFacts>, StoreError> {
    let Some(tables) = row.settings.tables else {
        return Ok(None);
    };
    let later = found_later(store, game, tables, row.fact_round)?;
    let Some((found, facts)) = later else {
        return Ok(None);
    };
    if found.iter().all(|key| growth.find(key).is_none()) {
        store.take_up_facts(row.id, facts.round)?;
        growth.take_up(facts.round);
        return Ok(None);
    }
    Ok(Some(facts))
}

/// The positions found in rounds after this one, and the facts for a tree that begins with them;
/// `None` without later rounds. Others may find more meanwhile: both are of one moment.
fn found_later(
    store: &Store,
    game: &Game,
    tables: Tables,
    round: u64,
) -> Result<Option<(Vec<PositionKey>, TableFacts)>, StoreError> {
    store.at_one_moment(|| {
        if store.last_fact_round()? <= round {
            return Ok(None);
        }
        let found = store.found_since(round, tables.men)?;
        Ok(Some((found, facts_to_begin_with(store, game, tables)?)))
    })
}

/// Tablebase facts for a tree that begins now.
///
/// # Errors
///
/// [`StoreError`] if the database fails.
pub fn facts_to_begin_with(
    store: &Store,
    game: &Game,
    tables: Tables,
) -> Result<TableFacts, StoreError> {
    store.at_one_moment(|| first_facts(store, game, Some(tables), store.last_fact_round()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::{FiftyMoves, Wdl, parse_fen};

    /// King and queen against king, the queen on every square between them.
    fn positions() -> Vec<Chess> {
        let digit = |count: usize| if count == 0 { String::new() } else { count.to_string() };
        let squares = (0..6).flat_map(|rank| (0..8).map(move |file| (rank, file)));
        let position = |(rank, file): (usize, usize)| {
            let mut rows = vec!["8".to_owned(); 6];
            rows[rank] = format!("{}Q{}", digit(file), digit(7 - file));
            parse_fen(&format!("4k3/{}/4K3 b - -", rows.join("/"))).ok()
        };
        let legal = squares.filter_map(position);
        legal.filter(|position| Ending::of(position).is_none()).collect()
    }

    #[test]
    fn finds_and_facts_share_a_round_while_others_find() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let mut writer = Store::open(&path).unwrap();
        let reader = Store::open_to_read(&path).unwrap();
        let positions = positions();
        assert!(positions.len() > 30, "{}", positions.len());
        let unknown = |position: &Chess| NewFact { position: position.clone(), result: None };
        let facts: Vec<NewFact> = positions.iter().map(unknown).collect();
        writer.keep_facts(&facts, 3, 0).unwrap();
        let game = Game::from_position(positions[0].clone());
        let tables = Tables { men: 3, fifty: FiftyMoves::Fide };
        let count = positions.len();
        let finding = std::thread::spawn(move || {
            // Each is a round of its own.
            for position in &positions {
                let found = [(PositionKey::of(position), Wdl::Loss)];
                writer.find_facts(&found, 3).unwrap();
            }
        });
        let mut seen = 0;
        while seen < count {
            let later = found_later(&reader, &game, tables, 0).unwrap();
            let (found, round) = later.map_or((0, 0), |(found, facts)| (found.len(), facts.round));
            assert_eq!(u64::try_from(found).unwrap(), round, "of one moment");
            seen = found;
        }
        finding.join().unwrap();
    }
}
