//! Win, draw and loss of every printed move (their origin: `figures.rs` of `view`).

use std::cmp::Reverse;

use hashbrown::{HashMap, HashSet};
use shakmaty::uci::UciMove;

use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_core::tree::{Edge, LineEnd, NodeId, PathSet, PathValues};
use deepanalyze_store::{PositionId, Store, StoreError};

use crate::tree::layout::{PlaceOf, TreeReport};
use deepanalyze_view::{PointOfView, Shown, StoredTree, are_computed, of_end};

/// Figures of all moves of a report, for the sides that play them.
#[derive(Debug, Default)]
pub struct TreeFigures(HashMap<(NodeId, UciMove), WinDrawLoss>);

impl TreeFigures {
    /// Reads a report's figures. Of several places of a position, the first one's count.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn read(store: &Store, report: &TreeReport<'_>) -> Result<TreeFigures, StoreError> {
        let said = Said::read(store, report)?;
        if said.is_nothing() {
            return Ok(TreeFigures::default());
        }
        let mut reading = Reading::new(report, said)?;
        let (place_of, paths) = (PlaceOf::new(report), reading.paths());
        let mut figures = HashMap::new();
        for (index, (place, path)) in report.places.iter().zip(paths).enumerate() {
            if place_of.get(place.node) != Some(index) {
                continue;
            }
            for shown in Shown::of_place(place) {
                let wdl = reading.of_move(shown, path)?;
                figures.extend(wdl.map(|wdl| ((shown.from, shown.uci), wdl)));
            }
        }
        Ok(TreeFigures(figures))
    }

    /// True if there are any.
    pub fn are_said(&self) -> bool {
        !self.0.is_empty()
    }

    /// The figures of a move, if any.
    pub fn of(&self, shown: Shown<'_>) -> Option<WinDrawLoss> {
        self.0.get(&(shown.from, shown.uci)).copied()
    }
}

/// Meaning and source of win, draw and loss, in words; `None` without figures.
pub fn figures_legend(report: &TreeReport<'_>) -> Option<String> {
    report.figures.as_ref()?;
    let sides = match report.options.pov {
        PointOfView::White => "won by White, drawn, won by Black",
        PointOfView::Mover => "won, drawn and lost by the side that plays the move",
    };
    let from = if are_computed(&report.tree.row.profile) {
        "computed from the score"
    } else {
        "as told by the engine"
    };
    Some(format!("12 / 81 / 7: of 100 games at the end of the best line, {sides}; {from}"))
}

/// The whole tree is read at once, unless its analysed positions exceed the places by this factor.
const FEW: usize = 32;

/// The engine's figures for the answers of a tree.
struct Said<'a> {
    store: &'a Store,
    tree: &'a StoredTree,
    /// By position and rank.
    known: HashMap<(PositionId, usize), WinDrawLoss>,
    /// The positions read so far; `None` if all are.
    read: Option<HashSet<PositionId>>,
}

impl<'a> Said<'a> {
    fn read(store: &'a Store, report: &TreeReport<'a>) -> Result<Said<'a>, StoreError> {
        let (tree, positions) = (report.tree, report.growth().graph().analysed_positions());
        if report.places.len() * FEW < positions {
            return Ok(Said { store, tree, known: HashMap::new(), read: Some(HashSet::new()) });
        }
        let known = store.wdl_of_tree(&tree.row)?.into_iter();
        let known = known.map(|(position, rank, wdl)| ((position, rank), wdl)).collect();
        Ok(Said { store, tree, known, read: None })
    }

    /// True if there are certainly none.
    fn is_nothing(&self) -> bool {
        self.read.is_none() && self.known.is_empty()
    }

    /// An answer's, for the side to move in its position.
    fn of(&mut self, at: NodeId, rank: Option<usize>) -> Result<Option<WinDrawLoss>, StoreError> {
        let (Some((position, _)), Some(rank)) = (self.tree.rows.get(at), rank) else {
            return Ok(None);
        };
        if self.read.as_mut().is_some_and(|read| read.insert(position)) {
            let said = self.store.wdl_of_answers(self.tree.row.profile_id, position)?.into_iter();
            self.known.extend(said.map(|(rank, wdl)| ((position, rank), wdl)));
        }
        Ok(self.known.get(&(position, rank)).copied())
    }
}

