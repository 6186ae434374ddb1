//! Following a tree that another process grows: it is read on as it changes, and replaced by the
//! tree of a deeper stage once that one speaks.

use std::sync::Arc;

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{PositionKey, Value, Wdl};
use deepanalyze_core::tree::{Growth, MoveCounts, NodeId};
use deepanalyze_store::{AnalysisId, AnalysisRow, KeptNode, Store, StoreError};

use crate::closing::best_closing;
use crate::reading::damaged;
use crate::stages::Stages;
use crate::tree::{Tree, load_tree};

/// The subject to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Followed {
    /// One analysis.
    Analysis,
    /// The stages of a root: the tree of the one that speaks.
    Stages,
}

/// A reader of a growing tree.
#[derive(Debug)]
pub struct Follower {
    store: Store,
    of: Followed,
    /// The analysis that is read.
    analysis: AnalysisId,
    /// As it was read last.
    tree: Arc<Tree>,
    /// Number of changes of the root's directives at the last reading.
    revision: Option<u64>,
}

impl Follower {
    /// Follows the analysis of a tree that has been read, or its root's stages.
    pub fn new(store: Store, tree: Arc<Tree>, of: Followed) -> Follower {
        Follower { store, of, analysis: tree.row.id, tree, revision: None }
    }

    /// Follows another tree, already read, from now on. The database is opened anew: its schema may
    /// have changed.
    pub fn turn_to(&mut self, store: Store, tree: Arc<Tree>) {
        (self.store, self.analysis, self.revision, self.tree) = (store, tree.row.id, None, tree);
    }

    /// The tree as it was read last.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// The database.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Number of changes of the root's directives at the last reading; `None` before it.
    pub fn revision(&self) -> Option<u64> {
        self.revision
    }

    /// True if a process grows it.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn is_growing(&self) -> Result<bool, StoreError> {
        if self.of == Followed::Analysis {
            return Ok(self.store.is_growing(self.analysis));
        }
        let stages = Stages::of(&self.store, self.tree.row.clone())?;
        Ok(stages.rows().iter().any(|stage| self.store.is_growing(stage.id)))
    }

    /// Reads the tree if it has changed.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails, or the analysis is gone.
    pub fn read(&mut self) -> Result<Option<Arc<Tree>>, StoreError> {
        let (analysis, revision, tree) = self.store.at_one_moment(|| self.changed())?;
        (self.analysis, self.revision) = (analysis, Some(revision));
        let Some(tree) = tree else {
            return Ok(None);
        };
        self.tree = Arc::new(tree);
        Ok(Some(Arc::clone(&self.tree)))
    }

    /// The analysis to read, the number of changes of the root's directives, and the tree, if it or
    /// its closing search has changed since the last reading.
    fn changed(&self) -> Result<(AnalysisId, u64, Option<Tree>), StoreError> {
        let (analysis, revision, tree) = self.grown()?;
        let read: &Tree = tree.as_ref().unwrap_or(&self.tree);
        let closing = best_closing(&self.store, &read.row, read.game.root())?;
        let tree = match tree {
            Some(tree) => tree,
            None if closing == self.tree.closing => return Ok((analysis, revision, None)),
            None => Tree::clone(&self.tree),
        };
        Ok((analysis, revision, Some(Tree { closing, ..tree })))
    }

    /// As [`Self::changed`], ignoring the closing search.
    fn grown(&self) -> Result<(AnalysisId, u64, Option<Tree>), StoreError> {
        let analysis = self.to_read()?;
        let revision = self.store.revision(&self.tree.game)?;
        if analysis != self.tree.row.id || self.tables_have_come()? {
            return Ok((analysis, revision, Some(load_tree(&self.store, analysis)?)));
        }
        let row = self.store.analysis(analysis)?;
        let tree = match (row.as_ref() == Some(&self.tree.row), self.revision == Some(revision)) {
            (true, true) => None,
            (true, false) => self.directed()?,
            (false, _) => Some(self.tree_now()?),
        };
        Ok((analysis, revision, tree))
    }

    /// True if more is known by now of a root that tablebases may have: a run looks it up once its
    /// row is there, and does not change the row.
    fn tables_have_come(&self) -> Result<bool, StoreError> {
        let Tree { row, game, as_grown, table_moves, .. } = &*self.tree;
        let root = game.root();
        if !row.settings.tables.is_some_and(|tables| tables.may_know(root)) {
            return Ok(false);
        }
        if as_grown.graph().known(as_grown.root()).is_some() {
            return Ok(self.store.table_moves(root)? != *table_moves);
        }
        Ok(self.store.fact(root, row.fact_round)?.flatten().is_some())
    }

    /// The analysis to follow; of stages the one that speaks.
    fn to_read(&self) -> Result<AnalysisId, StoreError> {
        if self.of == Followed::Analysis {
            return Ok(self.analysis);
        }
        let stages = Stages::of(&self.store, self.tree.row.clone())?;
        Ok(stages.speaking().map_or(self.analysis, |speaking| speaking.id))
    }

    /// The tree under the root's present directives, if those have changed.
    fn directed(&self) -> Result<Option<Tree>, StoreError> {
        let Tree { row, game, as_grown, grown_with, directives, table_moves, .. } = &*self.tree;
        let said = self.store.directives(game)?;
        if said == *directives {
            return Ok(None);
        }
        let (row, game, as_grown) = (row.clone(), game.clone(), Arc::clone(as_grown));
        let live =
            Tree::new(row, game, as_grown, grown_with.clone(), said).of_store(&self.store)?;
        Ok(Some(Tree { table_moves: table_moves.clone(), ..live }))
    }

    fn tree_now(&self) -> Result<Tree, StoreError> {
        let Tree { row, game, as_grown, table_moves, .. } = &*self.tree;
        let Some((row, growth)) = read_on(&self.store, row, as_grown)? else {
            return load_tree(&self.store, self.analysis);
        };
        let (grown_with, said) =
            (self.store.grown_with(self.analysis)?, self.store.directives(game)?);
        let live = Tree::new(row, game.clone(), Arc::new(growth), grown_with, said);
        let live = live.of_store(&self.store)?;
        Ok(Tree { table_moves: table_moves.clone(), ..live })
    }
}

