//! A kept tree, read back from the store.

use crate::chess::{Game, Value};
use crate::store::{AnalysisId, AnalysisRow, Course, KeptNode, Store, StoreError, Verdict};
use crate::tree::{Growth, NodeId};

use super::closing::{Closing, closings};

/// An analysis as the store has it at one moment.
#[derive(Debug)]
pub struct KeptTree {
    /// Its row.
    pub row: AnalysisRow,
    /// The game up to the root.
    pub game: Game,
    /// The tree, ready to print or to grow on.
    pub growth: Growth,
    /// Its analysed positions, as their rows have them.
    pub nodes: Vec<(NodeId, KeptNode)>,
    /// What each settled depth made of the root, depth 0 first.
    pub verdicts: Vec<Verdict>,
    /// The passes that changed the root's best move or its alpha.
    pub course: Course,
    /// The closing search of the most passes, of those the one of the most nodes.
    pub closing: Option<Closing>,
}

/// Reads an analysis: the admitted lists as the last pass left them, no replay.
///
/// # Errors
///
/// [`StoreError`] where the database fails, has no such analysis, or an admitted answer is missing.
pub fn load(store: &Store, id: AnalysisId) -> Result<KeptTree, StoreError> {
    let (row, kept, history, closing) = store.at_one_moment(|| {
        let row = store.analysis(id)?;
        let history = row.as_ref().map(|_| history(store, id)).transpose()?;
        let closing = row.as_ref().map(|row| last_closing(store, row)).transpose()?;
        Ok::<_, StoreError>((row, store.kept_tree(id)?, history, closing.flatten()))
    })?;
    let damaged = |what: &str| StoreError::Damaged {
        path: store.path().to_owned(),
        what: format!("analysis {}: {what}", id.0),
    };
    let missing = || damaged("there is no such row");
    let (row, (verdicts, course)) = row.zip(history).ok_or_else(missing)?;
    let game = row.game().ok_or_else(|| damaged("its root or game history cannot be played"))?;
    let mut growth = Growth::new(&game, row.distance);
    let nodes: Vec<(NodeId, KeptNode)> =
        kept.into_iter().map(|node| (growth.node_of(&node.position), node)).collect();
    let lists = nodes.iter().map(|(node, kept)| {
        let answers = kept.answers.iter();
        (*node, answers.map(|answer| (answer.uci, Value::from(answer.score))).collect())
    });
    growth.admit(lists.collect());
    growth.restore(row.passes, verdicts.iter().map(|verdict| verdict.settled).collect());
    if growth.searches() != row.searches || growth.analysed() != row.positions {
        return Err(damaged("its positions do not add up"));
    }
    Ok(KeptTree { row, game, growth, nodes, verdicts, course, closing })
}

fn last_closing(store: &Store, row: &AnalysisRow) -> Result<Option<Closing>, StoreError> {
    let game = row.game();
    let closings = game.map(|game| closings(store, row, &game)).transpose()?;
    Ok(closings.and_then(|mut closings| closings.pop()))
}

fn history(store: &Store, id: AnalysisId) -> Result<(Vec<Verdict>, Course), StoreError> {
    Ok((store.verdicts(id)?, store.course(id)?))
}
