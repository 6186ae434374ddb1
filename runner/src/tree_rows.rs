//! The rows of the derived tables that a tree has in the store, and which of them a pass changed.

use std::collections::BTreeSet;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Value;
use deepanalyze_core::directives::Directives;
use deepanalyze_core::tree::{Growth, NodeId, best_root_move, root_moves};
use deepanalyze_report::{KeptRows, KeptTree, node_row, root_value, whole_best_line};
use deepanalyze_store::{
    AnalysisId, CoursePoint, NewVerdict, NodeRow, PassRecord, PositionId, Store, StoreError, now,
};

/// A row of `node` with its position's.
type KeptRow = (PositionId, NodeRow);

/// What the store has of one analysis, so that a pass writes only what it changed.
#[derive(Debug)]
pub struct TreeRows {
    analysis: AnalysisId,
    /// Passes of the kept tree.
    passes: u64,
    /// What the rows of `node` hold.
    kept: KeptRows,
    /// How many passes there were when the root was last looked at.
    noted: Option<u64>,
    /// The root's best move then, and its alpha.
    best: Option<(UciMove, Value)>,
    /// Changes of it that are not yet written.
    course: Vec<CoursePoint>,
    /// Positions that have changed since the last commit.
    unwritten: BTreeSet<NodeId>,
    /// Depths that were settled since the last commit.
    settled: Vec<NewVerdict>,
    /// The directives of a tree that is grown again from its root: the kept one is of others.
    replaces: Option<Directives>,
}

impl TreeRows {
    /// A tree as it was read, to grow it on, and its rows.
    pub fn of(tree: KeptTree) -> (Growth, TreeRows) {
        let mut rows = TreeRows {
            analysis: tree.row.id,
            passes: tree.row.passes,
            kept: tree.rows,
            noted: None,
            best: tree.course.points.last().map(|point| (point.best, point.alpha)),
            course: Vec::new(),
            unwritten: BTreeSet::new(),
            settled: Vec::new(),
            replaces: None,
        };
        let mut growth = tree.growth;
        growth.note_changes();
        rows.unwritten = rows.wrong(&growth);
        (growth, rows)
    }

    /// The rows of a tree that is grown again from its root under these directives, to take the place
    /// of one that was kept after so many passes.
    pub fn in_place_of(analysis: AnalysisId, passes: u64, directives: Directives) -> TreeRows {
        TreeRows {
            analysis,
            passes,
            kept: KeptRows::default(),
            noted: None,
            best: None,
            course: Vec::new(),
            unwritten: BTreeSet::new(),
            settled: Vec::new(),
            replaces: Some(directives),
        }
    }

    /// The positions whose rows do not hold what they must: a damaged row is written again.
    fn wrong(&self, growth: &Growth) -> BTreeSet<NodeId> {
        let right = |node: &NodeId| {
            self.kept.get(*node).is_some_and(|(_, kept)| kept == node_row(growth, *node))
        };
        growth.graph().analysed().filter(|node| !right(node)).collect()
    }

    /// Passes of the tree as it is kept.
    pub fn passes(&self) -> u64 {
        self.passes
    }

    /// Whether the kept tree was grown under other directives.
    pub fn replaces(&self) -> bool {
        self.replaces.is_some()
    }

    /// Whether the kept tree is this one.
    pub fn has(&self, growth: &Growth) -> bool {
        self.replaces.is_none() && self.passes == growth.passes()
    }

    /// Notes what the pass that has settled a depth has made of the root.
    pub fn note_settled(&mut self, growth: &Growth) {
        let settled = growth.settled().last().filter(|last| last.passes == growth.passes());
        let is_noted = self.settled.last().map(|noted| noted.settled) == settled.copied();
        if let (Some(settled), false) = (settled, is_noted) {
            let (graph, values, root) = (growth.graph(), growth.values(), growth.root());
            let moves = root_moves(graph, values, root);
            self.settled.push(NewVerdict { settled: *settled, value: root_value(growth), moves });
        }
    }

    /// Notes what the passes so far have made of the root: its best move and that one's alpha. A pass
    /// that is not noted before the next one ends is missing from the course.
    pub fn note(&mut self, growth: &Growth, best: Option<(UciMove, Value)>) {
        self.noted = Some(growth.passes());
        if let Some((uci, alpha)) = best.filter(|best| self.best != Some(*best)) {
            self.best = best;
            self.course.push(CoursePoint {
                passes: growth.passes(),
                searches: growth.searches(),
                positions: growth.analysed(),
                best: uci,
                alpha,
                noted_at: now(),
            });
        }
    }

    /// Writes what has changed since the last commit, durable when this returns. `false` where answers were taken
    /// back more often than that: the tree is void, and nothing is written.
    ///
    /// # Errors
    ///
    /// The store is unchanged then.
    pub fn commit(
        &mut self,
        store: &mut Store,
        growth: &mut Growth,
        taken_back: u64,
    ) -> Result<bool, StoreError> {
        self.unwritten.extend(growth.take_changes());
        let growth = &*growth;
        let (graph, values, root) = (growth.graph(), growth.values(), growth.root());
        if self.noted != Some(growth.passes()) {
            self.note(growth, best_root_move(graph, values, root));
        }
        let changed = self.changed(store, growth)?;
        let rows: Vec<KeptRow> = changed.iter().map(|(_, row)| *row).collect();
        self.note_settled(growth);
        let record = PassRecord {
            before: self.passes,
            passes: growth.passes(),
            positions: growth.analysed(),
            searches: growth.searches(),
            nodes: &rows,
            settled: &self.settled,
            course: &self.course,
            line: &whole_best_line(growth),
            fact_round: growth.facts().round,
            taken_back,
            replaces: self.replaces.as_ref(),
        };
        if !store.commit_pass(self.analysis, &record)? {
            return Ok(false);
        }
        self.course.clear();
        self.settled.clear();
        self.replaces = None;
        self.passes = growth.passes();
        self.unwritten.clear();
        for (node, (position, row)) in changed {
            self.kept.set(node, position, row);
        }
        Ok(true)
    }

    fn changed(
        &self,
        store: &Store,
        growth: &Growth,
    ) -> Result<Vec<(NodeId, KeptRow)>, StoreError> {
        let mut changed = Vec::new();
        for node in self.unwritten.iter().copied() {
            if !growth.graph().is_analysed(node) {
                continue;
            }
            let row = node_row(growth, node);
            match self.kept.get(node) {
                Some((_, kept)) if kept == row => {}
                Some((id, _)) => changed.push((node, (id, row))),
                None => changed.push((node, (store.position(&growth.position(node))?, row))),
            }
        }
        Ok(changed)
    }
}
