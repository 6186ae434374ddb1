//! The rows of a tree's derived tables in the store: which of them a pass changed, and when they
//! are written.

use std::collections::BTreeSet;
use std::time::Instant;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{PositionKey, Value};
use deepanalyze_core::directives::Directives;
use deepanalyze_core::tree::{Growth, NodeId, best_root_move, root_moves};
use deepanalyze_engine::Engines;
use deepanalyze_store::{
    AnalysisId, CoursePoint, DepthVerdict, NodeRow, PassRecord, PositionId, Store, StoreError, now,
};
use deepanalyze_view::{KeptGrowth, KeptRows, best_moves, node_row, root_value};

/// Pause between writes of a tree's rows, as a multiple of the last one's duration: a large tree's
/// take a while.
const WRITE_PAUSE: u32 = 10;

/// A row of `node` with its position's.
type PositionedRow = (PositionId, NodeRow);

/// The stored rows of one analysis, so that a pass writes only its changes, and when it does.
#[derive(Debug, Default)]
pub struct TreeRows {
    /// `None` if the tree is not kept.
    analysis: Option<AnalysisId>,
    /// Passes of the kept tree.
    pub(crate) passes: u64,
    /// The stored rows of `node`.
    kept: KeptRows,
    /// Passes at the last look at the root.
    noted: Option<u64>,
    /// The root's best move then, and its alpha.
    best: Option<(UciMove, Value)>,
    /// Changes of it not yet written.
    course: Vec<CoursePoint>,
    /// Positions changed since the last commit.
    unwritten: BTreeSet<NodeId>,
    /// Depths settled since the last commit.
    settled: Vec<DepthVerdict>,
    /// The directives of a tree grown again from its root: the kept one has others.
    replaces: Option<Directives>,
    /// When they may be written again; at first `None`.
    due: Option<Instant>,
    /// True while the tree is grown again from known answers: until it is as large as it can be
    /// without an engine, the kept tree stays, grown under other directives.
    catches_up: bool,
}

impl TreeRows {
    /// A tree as read, to grow it on, and its rows; with the last change of the root's verdict.
    pub fn of(tree: KeptGrowth, last: Option<&CoursePoint>) -> (Growth, TreeRows) {
        let mut rows = TreeRows {
            analysis: Some(tree.row.id),
            passes: tree.row.passes,
            kept: tree.rows,
            best: last.map(|point| (point.best, point.alpha)),
            ..TreeRows::default()
        };
        let mut growth = tree.growth;
        growth.note_changes();
        rows.unwritten = rows.wrong(&growth);
        (growth, rows)
    }

    /// The rows of a tree grown again from its root under these directives, to replace one kept
    /// after `passes` passes.
    pub fn in_place_of(analysis: AnalysisId, passes: u64, directives: Directives) -> TreeRows {
        let (analysis, replaces) = (Some(analysis), Some(directives));
        // Without passes, no kept tree could be better.
        let catches_up = passes > 0;
        TreeRows { analysis, passes, replaces, catches_up, ..TreeRows::default() }
    }

    /// The positions with wrong rows: a damaged row is written again.
    fn wrong(&self, growth: &Growth) -> BTreeSet<NodeId> {
        let right = |node: &NodeId| {
            self.kept.get(*node).is_some_and(|(_, kept)| kept == node_row(growth, *node))
        };
        growth.graph().analysed().filter(|node| !right(node)).collect()
    }

    /// True if they may be written now.
    pub fn are_due(&self, now: Instant) -> bool {
        self.due.is_none_or(|due| due <= now)
    }

    /// The tree has come to where it wants an engine, or to its end.
    pub fn has_caught_up(&mut self) {
        self.catches_up = false;
    }

    /// True if nothing is to be written: the kept tree is this one, stays for now, or is missing.
    fn are_at_rest(&self, growth: &Growth) -> bool {
        let has_all = self.replaces.is_none() && self.passes == growth.passes();
        self.analysis.is_none() || has_all || self.catches_up
    }

