//! Win, draw and loss of every printed move (`kept/figures.rs` says whose they are).

use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_core::tree::{Line, LineEnd, NodeId, PathSet, Place, best_line_behind, line_end};
use deepanalyze_store::{Store, StoreError};

use crate::kept::figures::{Figures, are_computed, of_end};
use crate::tree::layout::{PlaceOf, TreeReport};
use crate::tree::shown::Shown;
use crate::words::PointOfView;

/// Those of all moves of a report, for the sides that play them.
#[derive(Debug)]
pub struct TreeFigures {
    /// By place and by the move's number there.
    by_place: Vec<Vec<Option<WinDrawLoss>>>,
    place_of: PlaceOf,
}

impl TreeFigures {
    /// Reads those of a report.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn read(store: &Store, report: &TreeReport<'_>) -> Result<TreeFigures, StoreError> {
        let figures = Figures::new(store, (report.tree.row.profile_id, report.growth()))?;
        let mut reading = Reading::new(report, figures);
        // The places behind a place's moves come after it.
        for index in (0..report.places.len()).rev() {
            reading.read_place(index)?;
        }
        Ok(TreeFigures { by_place: reading.by_place, place_of: PlaceOf::new(report) })
    }

    /// Whether there are any.
    pub fn are_said(&self) -> bool {
        self.by_place.iter().flatten().any(Option::is_some)
    }

    /// Those of a move; none where nobody has said them.
    pub fn of(&self, report: &TreeReport<'_>, shown: Shown<'_>) -> Option<WinDrawLoss> {
        let place = self.place_of.get(shown.from)?;
        let mut moves = Shown::of_place(report.places.get(place)?);
        let at = moves.position(|other| other.uci == shown.uci)?;
        self.by_place.get(place)?.get(at).copied().flatten()
    }
}

/// What win, draw and loss are, and where they come from, in words; nothing where there are none.
pub fn figures_legend(report: &TreeReport<'_>) -> Option<String> {
    report.figures.as_ref()?;
    let sides = match report.options.pov {
        PointOfView::White => "won by White, drawn, won by Black",
        PointOfView::Mover => "won, drawn and lost by the side that plays the move",
    };
    let from = match are_computed(&report.tree.row.profile) {
        true => "computed from the score",
        false => "by the engine's word",
    };
    Some(format!("12 / 81 / 7: of 100 games at the end of the best line, {sides}; {from}"))
}

struct Reading<'a> {
    report: &'a TreeReport<'a>,
    figures: Figures<'a>,
    by_place: Vec<Vec<Option<WinDrawLoss>>>,
    line: Line<'a>,
    /// The path that ends with each place.
    paths: Vec<Option<PathSet>>,
}

impl<'a> Reading<'a> {
    fn new(report: &'a TreeReport<'a>, figures: Figures<'a>) -> Reading<'a> {
        let growth = report.growth();
        let mut line = Line::new(growth.graph(), growth.values());
        let first = report.path.iter().fold(None, |path, node| line.extend(path, *node));
        let mut paths: Vec<Option<PathSet>> = Vec::with_capacity(report.places.len());
        for place in &report.places {
            let before = place.parent.map(|(parent, _)| paths.get(parent).copied().flatten());
            paths.push(before.map_or(first, |before| line.extend(before, place.node)));
        }
        let by_place = vec![Vec::new(); report.places.len()];
        Reading { report, figures, by_place, line, paths }
    }

    fn read_place(&mut self, index: usize) -> Result<(), StoreError> {
        let report = self.report;
        let Some(place) = report.places.get(index) else { return Ok(()) };
        let row = report.tree.rows.get(place.node);
        let answers = row.map_or(Ok(Vec::new()), |(id, _)| self.figures.of_answers(id))?;
        let moves = Shown::of_place(place).map(|shown| self.of_move(index, shown, &answers));
        let moves = moves.collect::<Result<_, _>>()?;
        if let Some(there) = self.by_place.get_mut(index) {
            *there = moves;
        }
        Ok(())
    }

    fn of_move(
        &mut self,
        place: usize,
        shown: Shown<'_>,
        answers: &[(usize, WinDrawLoss)],
    ) -> Result<Option<WinDrawLoss>, StoreError> {
        let graph = self.report.growth().graph();
        let counts = shown.child.is_some();
        let end = match (graph.ending(shown.node), graph.known(shown.node)) {
            _ if counts && shown.is_repetition() => Some(LineEnd::Repetition),
            (Some(ending), _) => Some(LineEnd::Over(ending)),
            (None, Some(known)) => Some(LineEnd::Known(known)),
            _ => graph.given(shown.node).map(LineEnd::Value),
        };
        if let Some(end) = end {
            let wdl = of_end(end).filter(|_| self.figures.are_said());
            return Ok(wdl.map(WinDrawLoss::flipped));
        }
        if counts && graph.is_analysed(shown.node) {
            return self.of_analysed(place, shown);
        }
        let own = answers.iter().find(|(rank, _)| Some(*rank) == shown.rank);
        Ok(own.map(|(_, wdl)| *wdl))
    }

    /// Of a move behind which the tree goes on: those of the best move there. Where they are printed, and all moves are,
    /// that is the first one.
    fn of_analysed(
        &mut self,
        place: usize,
        shown: Shown<'_>,
    ) -> Result<Option<WinDrawLoss>, StoreError> {
        let behind = shown.place().filter(|_| self.report.options.side.is_none());
        if let Some(best) = behind.and_then(|behind| self.by_place.get(behind)?.first()) {
            return Ok(best.map(WinDrawLoss::flipped));
        }
        let (graph, path) = (self.line.graph(), self.paths.get(place).copied().flatten());
        let mut moves = vec![shown.uci];
        moves.extend(best_line_behind(graph, &mut self.line, shown.node, path, usize::MAX));
        let nodes = self.nodes_to(place);
        let end = line_end(graph, self.report.growth().values(), &nodes, &moves);
        self.figures.of_line(&nodes, &moves, end)
    }

    /// The positions on the way from the root to a place, both among them.
    fn nodes_to(&self, place: usize) -> Vec<NodeId> {
        let places = &self.report.places;
        let parent = |place: &&Place| places.get(place.parent?.0);
        let way = std::iter::successors(places.get(place), |place| parent(place));
        let mut nodes: Vec<NodeId> = way.map(|place| place.node).collect();
        nodes.reverse();
        // The first place is where the path ends.
        [&self.report.path[..], nodes.get(1..).unwrap_or_default()].concat()
    }
}
