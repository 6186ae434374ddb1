//! A stored tree with its rows, verdicts, stages and closing searches, read whole.

use std::ops::Deref;
use std::sync::Arc;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Game, PositionKey, TableMove, Value};
use deepanalyze_core::directives::Directives;
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_core::tree::{CountFacts, Growth, MoveCounts, NodeId, PlayedRules, aside};
use deepanalyze_store::{
    AnalysisId, AnalysisRow, CoursePoint, DepthVerdict, KeptGameSet, NodeRow, PositionId, Store,
    StoreError,
};

use crate::chance::{Stays, stays};
use crate::closing::{Closing, best_closing};
use crate::figures::Figures;
use crate::people::traps::deeper::{DeeperSearches, Refuted};
use crate::present::{Present, present};
use crate::reading::{KeptGrowth, missing, read_growth};
use crate::recheck::note::RecheckNote;
use crate::stages::{StageVerdict, Stages};
use crate::words::manner::describe_directed;

/// A tree under the present directives.
#[derive(Debug, Clone)]
pub struct Tree {
    /// The analysis.
    pub row: AnalysisRow,
    /// The game up to the root.
    pub game: Game,
    /// The tree under the directives that its root has now, as far as stored answers reach.
    pub growth: Arc<Growth>,
    /// The tree as it was grown: the same unless the root has other directives by now.
    pub as_grown: Arc<Growth>,
    /// The directives that it was grown with.
    pub grown_with: Directives,
    /// Directives of its root now, notes among them.
    pub directives: Directives,
    /// Positions requested under them without an answer; 0 if it was grown with them.
    pub waiting: usize,
    /// The moves of the root, the best first, if tablebases know it.
    pub table_moves: Vec<TableMove>,
    /// The closing search of its root with the most nodes.
    pub closing: Option<Closing>,
    /// Likely losing replies that deeper searches of the database refute: no traps.
    pub refuted: Refuted,
}

/// A tree with all data of its analysis, read at one moment.
#[derive(Debug)]
pub struct StoredTree {
    /// The tree.
    pub tree: Tree,
    /// The rows of its analysed positions.
    pub rows: KeptRows,
    /// The verdict of each settled depth, depth 0 first.
    pub verdicts: Vec<DepthVerdict>,
    /// The passes that changed the root's best move or its alpha.
    pub course: Vec<CoursePoint>,
    /// How games end behind the line of best alphas by the engine's word, for the root's side to
    /// move.
    pub wdl: Option<WinDrawLoss>,
    /// Its stages, the shallowest engine depth first; itself among them.
    pub stages: Vec<StageVerdict>,
    /// The chance that the best move stays when the engine searches deeper, if known.
    pub stays: Option<Stays>,
    /// Rechecks of its scores by other profiles, the last one first.
    pub rechecks: Vec<RecheckNote>,
}

impl Deref for StoredTree {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.tree
    }
}

/// Reads an analysis for display: its stored lists under the present directives.
///
/// # Errors
///
/// [`StoreError`] where the database fails, has no such analysis, or an admitted answer is missing.
pub fn load(store: &Store, id: AnalysisId) -> Result<StoredTree, StoreError> {
    store.at_one_moment(|| {
        let (tree, rows, verdicts) = read_tree(store, id)?;
        let Tree { row, game, growth, .. } = &tree;
        let wdl = Figures::new(store, (row.profile_id, growth))?.of_root()?;
        let stages = Stages::of(store, row.clone())?;
        let stays = if tree.is_pending() {
            None
        } else {
            stays(store, (&stages, row, &verdicts), (growth, &tree.grown_with))?
        };
        let (stages, course) = (stages.verdicts(store)?, store.course(id)?);
        let rechecks = RecheckNote::all(store, row, game.root())?;
        Ok(StoredTree { tree, rows, verdicts, course, wdl, stages, stays, rechecks })
    })
}

/// Reads the tree of an analysis alone.
///
/// # Errors
///
/// As [`load`].
pub fn load_tree(store: &Store, id: AnalysisId) -> Result<Tree, StoreError> {
    store.at_one_moment(|| Ok(read_tree(store, id)?.0))
}