struct Reading<'a> {
    report: &'a TreeReport<'a>,
    said: Said<'a>,
    /// True if endings have figures: if the engine gave some for the root's first answer.
    ends_are_said: bool,
    paths: PathValues<'a>,
    /// Figures at the end of the best line from a position, for its side to move, by the relevant
    /// part of the path before it.
    behind: HashMap<(NodeId, Option<PathSet>), Option<WinDrawLoss>>,
}

impl<'a> Reading<'a> {
    fn new(report: &'a TreeReport<'a>, mut said: Said<'a>) -> Result<Reading<'a>, StoreError> {
        let growth = report.growth();
        let ends_are_said = said.of(growth.root(), Some(0))?.is_some();
        let paths = PathValues::new(growth.graph(), growth.values());
        Ok(Reading { report, said, ends_are_said, paths, behind: HashMap::new() })
    }

    /// The path that ends with each place.
    fn paths(&mut self) -> Vec<Option<PathSet>> {
        let (report, paths) = (self.report, &mut self.paths);
        let first = report.path.iter().fold(None, |path, node| paths.extend(path, *node));
        let mut all: Vec<Option<PathSet>> = Vec::with_capacity(report.places.len());
        for place in &report.places {
            let before = place.parent.map(|(parent, _)| all.get(parent).copied().flatten());
            all.push(before.map_or(first, |before| paths.extend(before, place.node)));
        }
        all
    }

    /// A move's after a path that ends where it is played.
    fn of_move(
        &mut self,
        shown: Shown<'_>,
        path: Option<PathSet>,
    ) -> Result<Option<WinDrawLoss>, StoreError> {
        let goes_on = shown.child.is_some() && self.paths.graph().is_analysed(shown.node);
        match shown.is_repetition() {
            false if goes_on => Ok(self.of_position(shown.node, path)?.map(WinDrawLoss::flipped)),
            repeats => self.of_last(shown.from, shown.rank, shown.node, repeats),
        }
    }

    /// The best line's from an analysed position, for its side to move, after a path that ends
    /// before it.
    fn of_position(
        &mut self,
        mut node: NodeId,
        mut path: Option<PathSet>,
    ) -> Result<Option<WinDrawLoss>, StoreError> {
        let (graph, mut way) = (self.paths.graph(), Vec::new());
        // For the side to move behind the path.
        let mut wdl = loop {
            let key = (node, self.paths.relevant(node, path));
            if let Some(known) = self.behind.get(&key) {
                break *known;
            }
            way.push(key);
            path = self.paths.extend(path, node);
            let Some((index, best)) = self.best(node, path) else { break None };
            let repeats = self.paths.repeats(best.child, path);
            if repeats || !graph.is_analysed(best.child) {
                let last = self.of_last(node, graph.rank(node, index), best.child, repeats)?;
                break last.map(WinDrawLoss::flipped);
            }
            node = best.child;
        };
        for key in way.into_iter().rev() {
            wdl = wdl.map(WinDrawLoss::flipped);
            self.behind.insert(key, wdl);
        }
        Ok(wdl)
    }

    /// The best move by alpha after a path that ends where it is played, ties by rank, with its
    /// index there.
    fn best(&mut self, node: NodeId, path: Option<PathSet>) -> Option<(usize, &'a Edge)> {
        let paths = &mut self.paths;
        let moves = paths.graph().moves(node).iter().enumerate();
        moves.max_by_key(|(index, edge)| (paths.alpha(edge, path), Reverse(*index)))
    }

    /// Figures of a move at the tree's end, for the side that plays it.
    fn of_last(
        &mut self,
        from: NodeId,
        rank: Option<usize>,
        to: NodeId,
        repeats: bool,
    ) -> Result<Option<WinDrawLoss>, StoreError> {
        let graph = self.paths.graph();
        let end = match (graph.ending(to), graph.known(to)) {
            _ if repeats => Some(LineEnd::Repetition),
            (Some(ending), _) => Some(LineEnd::Over(ending)),
            (None, Some(known)) => Some(LineEnd::Known(known)),
            _ => graph.given(to).map(LineEnd::Value),
        };
        match end {
            Some(end) => Ok(of_end(end).filter(|_| self.ends_are_said).map(WinDrawLoss::flipped)),
            None => self.said.of(from, rank),
        }
    }
}
