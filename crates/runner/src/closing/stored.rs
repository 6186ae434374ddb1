//! A stored closing search beside a growing tree.

use std::sync::Arc;

use deepanalyze_core::chess::{DrawValue, Game};
use deepanalyze_store::{AnalysisId, Store, StoreError};
use deepanalyze_view::{ChosenBy, Closing, Line, Verdict, best_closing};

/// The closing search shown for a root, and what the trees had spent when the stage began.
#[derive(Debug)]
pub struct StoredClosing {
    closing: Closing,
    draw: DrawValue,
    /// Spent by the tree of the stage before, which counts until this one has come far enough.
    before: u64,
    /// The own tree's cost then, and the run's.
    own: u64,
    run: u64,
}

impl StoredClosing {
    /// For an analysis that follows another, in a run that has spent `run` nodes; `None` if no
    /// closing search is kept.
    pub fn of(
        store: &Store,
        game: &Game,
        (analysis, before): (AnalysisId, Option<AnalysisId>),
        run: u64,
    ) -> Result<Option<StoredClosing>, StoreError> {
        let Some(row) = store.analysis(analysis)? else { return Ok(None) };
        let before = before.map(|before| store.analysis(before)).transpose()?.flatten();
        let speaks = before.as_ref().unwrap_or(&row);
        let Some(closing) = best_closing(store, speaks, game.root())? else { return Ok(None) };
        let (draw, before) = (row.settings.draw, before.map_or(0, |before| before.nodes));
        Ok(Some(StoredClosing { closing, draw, before, own: row.nodes, run }))
    }

    /// The verdict if it is the closing search's choice, beside lines of the stage before or of the
    /// stage's own tree, after `run` nodes of the run. Approximate: a run's nodes may exceed those
    /// of the admitted answers.
    pub fn told(&self, lines: &[Line], are_own: bool, run: u64) -> Option<Arc<Verdict>> {
        let own = self.own.saturating_add(run.saturating_sub(self.run));
        let spent = if are_own { own } else { self.before };
        let told = Verdict::of(lines.first()?, spent, self.draw, Some(&self.closing))?;
        (told.by == ChosenBy::Closing).then(|| Arc::new(told))
    }
}