fn read_tree(
    store: &Store,
    id: AnalysisId,
) -> Result<(Tree, KeptRows, Vec<DepthVerdict>), StoreError> {
    let KeptGrowth { row, game, growth, directives: grown_with, said, rows, verdicts } =
        read_row(store, id)?;
    let closing = best_closing(store, &row, game.root())?;
    let tree = Tree::new(row, game, Arc::new(growth), grown_with, said).of_store(store)?;
    let is_known = tree.growth.graph().known(tree.growth.root()).is_some();
    let table_moves = if is_known { store.table_moves(tree.game.root())? } else { Vec::new() };
    Ok((Tree { closing, table_moves, ..tree }, rows, verdicts))
}

/// Reads an analysis as it was grown, to grow it on or to prove it.
///
/// # Errors
///
/// As [`load`].
pub fn load_as_grown(store: &Store, id: AnalysisId) -> Result<KeptGrowth, StoreError> {
    store.at_one_moment(|| read_row(store, id))
}

fn read_row(store: &Store, id: AnalysisId) -> Result<KeptGrowth, StoreError> {
    let row = store.analysis(id)?.ok_or_else(|| missing(store, id))?;
    read_growth(store, row, &|| true)
}

/// Reads the tree of an analysis and nothing else; `None` if the analysis is gone.
///
/// # Errors
///
/// As [`load`]; and [`StoreError::Io`] once cancelled.
pub fn load_growth(
    store: &Store,
    id: AnalysisId,
    is_wanted: &dyn Fn() -> bool,
) -> Result<Option<Growth>, StoreError> {
    store.at_one_moment(|| {
        let Some(row) = store.analysis(id)? else { return Ok(None) };
        Ok(Some(read_growth(store, row, is_wanted)?.growth))
    })
}

/// A game that goes on with a line from its root to a position; that position alone if the line does not
/// lead there.
pub fn game_to(game: &Game, line: &[UciMove], position: &PositionKey) -> Game {
    let mut there = game.clone();
    for uci in line {
        if let Ok(m) = uci.to_move(there.root()) {
            there.play(m);
        }
    }
    if PositionKey::of(there.root()) == *position {
        there
    } else {
        Game::from_position(position.position())
    }
}

impl Tree {
    /// A tree of no database that was grown with some directives, under its root's present ones. No
    /// table moves, and no closing search.
    pub fn new(
        row: AnalysisRow,
        game: Game,
        as_grown: Arc<Growth>,
        grown_with: Directives,
        directives: Directives,
    ) -> Tree {
        let is_pending = directives.of_tree() != grown_with;
        let under = || as_grown.under(directives.wishes()).ok().map(Arc::new);
        // The store refuses an illegal directive: there is always such a tree.
        let growth = if is_pending { under() } else { None };
        let growth = growth.unwrap_or_else(|| Arc::clone(&as_grown));
        Tree {
            row,
            game,
            growth,
            as_grown,
            grown_with,
            directives,
            waiting: 0,
            table_moves: Vec::new(),
            closing: None,
            refuted: Refuted::new(),
        }
    }

    /// The tree grown on by the answers of a database, and its traps that others refute.
    pub(crate) fn of_store(mut self, store: &Store) -> Result<Tree, StoreError> {
        if self.is_pending() {
            let Present { growth, waiting } =
                present(store, &self.row, &self.as_grown, &self.directives)?;
            (self.growth, self.waiting) = (growth, waiting);
        }
        self.refuted = DeeperSearches::than(&self.row.profile, store)?.refuted(&self.growth)?;
        Ok(self)
    }

    /// Replaces its counts by those of another set of games. Nets see the tree's first line to each
    /// position behind the game up to its root.
    ///
    /// # Errors
    ///
    /// Errors of the set, or of the store.
    pub fn count_in<E: From<StoreError>>(
        &mut self,
        store: &Store,
        set: KeptGameSet,
        mut counts: impl FnMut(&Game) -> Result<MoveCounts, E>,
    ) -> Result<(), E> {
        let Tree { row, growth, game, .. } = self;
        let mut known = CountFacts::new(PlayedRules::default());
        for node in growth.graph().analysed() {
            let key = PositionKey::of(&growth.position(node));
            known.learn(key, counts(&game_to(game, &growth.first_line(node), &key))?);
        }
        let growth = Arc::make_mut(growth);
        growth.tell_counts(known);
        if row.settings.games.is_none() {
            growth.learn_said(store.said_of_moves(row, None)?);
        }
        self.refuted = DeeperSearches::than(&row.profile, store)?.refuted(growth)?;
        (row.settings.games, row.game_set) = (None, Some(set));
        Ok(())
    }