/// New answers of a position, in rank order.
type NewAnswers = (NodeId, Vec<(UciMove, Value)>);

/// Reads an analysis on from a known state of it: lists are only added to, so those that have grown
/// since are read on. The values of a tree are a function of its lists; that its nodes are numbered
/// another way than in a tree that is read anew changes none of them.
///
/// `None` if it must be read anew: it is another one, or does not add up to what its row says.
///
/// # Errors
///
/// [`StoreError`] where the database fails or a row is damaged.
pub fn read_on(
    store: &Store,
    known: &AnalysisRow,
    growth: &Growth,
) -> Result<Option<(AnalysisRow, Growth)>, StoreError> {
    store.at_one_moment(|| {
        let row = store.analysis(known.id)?.filter(|row| goes_on(known, row));
        let Some(row) = row else {
            return Ok(None);
        };
        let grown = store.nodes_grown_since(row.id, known.passes)?;
        let mut growth = growth.clone();
        let mut lists = Vec::new();
        for KeptNode { id, position, row: kept } in grown {
            let node = growth.find(&PositionKey::of(&position));
            let have = node.map_or(0, |node| growth.graph().list(node).len());
            let answers = store.answers_between(row.profile_id, id, have..kept.admitted)?;
            let answers = answers.into_iter().map(|answer| (answer.uci, answer.score.into()));
            let node = growth.node_of(&position);
            lists.push((node, answers.collect()));
        }
        growth.learn_counts(first_counts(store, &row, &growth, &lists)?);
        growth.learn(facts_behind(store, &row, &growth, &lists)?);
        growth.admit(lists).map_err(|illegal| damaged(store, &row, &illegal))?;
        if row.settings.games.is_some() {
            growth.learn_said(store.said_of_moves(&row, Some(known.passes))?);
        }
        growth.restore(row.passes, store.settled(row.id)?);
        let adds_up = growth.searches() == row.searches && growth.analysed() == row.positions;
        Ok(adds_up.then_some((row, growth)))
    })
}

