//! Who analyses for Lichess, as the provider knows them.

use std::fmt;
use std::sync::Arc;

use tokio::sync::watch;

use deepanalyze_runner::session::Report;

use super::question::Question;

/// Analyses positions, several at once where several are asked.
pub trait Analyst: Send + Sync + 'static {
    /// Begins with a position, at once: whatever takes time happens elsewhere.
    ///
    /// # Errors
    ///
    /// Why that cannot be, in words.
    fn begin(&self, question: &Question) -> Result<Analysing, String>;
}

/// A position that is being analysed. Dropped, it is no longer.
pub struct Analysing {
    /// The newest report, none before the first. It ends when nothing is left to find.
    pub reports: watch::Receiver<Option<Arc<Report>>>,
    /// Ends the analysis when it goes.
    pub stop: Box<dyn Send>,
}

impl fmt::Debug for Analysing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Analysing").field("reports", &self.reports).finish_non_exhaustive()
    }
}
