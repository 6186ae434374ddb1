//! Building a tree while its rows are read.
//!
//! SQLite and the reading of positions, the rules (which positions moves lead to), and finding the nodes behind them
//! take about as long as each other, so each has a thread. Nodes are numbered as they come: an analysed position in
//! the order of its row in the file, unless a list has led to it before.

use std::thread::{Builder, Scope, ScopedJoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Game, PositionKey, Tables, Value, Wdl, epd_of};
use deepanalyze_core::tree::{CountFacts, Growth, IllegalMove, SeenMove, Selection, TableFacts};
use deepanalyze_store::{
    AnalysisRow, KeptNode, ListedAnswer, NodeRow, PositionId, Store, StoreError,
};

use crate::kept::KeptRows;
use crate::tree::in_order::join;

/// Answers that go from thread to thread together.
const ANSWERS: usize = 1 << 11;
/// Parts that may wait.
const WAITING: usize = 8;

/// A part of a tree as the database has it.
struct TreePart {
    /// Analysed positions.
    nodes: Vec<KeptNode>,
    /// Their admitted answers one after the other, by rank.
    answers: Vec<(UciMove, Value)>,
    /// What tables say of the positions behind them.
    facts: Vec<Fact>,
}

impl TreePart {
    /// Room for all that goes together, but for the end of a long list.
    fn new() -> TreePart {
        let (nodes, answers) = (Vec::with_capacity(ANSWERS), Vec::with_capacity(ANSWERS + 256));
        TreePart { nodes, answers, facts: Vec::new() }
    }
}

/// The same as a tree takes it.
struct SeenPart {
    nodes: Vec<(PositionKey, PositionId, NodeRow)>,
    moves: Vec<SeenMove>,
    facts: Vec<Fact>,
}

impl SeenPart {
    fn of(TreePart { nodes, answers, facts }: TreePart) -> Result<SeenPart, IllegalMove> {
        let mut moves = Vec::with_capacity(answers.len());
        let mut answers = answers.into_iter();
        let mut seen = Vec::with_capacity(nodes.len());
        for KeptNode { id, position, row } in nodes {
            for (uci, eval) in answers.by_ref().take(row.admitted) {
                moves.push(SeenMove::of(&position, uci, eval)?);
            }
            seen.push((PositionKey::of(&position), id, row));
        }
        Ok(SeenPart { nodes: seen, moves, facts })
    }
}

/// Reads the positions and lists of an analysis into a tree of its root alone.
///
/// # Errors
///
/// [`StoreError`] where the database fails, or an admitted answer is missing.
pub fn read_tree(
    store: &Store,
    row: &AnalysisRow,
    growth: Growth,
) -> Result<(Growth, KeptRows), StoreError> {
    std::thread::scope(|scope| {
        let (sender, parts) = bounded(WAITING);
        let (seen_sender, seen_parts) = bounded(WAITING);
        // Without the facts: the tree takes more.
        let selection = Selection { facts: TableFacts::default(), ..growth.selection().clone() };
        let begun = (
            begin(store, scope, "moves", move || see(&parts, &seen_sender))?,
            begin(store, scope, "tree", move || build(growth, &seen_parts))?,
        );
        let read = read_parts(store, (row, &selection), &sender);
        drop(sender);
        let (seen, built) = (join(begun.0), join(begun.1));
        read.and_then(|()| seen.and(built).map_err(|illegal| damaged(store, row, &illegal)))
    })
}