/// Counts of games at the positions with their first answers.
fn first_counts(
    store: &Store,
    row: &AnalysisRow,
    growth: &Growth,
    lists: &[NewAnswers],
) -> Result<Vec<(PositionKey, MoveCounts)>, StoreError> {
    let Some(games) = row.settings.games else { return Ok(Vec::new()) };
    let mut counts = Vec::new();
    for (node, _) in lists.iter().filter(|(node, _)| growth.graph().list(*node).is_empty()) {
        let position = growth.position(*node);
        let found = store.counts(games.set, &position)?;
        counts.extend(found.map(|found| (PositionKey::of(&position), found)));
    }
    Ok(counts)
}

/// Stored facts of positions that new answers lead to and tablebases may have.
fn facts_behind(
    store: &Store,
    row: &AnalysisRow,
    growth: &Growth,
    lists: &[NewAnswers],
) -> Result<Vec<(PositionKey, Option<Wdl>)>, StoreError> {
    let mut facts = Vec::new();
    for (node, list) in lists {
        let moves = list.iter().map(|(uci, _)| *uci);
        let behind = growth.to_look_up_behind(*node, moves);
        for position in behind.map_err(|illegal| damaged(store, row, &illegal))? {
            let fact = store.fact(&position, row.fact_round)?;
            facts.extend(fact.map(|fact| (PositionKey::of(&position), fact)));
        }
    }
    Ok(facts)
}

/// True if a row is of the same tree after as many passes or more.
fn goes_on(known: &AnalysisRow, row: &AnalysisRow) -> bool {
    let tree = |row: &AnalysisRow| {
        let game = (row.start.clone(), row.history.clone());
        (game, row.kind(), row.fact_round, row.regrown, row.found.clone())
    };
    tree(known) == tree(row) && known.passes <= row.passes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made::pawns;
    use deepanalyze_core::directives::{Directive, Directives};
    use deepanalyze_store::AnalysisRow;

    #[derive(Debug)]
    struct Failed;

    impl From<StoreError> for Failed {
        fn from(_: StoreError) -> Failed {
            Failed
        }
    }

    /// Excludes the first move of the root, as another process does.
    fn exclude(writer: &mut Store, tree: &Tree) {
        let (root, position) = (tree.growth.root(), tree.game.root());
        let uci = tree.growth.graph().moves(root)[0].uci.unpack();
        let key = deepanalyze_core::chess::PositionKey::of(position);
        let change = |set: &mut Directives| {
            set.add(&key, position, Directive::Exclude(uci)).map_err(|_| Failed)
        };
        writer.change_directives(&tree.game, change).unwrap();
    }

    #[test]
    fn tree_and_its_directives_are_read_at_one_moment() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        std::fs::write(&path, pawns()).unwrap();
        let mut writer = Store::open(&path).unwrap();
        let store = Store::open_to_read(&path).unwrap();
        let tree = load_tree(&store, AnalysisId(1)).unwrap();
        // As if passes had come since.
        let Tree { row, game, as_grown, grown_with, directives, .. } = tree;
        let row = AnalysisRow { passes: row.passes - 1, ..row };
        let before = Arc::new(Tree::new(row, game, as_grown, grown_with, directives));
        let mut follower = Follower::new(store, before, Followed::Analysis);
        let read = follower.store.at_one_moment(|| {
            let revision = follower.store.revision(&follower.tree.game)?;
            exclude(&mut writer, &follower.tree);
            follower.changed().map(|(_, now, tree)| (revision == now, tree))
        });
        let (is_same, tree) = read.unwrap();
        assert!(is_same && tree.unwrap().directives.is_empty(), "what came later is not read yet");
        assert!(follower.read().unwrap().unwrap().is_pending());
        assert!(follower.read().unwrap().is_none(), "nothing has changed since");
    }
}
