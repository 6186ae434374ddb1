//! A closing search that is kept, beside a tree that grows.

use std::sync::Arc;

use deepanalyze_core::chess::{DrawValue, Game};
use deepanalyze_store::{AnalysisId, Store, StoreError};
use deepanalyze_view::{ChosenBy, Closing, Line, Verdict, best_closing};

/// The closing search that is told of a root, and what the trees had spent when the stage began.
#[derive(Debug)]
pub struct ClosingBeside {
    closing: Closing,
    draw: DrawValue,
    /// What the tree of the stage before has taken, which speaks until this one has come far enough.
    before: u64,
    /// What the stage's own tree had taken, and the run.
    own: u64,
    run: u64,
}

impl ClosingBeside {
    /// That of an analysis which follows another one, in a run that has spent so many nodes; nothing where there is none.
    pub fn of(
        store: &Store,
        game: &Game,
        (analysis, before): (AnalysisId, Option<AnalysisId>),
        run: u64,
    ) -> Result<Option<ClosingBeside>, StoreError> {
        let Some(row) = store.analysis(analysis)? else { return Ok(None) };
        let before = before.map(|before| store.analysis(before)).transpose()?.flatten();
        let speaks = before.as_ref().unwrap_or(&row);
        let Some(closing) = best_closing(store, speaks, game.root())? else { return Ok(None) };
        let (draw, before) = (row.settings.draw, before.map_or(0, |before| before.nodes));
        Ok(Some(ClosingBeside { closing, draw, before, own: row.nodes, run }))
    }

    /// The verdict where it is the closing search's choice, beside lines that are of the stage before or of the stage's own
    /// tree, after so many nodes of the run. About: a run's nodes may be more than those of the answers that are admitted.
    pub fn told(&self, lines: &[Line], are_own: bool, run: u64) -> Option<Arc<Verdict>> {
        let own = self.own.saturating_add(run.saturating_sub(self.run));
        let spent = if are_own { own } else { self.before };
        let told = Verdict::of(lines.first()?, spent, self.draw, Some(&self.closing))?;
        (told.by == ChosenBy::Closing).then(|| Arc::new(told))
    }
}