    /// True if the root has other directives by now: `grow` will grow the tree again.
    pub fn is_pending(&self) -> bool {
        self.directives.of_tree() != self.grown_with
    }

    /// The directives of its root in words, and the number of positions waiting for answers under
    /// them; `None` without either.
    pub fn describe_directives(&self) -> Option<String> {
        describe_directed(&self.directives, self.is_pending().then_some(self.waiting))
    }

    /// The nodes along a line, the root first, as far as the tree knows the moves, including those
    /// that do not count.
    pub fn walk(&self, line: &[UciMove]) -> Vec<NodeId> {
        let graph = self.growth.graph();
        let (mut nodes, mut node) = (vec![self.growth.root()], self.growth.root());
        for uci in line {
            let counting = graph.moves(node).iter().map(|edge| (edge.uci, edge.child));
            let aside = aside(graph, node).into_iter().map(|aside| (aside.uci, aside.child));
            let mut moves = counting.chain(aside);
            let Some((_, next)) = moves.find(|(known, _)| known.unpack() == *uci) else {
                break;
            };
            node = next;
            nodes.push(node);
        }
        nodes
    }
}

/// No row.
const NONE: u32 = u32::MAX;

/// A row of `node`: 16 bytes.
#[derive(Debug, Clone, Copy)]
struct PackedRow {
    position: PositionId,
    ply: u32,
    /// At most 218, or the position has more moves than a position can have.
    admitted: u16,
    idea: Value,
}

/// The rows of a tree's analysed positions, and the row of `position` of each.
///
/// Less than half of the positions of a tree are analysed, so the others take 4 bytes each.
#[derive(Debug, Clone, Default)]
pub struct KeptRows {
    /// Per node, the place of its row.
    places: Vec<u32>,
    rows: Vec<PackedRow>,
}

impl KeptRows {
    /// The row of a node.
    pub fn get(&self, node: NodeId) -> Option<(PositionId, NodeRow)> {
        let place = usize::try_from(*self.places.get(node.index())?).ok()?;
        let PackedRow { position, ply, admitted, idea } = *self.rows.get(place)?;
        Some((position, NodeRow { ply, admitted: admitted.into(), idea }))
    }

    /// Sets the row of a node.
    pub fn set(&mut self, node: NodeId, position: PositionId, row: NodeRow) {
        let NodeRow { ply, admitted, idea } = row;
        let admitted = u16::try_from(admitted).unwrap_or(u16::MAX);
        let row = PackedRow { position, ply, admitted, idea };
        if self.places.len() <= node.index() {
            let missing = node.index() + 1 - self.places.len();
            reserve(&mut self.places, missing);
            self.places.resize(node.index() + 1, NONE);
        }
        let Some(place) = self.places.get_mut(node.index()) else {
            return;
        };
        match usize::try_from(*place).ok().and_then(|place| self.rows.get_mut(place)) {
            Some(there) => *there = row,
            None => {
                *place = u32::try_from(self.rows.len()).unwrap_or(NONE);
                reserve(&mut self.rows, 1);
                self.rows.push(row);
            }
        }
    }

    /// The analysed positions with their rows of `position`.
    pub fn positions(&self) -> impl Iterator<Item = (NodeId, PositionId)> + '_ {
        let nodes = (0..self.places.len()).map(NodeId::from_index);
        nodes.filter_map(|node| Some((node, self.get(node)?.0)))
    }
}

/// Grows as a tree's tables do: doubling would leave up to half of the memory empty.
fn reserve<T>(table: &mut Vec<T>, more: usize) {
    if table.len() + more > table.capacity() {
        table.reserve_exact(more.max(table.len() / 4 + 16));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_takes_sixteen_bytes() {
        assert_eq!(size_of::<PackedRow>(), 16);
    }
}