/// Begins a thread.
fn begin<'scope, T: Send + 'scope>(
    store: &Store,
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, StoreError> {
    let begun = Builder::new().name(name.to_owned()).spawn_scoped(scope, work);
    begun.map_err(|source| StoreError::Io { path: store.path().to_owned(), source })
}

/// What a list that cannot be says of the database.
pub fn damaged(store: &Store, row: &AnalysisRow, illegal: &IllegalMove) -> StoreError {
    let (path, what) = (store.path().to_owned(), format!("analysis {}: {illegal}", row.id.0));
    StoreError::Damaged { path, what }
}

/// Finds out where the moves of the parts lead.
fn see(parts: &Receiver<TreePart>, seen: &Sender<SeenPart>) -> Result<(), IllegalMove> {
    parts.iter().try_for_each(|part| {
        send(seen, SeenPart::of(part)?);
        Ok(())
    })
}

/// Puts the parts together.
fn build(
    mut growth: Growth,
    parts: &Receiver<SeenPart>,
) -> Result<(Growth, KeptRows), IllegalMove> {
    let mut rows = KeptRows::default();
    for SeenPart { nodes, moves, facts } in parts {
        growth.learn(facts);
        let mut moves = moves.into_iter();
        for (position, id, row) in nodes {
            let node = growth.fill(&position, moves.by_ref().take(row.admitted))?;
            rows.set(node, id, row);
        }
    }
    Ok((growth, rows))
}

/// Reads the parts.
fn read_parts(
    store: &Store,
    (row, selection): (&AnalysisRow, &Selection),
    parts: &Sender<TreePart>,
) -> Result<(), StoreError> {
    let mut part = TreePart::new();
    store.read_lists(row.id, row.profile_id, |node, list| {
        if list.len() != node.row.admitted {
            return Err(lacking(store, row, &node, list));
        }
        part.facts.extend(facts_behind(store, row, &node, selection)?);
        part.nodes.push(node);
        part.answers.extend(list.iter().map(|answer| (answer.uci, Value::from(answer.score))));
        if part.answers.len() >= ANSWERS {
            send(parts, std::mem::replace(&mut part, TreePart::new()));
        }
        Ok(())
    })?;
    send(parts, part);
    Ok(())
}

/// What a position without all of its admitted answers says of the database.
fn lacking(store: &Store, row: &AnalysisRow, node: &KeptNode, list: &[ListedAnswer]) -> StoreError {
    let (admitted, epd) = (node.row.admitted, epd_of(&node.position));
    let (path, there) = (store.path().to_owned(), list.len());
    let what =
        format!("analysis {} admits {admitted} answers in {epd}, {there} are there", row.id.0);
    StoreError::Damaged { path, what }
}

/// The thread that takes the parts ends only with a panic, which is told when it is joined.
fn send<P>(parts: &Sender<P>, part: P) {
    let _ = parts.send(part);
}

/// A fact: a position, and its result for the side to move, where tables have it.
pub type Fact = (PositionKey, Option<Wdl>);

/// What a tree that goes by some tables and up to some round knows before its first answer: facts of its root and of
/// the game's earlier positions.
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
    let earlier = game.earlier().iter().map(|key| key.position());
    for position in std::iter::once(game.root().clone()).chain(earlier) {
        if let Some(result) = fact_of(store, &position, (tables, round))? {
            facts.learn(PositionKey::of(&position), result);
        }
    }
    Ok(facts)
}

/// What a tree knows of games: the counts of its analysed positions.
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
    let mut facts = store.facts_behind((row.profile_id, node.id), tables, row.fact_round)?;
    for uci in selection.followed_at(&PositionKey::of(&node.position)) {
        let Some(position) = after(&node.position, uci) else { continue };
        let fact = fact_of(store, &position, (tables, row.fact_round))?;
        facts.extend(fact.map(|result| (PositionKey::of(&position), result)));
    }
    Ok(facts)
}

fn fact_of(
    store: &Store,
    position: &Chess,
    (tables, round): (Tables, u64),
) -> Result<Option<Option<Wdl>>, StoreError> {
    if tables.may_know(position) { store.fact(position, round) } else { Ok(None) }
}

/// The position behind a move; none where it is not legal, which is told where the tree is built.
fn after(position: &Chess, uci: UciMove) -> Option<Chess> {
    let m = uci.to_move(position).ok()?;
    let mut after = position.clone();
    after.play_unchecked(m);
    Some(after)
}