    /// Notes the root after the pass that has settled a depth.
    pub fn note_settled(&mut self, growth: &Growth) {
        if self.analysis.is_none() {
            return;
        }
        let settled = growth.settled().last().filter(|last| last.passes == growth.passes());
        let is_noted = self.settled.last().map(|noted| noted.settled) == settled.copied();
        if let (Some(settled), false) = (settled, is_noted) {
            let (graph, values, root) = (growth.graph(), growth.values(), growth.root());
            let moves = root_moves(graph, values, root);
            self.settled.push(DepthVerdict {
                settled: *settled,
                settled_at: now(),
                value: root_value(growth),
                moves,
            });
        }
    }

    /// Notes the root after the passes so far: its best move and that one's alpha. A pass not noted
    /// before the next one ends is missing from the course.
    pub fn note(&mut self, growth: &Growth, best: Option<(UciMove, Value)>) {
        if self.analysis.is_none() {
            return;
        }
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

    /// Writes all changes since the last commit, durable when this returns. `false` if answers were
    /// invalidated more than `invalidations` times: the tree is void, nothing is written.
    ///
    /// # Errors
    ///
    /// The store is unchanged then.
    pub fn commit(
        &mut self,
        store: &mut Store,
        growth: &mut Growth,
        invalidations: u64,
    ) -> Result<bool, StoreError> {
        let Some(analysis) = self.analysis else { return Ok(true) };
        self.unwritten.extend(growth.take_changes());
        let growth = &*growth;
        let (graph, values, root) = (growth.graph(), growth.values(), growth.root());
        if self.noted != Some(growth.passes()) {
            self.note(growth, best_root_move(graph, values, root));
        }
        let changed = self.changed(store, growth)?;
        let rows: Vec<PositionedRow> = changed.iter().map(|(_, row)| *row).collect();
        let followed = |(node, (id, _)): &(NodeId, PositionedRow)| {
            let (id, played) = (*id, graph.played(*node));
            let position = (!played.is_empty()).then(|| growth.position(*node));
            let moves = played.iter().map(move |followed| followed.uci.unpack());
            position
                .into_iter()
                .cycle()
                .zip(moves)
                .map(move |(position, uci)| (id, position, uci))
                .collect::<Vec<_>>()
        };
        let followed: Vec<_> = changed.iter().flat_map(followed).collect();
        self.note_settled(growth);
        let root_key = PositionKey::of(&growth.position(root));
        let found = growth.selection().played.get(&root_key);
        let record = PassRecord {
            before: self.passes,
            passes: growth.passes(),
            positions: growth.analysed(),
            searches: growth.searches(),
            nodes: &rows,
            settled: &self.settled,
            course: &self.course,
            line: &best_moves(growth),
            fact_round: growth.facts().round,
            invalidations,
            found: found.map_or(&[], Vec::as_slice),
            followed: &followed,
            replaces: self.replaces.as_ref(),
        };
        if !store.commit_pass(analysis, &record)? {
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

    /// Writes the missing rows of a tree read after this many invalidations of answers.
    pub(crate) fn write(
        &mut self,
        store: &mut Store,
        growth: &mut Growth,
        clock: &dyn Engines,
        invalidations: u64,
    ) -> Result<RowsWritten, StoreError> {
        if self.are_at_rest(growth) {
            let is_void = store.invalidations()? != invalidations;
            return Ok(if is_void { RowsWritten::Void } else { RowsWritten::Tree });
        }
        let (is_another_tree, began) = (self.replaces.is_some(), clock.now());
        if !self.commit(store, growth, invalidations)? {
            return Ok(RowsWritten::Void);
        }
        let ended = clock.now();
        self.due = Some(ended + ended.saturating_duration_since(began) * WRITE_PAUSE);
        Ok(if is_another_tree { RowsWritten::AnotherTree } else { RowsWritten::Tree })
    }

    fn changed(
        &self,
        store: &Store,
        growth: &Growth,
    ) -> Result<Vec<(NodeId, PositionedRow)>, StoreError> {
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

/// Outcome of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowsWritten {
    /// The rows are the tree's, or stay behind it for a while.
    Tree,
    /// They are, and have replaced another tree's.
    AnotherTree,
    /// Answers were invalidated since the tree was read: it is void, nothing is written.
    Void,
}
