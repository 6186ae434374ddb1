//! Building a tree while its rows are read.
//!
//! SQLite with the reading of positions, the rules (which positions moves lead to), and finding the
//! nodes behind them take about equally long, so each has a thread. Nodes are numbered as they
//! come: an analysed position in the order of its row in the file, unless a list has led to it
//! before.

use std::thread::{Builder, Scope, ScopedJoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded};
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey, Value, epd_of};
use deepanalyze_core::directives::Directives;
use deepanalyze_core::tree::{Growth, IllegalMove, SeenMove, Selection, TableFacts};
use deepanalyze_store::{
    AnalysisId, AnalysisRow, DepthVerdict, KeptNode, ListedAnswer, NodeRow, PositionId, Store,
    StoreError,
};

use crate::facts::{Fact, facts_behind, first_facts, known_counts};
use crate::in_order::join;
use crate::tree::KeptRows;

/// Answers of a message between threads.
const ANSWERS: usize = 1 << 11;
/// Capacity of a channel.
const WAITING: usize = 8;
/// Cap on positions reserved at once, whatever number a row gives.
const MOST_ROOM: usize = 1 << 20;

/// A part of a tree as stored.
struct TreePart {
    /// Analysed positions.
    nodes: Vec<KeptNode>,
    /// Their admitted answers one after the other, by rank.
    answers: Vec<(UciMove, Value)>,
    /// Tablebase results of the positions behind.
    facts: Vec<Fact>,
}

impl TreePart {
    /// Reserves room for a whole part, but for the end of a long list.
    fn new() -> TreePart {
        let (nodes, answers) = (Vec::with_capacity(ANSWERS), Vec::with_capacity(ANSWERS + 256));
        TreePart { nodes, answers, facts: Vec::new() }
    }
}

/// The part as a tree takes it.
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

/// An analysis as it was grown.
#[derive(Debug)]
pub struct KeptGrowth {
    /// Its row.
    pub row: AnalysisRow,
    /// The game up to the root.
    pub game: Game,
    /// The tree as it was grown.
    pub growth: Growth,
    /// The directives that it was grown with.
    pub directives: Directives,
    /// Directives of its root now, notes among them.
    pub said: Directives,
    /// The rows of its analysed positions.
    pub rows: KeptRows,
    /// The verdict of each settled depth, depth 0 first.
    pub verdicts: Vec<DepthVerdict>,
}

impl KeptGrowth {
    /// True if the root has other directives by now: `grow` will grow the tree again.
    pub fn is_pending(&self) -> bool {
        self.said.of_tree() != self.directives
    }
}

/// Reads the tree of an analysis until cancelled.
///
/// # Errors
///
/// [`StoreError`] where the database fails, or an admitted answer is missing; [`StoreError::Io`]
/// once cancelled.
pub fn read_growth(
    store: &Store,
    row: AnalysisRow,
    is_wanted: &dyn Fn() -> bool,
) -> Result<KeptGrowth, StoreError> {
    let unplayable = || wrong(store, row.id, "its root or game history cannot be played");
    let game = row.game().ok_or_else(unplayable)?;
    let (directives, said) = (store.grown_with(row.id)?, store.directives(&game)?);
    let (breadth, wishes, played) =
        (row.settings.breadth.clone(), directives.wishes(), row.played(&game));
    let facts = first_facts(store, &game, row.settings.tables, row.fact_round)?;
    let counts = known_counts(store, &row)?;
    let draw = row.settings.draw;
    let selection = Selection { breadth, draw, wishes, played, counts, facts };
    let mut growth = Growth::new(&game, selection);
    growth.reserve(usize::try_from(row.positions).unwrap_or(MOST_ROOM).min(MOST_ROOM));
    let (mut growth, rows) = read_tree(store, &row, growth, is_wanted)?;
    if row.settings.games.is_some() {
        growth.learn_said(store.said_of_moves(&row, None)?);
    }
    let verdicts = store.verdicts(row.id)?;
    growth.restore(row.passes, verdicts.iter().map(|verdict| verdict.settled).collect());
    if growth.searches() != row.searches || growth.analysed() != row.positions {
        return Err(wrong(store, row.id, "its positions do not add up"));
    }
    Ok(KeptGrowth { row, game, growth, directives, said, rows, verdicts })
}

/// The error of a missing analysis.
pub fn missing(store: &Store, id: AnalysisId) -> StoreError {
    wrong(store, id, "the row is missing")
}

fn wrong(store: &Store, id: AnalysisId, what: &str) -> StoreError {
    let (path, what) = (store.path().to_owned(), format!("analysis {}: {what}", id.0));
    StoreError::Damaged { path, what }
}

/// Reads the positions and lists of an analysis into a tree of its root alone.
///
/// # Errors
///
/// [`StoreError`] where the database fails, or an admitted answer is missing.
fn read_tree(
    store: &Store,
    row: &AnalysisRow,
    growth: Growth,
    is_wanted: &dyn Fn() -> bool,
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
        let read = read_parts(store, row, &selection, is_wanted, &sender);
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

/// The error of an illegal list in the database.
pub fn damaged(store: &Store, row: &AnalysisRow, illegal: &IllegalMove) -> StoreError {
    wrong(store, row.id, &illegal.to_string())
}

/// Finds the positions behind the moves.
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
    row: &AnalysisRow,
    selection: &Selection,
    is_wanted: &dyn Fn() -> bool,
    parts: &Sender<TreePart>,
) -> Result<(), StoreError> {
    let mut part = TreePart::new();
    store.read_lists(row.id, row.profile_id, |node, list| {
        if !is_wanted() {
            return Err(given_up(store));
        }
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

/// The error of a cancelled reading.
fn given_up(store: &Store) -> StoreError {
    let source = std::io::ErrorKind::Interrupted.into();
    StoreError::Io { path: store.path().to_owned(), source }
}

/// The error of a position that lacks some of its admitted answers.
fn lacking(store: &Store, row: &AnalysisRow, node: &KeptNode, list: &[ListedAnswer]) -> StoreError {
    let (admitted, epd) = (node.row.admitted, epd_of(&node.position));
    let (path, there) = (store.path().to_owned(), list.len());
    let what =
        format!("analysis {} admits {admitted} answers in {epd}, {there} are there", row.id.0);
    StoreError::Damaged { path, what }
}

/// The receiving thread ends only with a panic, which is reported when it is joined.
fn send<P>(parts: &Sender<P>, part: P) {
    let _ = parts.send(part);
}
