//! How far the best move of a tree is to be trusted: by the engine's scores, and by what became of other verdicts.

use deepanalyze_core::directives::Directives;
use deepanalyze_core::tree::{Growth, Stability, best_root_move, stability};
use deepanalyze_store::{AnalysisRow, Store, StoreError, Verdict};

use super::chance::{Stays, VerdictsSoFar};
use super::live_tree::LiveTree;
use super::staged::Stages;

/// How far the best move of a root is to be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    /// By how much which of the engine's scores would have to be wrong for another move; nothing where the root has
    /// no second move that counts.
    pub stability: Option<Stability>,
    /// The chance that it stays when the engine searches deeper, where it is known.
    pub stays: Option<Stays>,
}

impl Trust {
    /// That of a tree as it was read, with what its stages have settled by now.
    ///
    /// # Errors
    ///
    /// Where the database fails.
    pub fn of(store: &Store, tree: &LiveTree) -> Result<Trust, StoreError> {
        let growth = &*tree.growth;
        let stability = stability(growth.graph(), growth.values(), growth.root());
        if tree.is_pending() {
            return Ok(Trust { stability, stays: None });
        }
        store.at_one_moment(|| {
            let stages = Stages::of(store, tree.row.clone())?;
            let verdicts = store.verdicts(tree.row.id)?;
            let grown = (growth, &tree.grown_with);
            let stays = stays(store, (&stages, &tree.row, &verdicts), grown)?;
            Ok(Trust { stability, stays })
        })
    }
}

/// The chance that the best move of an analysis stays; nothing where it is not known, or the move has no rival.
pub(super) fn stays(
    store: &Store,
    (stages, row, verdicts): (&Stages, &AnalysisRow, &[Verdict]),
    (growth, grown_with): (&Growth, &Directives),
) -> Result<Option<Stays>, StoreError> {
    let so_far = VerdictsSoFar::of(store, stages, row, grown_with)?;
    let stays = so_far.and_then(|so_far| so_far.with(verdicts).stays());
    Ok(stays.filter(|stays| is_open(growth, stays)))
}

/// Whether another move than the one that stays could be the best: the root has several, and no depth under way has
/// found another one already.
fn is_open(growth: &Growth, stays: &Stays) -> bool {
    let (graph, root) = (growth.graph(), growth.root());
    let best = best_root_move(graph, growth.values(), root);
    graph.moves(root).len() > 1 && best.is_some_and(|(best, _)| best == stays.best)
}
