//! A kept tree, read back from the store.

use deepanalyze_core::chess::{Game, TableMove};
use deepanalyze_core::directives::Directives;
use deepanalyze_core::tree::{Growth, Selection};
use deepanalyze_store::{AnalysisId, AnalysisRow, CoursePoint, Store, StoreError, Verdict};

use super::chance::Stays;
use super::closing::{Closing, best_closing};
use super::facts::first_facts;
use super::reading::read_tree;
use super::rows::KeptRows;
use super::staged::{StageVerdict, Stages};
use super::trust::stays;

/// For so many positions room is made at once, whatever number a row gives.
const MOST_ROOM: usize = 1 << 20;

/// An analysis as the store has it at one moment.
#[derive(Debug)]
pub struct KeptTree {
    /// Its row.
    pub row: AnalysisRow,
    /// The game up to the root.
    pub game: Game,
    /// The tree, ready to print or to grow on.
    pub growth: Growth,
    /// The directives that it was grown with.
    pub directives: Directives,
    /// Those of its root now, notes among them.
    pub said: Directives,
    /// What the rows of its analysed positions hold.
    pub rows: KeptRows,
    /// What each settled depth made of the root, depth 0 first.
    pub verdicts: Vec<Verdict>,
    /// The passes that changed the root's best move or its alpha.
    pub course: Vec<CoursePoint>,
    /// Of the closing searches of all stages the one of the most nodes.
    pub closing: Option<Closing>,
    /// The moves of the root, the best first, where tables know it.
    pub table_moves: Vec<TableMove>,
    /// The stages that it is one of, the shallowest engine depth first; itself among them.
    pub stages: Vec<StageVerdict>,
    /// The chance that the best move stays when the engine searches deeper, where it is known.
    pub stays: Option<Stays>,
}

impl KeptTree {
    /// Whether the root has other directives by now: `grow` will grow the tree again.
    pub fn is_pending(&self) -> bool {
        self.said.of_tree() != self.directives
    }
}

/// Reads an analysis: the admitted lists as the last pass left them, no replay.
///
/// # Errors
///
/// [`StoreError`] where the database fails, has no such analysis, or an admitted answer is missing.
pub fn load(store: &Store, id: AnalysisId) -> Result<KeptTree, StoreError> {
    let damaged = |what: &str| StoreError::Damaged {
        path: store.path().to_owned(),
        what: format!("analysis {}: {what}", id.0),
    };
    store.at_one_moment(|| {
        let row = store.analysis(id)?.ok_or_else(|| damaged("there is no such row"))?;
        let game = row.game();
        let game = game.ok_or_else(|| damaged("its root or game history cannot be played"))?;
        let (directives, said) = (store.grown_with(id)?, store.directives(&game)?);
        let (breadth, wishes) = (row.breadth.clone(), directives.wishes());
        let facts = first_facts(store, &game, row.tables, row.fact_round)?;
        let mut growth = Growth::new(&game, Selection { breadth, wishes, facts });
        growth.reserve(usize::try_from(row.positions).unwrap_or(MOST_ROOM).min(MOST_ROOM));
        let (mut growth, rows) = read_tree(store, &row, growth)?;
        let (verdicts, course) = (store.verdicts(id)?, store.course(id)?);
        growth.restore(row.passes, verdicts.iter().map(|verdict| verdict.settled).collect());
        if growth.searches() != row.searches || growth.analysed() != row.positions {
            return Err(damaged("its positions do not add up"));
        }
        let stages = Stages::of(store, row.clone())?;
        let closing = best_closing(store, stages.rows(), (&game, &directives))?;
        let is_as_said = said.of_tree() == directives;
        let grown = (&growth, &directives);
        let stays =
            if is_as_said { stays(store, (&stages, &row, &verdicts), grown)? } else { None };
        let stages = stages.verdicts(store)?;
        let is_known = growth.graph().known(growth.root()).is_some();
        let table_moves = if is_known { store.table_moves(game.root())? } else { Vec::new() };
        Ok(KeptTree {
            row,
            game,
            growth,
            directives,
            said,
            rows,
            verdicts,
            course,
            closing,
            table_moves,
            stages,
            stays,
        })
    })
}
