//! How games end by the engine's word: win, draw and loss behind moves of a tree, each from the
//! position at the end of the move's best line.

use shakmaty::Position;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{Ending, GivenValue};
use deepanalyze_core::search::{Profile, WinDrawLoss};
use deepanalyze_core::tree::{Growth, LineEnd, NodeId, line_end};
use deepanalyze_store::{ProfileId, Store, StoreError};

use crate::best_line::best_moves;

/// Prefix of the built-in engine's name; the trees of `deepanalyze uci` have another one.
const BUILT_IN: &str = "deepanalyze ";
const TREES: &str = "deepanalyze tree ";

/// True if an engine computes win, draw and loss from the score alone, as the built-in one does.
pub fn are_computed(profile: &Profile) -> bool {
    profile.engine.starts_with(BUILT_IN) && !profile.engine.starts_with(TREES)
}

/// Reads them for a few lines of a tree. Nothing is made up: if the engine has said none at its
/// root, ends have none either.
pub struct Figures<'a> {
    store: &'a Store,
    profile: ProfileId,
    growth: &'a Growth,
    are_said: bool,
}

impl<'a> Figures<'a> {
    /// Of a tree of these answers.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn new(
        store: &'a Store,
        (profile, growth): (ProfileId, &'a Growth),
    ) -> Result<Figures<'a>, StoreError> {
        let root = growth.position(growth.root());
        let first = store.kept_search(profile, &root, 0)?;
        let are_said = first.is_some_and(|first| first.wdl.is_some());
        Ok(Figures { store, profile, growth, are_said })
    }

    /// Of the line of best alphas from the root.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn of_root(&self) -> Result<Option<WinDrawLoss>, StoreError> {
        let (growth, line) = (self.growth, best_moves(self.growth));
        let path = [growth.root()];
        self.of_line(&path, &line, line_end(growth.graph(), growth.values(), &path, &line))
    }

    /// Of a line of best alphas behind a path of the tree from its root, for the side that plays
    /// its first move; `None` if unknown.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn of_line(
        &self,
        path: &[NodeId],
        line: &[UciMove],
        end: LineEnd,
    ) -> Result<Option<WinDrawLoss>, StoreError> {
        let (graph, Some(start)) = (self.growth.graph(), path.last()) else { return Ok(None) };
        let first = graph.turn(*start);
        // For the side to move at the end.
        let (wdl, turn) = match end {
            LineEnd::Tree { position, rank } => {
                let position = self.growth.position(position);
                let kept = self.store.kept_search(self.profile, &position, rank)?;
                (kept.and_then(|kept| kept.wdl), position.turn())
            }
            end => {
                let turn = if line.len().is_multiple_of(2) { first } else { !first };
                (of_end(end).filter(|_| self.are_said), turn)
            }
        };
        Ok(wdl.map(|wdl| if turn == first { wdl } else { wdl.flipped() }))
    }
}

/// Win, draw and loss of an end, without an engine, for the side to move there.
pub fn of_end(end: LineEnd) -> Option<WinDrawLoss> {
    match end {
        LineEnd::Repetition | LineEnd::Value(GivenValue::Draw) => Some(WinDrawLoss::DRAWN),
        LineEnd::Over(Ending::Checkmate) => Some(WinDrawLoss::LOST),
        LineEnd::Over(_) => Some(WinDrawLoss::DRAWN),
        LineEnd::Known(known) => Some(WinDrawLoss::decided(known.value)),
        LineEnd::Value(_) | LineEnd::Elsewhere | LineEnd::Tree { .. } => None,
    }
}
