//! Facts of a tree besides answers: results from tablebases, and games of people.

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Game, PositionKey, Tables, Wdl};
use deepanalyze_core::tree::{CountFacts, Selection, TableFacts};
use deepanalyze_store::{AnalysisRow, KeptNode, Store, StoreError};

/// A position, and its result for the side to move, if tablebases have it.
pub type Fact = (PositionKey, Option<Wdl>);

/// Facts that a tree with some tablebases, up to some round, has before its first answer: of its
/// root and of the positions that the game has repeated.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn first_facts(
    store: &Store,
    game: &Game,
    tables: Option<Tables>,
    round: u64,
) -> Result<TableFacts, StoreError> {
    let Some(tables) = tables else {
        return Ok(TableFacts::default());
    };
    let mut facts = TableFacts::new(tables, round);
    let repeated = game.repeated().into_iter().map(|key| key.position());
    for position in std::iter::once(game.root().clone()).chain(repeated) {
        if let Some(result) = fact_of(store, &position, tables, round)? {
            facts.learn(PositionKey::of(&position), result);
        }
    }
    Ok(facts)
}

/// Counts of games at a tree's analysed positions.
///
/// # Errors
///
/// [`StoreError`] where the database fails or a row is damaged.
pub fn known_counts(store: &Store, row: &AnalysisRow) -> Result<CountFacts, StoreError> {
    let Some(games) = row.settings.games else { return Ok(CountFacts::default()) };
    let mut counts = CountFacts::new(games.rules);
    for (key, found) in store.known_counts(row)? {
        counts.learn(key, found);
    }
    Ok(counts)
}

/// The facts of the positions that the answers of a kept position lead to, and included and played moves beside them.
///
/// # Errors
///
/// [`StoreError`] where the database fails or a row is damaged.
pub fn facts_behind(
    store: &Store,
    row: &AnalysisRow,
    node: &KeptNode,
    selection: &Selection,
) -> Result<Vec<Fact>, StoreError> {
    let Some(tables) = row.settings.tables.filter(|tables| tables.may_be_behind(&node.position))
    else {
        return Ok(Vec::new());
    };
    let mut facts = store.facts_behind(row.profile_id, node.id, tables, row.fact_round)?;
    for uci in selection.followed_at(&PositionKey::of(&node.position)) {
        let Some(position) = after(&node.position, uci) else { continue };
        let fact = fact_of(store, &position, tables, row.fact_round)?;
        facts.extend(fact.map(|result| (PositionKey::of(&position), result)));
    }
    Ok(facts)
}

fn fact_of(
    store: &Store,
    position: &Chess,
    tables: Tables,
    round: u64,
) -> Result<Option<Option<Wdl>>, StoreError> {
    if tables.may_know(position) { store.fact(position, round) } else { Ok(None) }
}

/// The position behind a move; `None` if it is illegal, which is reported where the tree is built.
fn after(position: &Chess, uci: UciMove) -> Option<Chess> {
    let m = uci.to_move(position).ok()?;
    let mut after = position.clone();
    after.play_unchecked(m);
    Some(after)
}
