//! Building a tree while its rows are read.
//!
//! SQLite and the reading of moves and positions take about as long as finding the nodes behind them,
//! so each has a thread. Nodes are numbered as their rows lie in the file: the analysed positions
//! first, then the others as lists come to them.

use crossbeam_channel::{Receiver, SendError, Sender, bounded};
use shakmaty::uci::UciMove;

use crate::chess::Value;
use crate::store::{AnalysisRow, KeptNode, ListedAnswer, PositionId, Store, StoreError};
use crate::tree::{Growth, IllegalMove, NodeId};

use super::kept_rows::KeptRows;

/// Positions that go from thread to thread together.
const NODES: usize = 1024;
/// Answers that go from thread to thread together.
const ANSWERS: usize = 1 << 14;
/// Parts that may wait.
const WAITING: usize = 4;

/// Answers in rank order.
type List = Vec<(UciMove, Value)>;

/// A part of a tree.
enum Part {
    /// Analysed positions.
    Nodes(Vec<KeptNode>),
    /// Lists of positions that have come before, each by how many came before it.
    Lists(Vec<(usize, List)>),
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
        let builder = std::thread::Builder::new()
            .name("tree".to_owned())
            .spawn_scoped(scope, move || build(growth, &parts))
            .map_err(|source| StoreError::Io { path: store.path().to_owned(), source })?;
        let read = Reader { store, row, parts: sender, seen: Vec::new() }.read();
        match builder.join() {
            Ok(built) => read.and_then(|()| built.map_err(|illegal| damaged(store, row, &illegal))),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// What a list that cannot be says of the database.
pub fn damaged(store: &Store, row: &AnalysisRow, illegal: &IllegalMove) -> StoreError {
    let (path, what) = (store.path().to_owned(), format!("analysis {}: {illegal}", row.id.0));
    StoreError::Damaged { path, what }
}

/// Puts the parts together.
fn build(mut growth: Growth, parts: &Receiver<Part>) -> Result<(Growth, KeptRows), IllegalMove> {
    let (mut rows, mut nodes) = (KeptRows::default(), Vec::<NodeId>::new());
    for part in parts {
        match part {
            Part::Nodes(kept) => nodes.extend(kept.into_iter().map(|kept| {
                let node = growth.node_of(&kept.position);
                rows.set(node, kept.id, kept.row);
                node
            })),
            Part::Lists(lists) => {
                let lists = lists.into_iter();
                let lists = lists.filter_map(|(place, list)| Some((*nodes.get(place)?, list)));
                growth.fill(lists.collect())?;
            }
        }
    }
    Ok((growth, rows))
}

/// Reads the parts.
struct Reader<'a> {
    store: &'a Store,
    row: &'a AnalysisRow,
    parts: Sender<Part>,
    /// The positions in the order of their rows, each with how many answers are admitted.
    seen: Vec<(PositionId, usize)>,
}

impl Reader<'_> {
    fn read(mut self) -> Result<(), StoreError> {
        self.read_nodes()?;
        let lacking = self.read_lists()?;
        match lacking.and_then(|(place, there)| Some((self.seen.get(place)?, there))) {
            None => Ok(()),
            Some(((id, admitted), there)) => Err(StoreError::Damaged {
                path: self.store.path().to_owned(),
                what: format!(
                    "analysis {} admits {admitted} answers in {}, {there} are there",
                    self.row.id.0,
                    self.store.epd(*id)?
                ),
            }),
        }
    }

    fn read_nodes(&mut self) -> Result<(), StoreError> {
        let mut part = Vec::new();
        self.store.read_nodes(self.row.id, |node| {
            self.seen.push((node.id, node.row.admitted));
            part.push(node);
            if part.len() >= NODES {
                send(&self.parts, Part::Nodes(std::mem::take(&mut part)));
            }
        })?;
        send(&self.parts, Part::Nodes(part));
        Ok(())
    }

    /// Reads the lists; gives the first position that lacks answers, with how many it has.
    fn read_lists(&self) -> Result<Option<(usize, usize)>, StoreError> {
        let mut lists = Lists { seen: &self.seen, place: 0, list: Vec::new(), lacking: None };
        let (mut part, mut answers) = (Vec::new(), 0);
        self.store.read_lists(self.row.id, self.row.profile_id, |id, answer| {
            if let Some(whole) = lists.take(id, answer) {
                answers += whole.1.len();
                part.push(whole);
            }
            if answers >= ANSWERS {
                answers = 0;
                send(&self.parts, Part::Lists(std::mem::take(&mut part)));
            }
        })?;
        part.extend(lists.end());
        send(&self.parts, Part::Lists(part));
        Ok(lists.lacking)
    }
}

/// Lists of positions as their answers come in.
struct Lists<'a> {
    seen: &'a [(PositionId, usize)],
    /// The position of the last answer.
    place: usize,
    list: List,
    /// The first position that lacks answers, and how many it has.
    lacking: Option<(usize, usize)>,
}

impl Lists<'_> {
    /// Takes an answer; gives the list before it where that one is at its end.
    fn take(&mut self, id: PositionId, answer: ListedAnswer) -> Option<(usize, List)> {
        let mut whole = None;
        while self.seen.get(self.place).is_some_and(|(there, _)| *there < id) {
            whole = self.close().or(whole);
        }
        self.list.push((answer.uci, Value::from(answer.score)));
        whole
    }

    /// The last list, with a look at the positions behind it.
    fn end(&mut self) -> Option<(usize, List)> {
        let mut whole = None;
        while self.place < self.seen.len() {
            whole = self.close().or(whole);
        }
        whole
    }

    /// Ends the list of a position.
    fn close(&mut self) -> Option<(usize, List)> {
        let (place, list) = (self.place, std::mem::take(&mut self.list));
        let admitted = self.seen.get(place).map_or(0, |(_, admitted)| *admitted);
        if list.len() != admitted {
            self.lacking.get_or_insert((place, list.len()));
        }
        self.place += 1;
        (!list.is_empty()).then_some((place, list))
    }
}

/// The thread that takes the parts ends only with a panic, which is told when it is joined.
fn send(parts: &Sender<Part>, part: Part) {
    if let Err(SendError(part)) = parts.send(part) {
        drop(part);
    }
}
