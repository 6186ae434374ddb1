//! What a run tells while it works. It never prints: an [`Observer`] does.

use std::time::{Duration, Instant};

use shakmaty::Chess;

use crate::analysis::BestLine;
use crate::engine::{EngineError, Notice};
use crate::tree::Settled;

/// How far a run has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The depth that is being settled.
    pub depth: u32,
    /// The depth that the run is to settle.
    pub target: u32,
    /// The pass that is being served, from 1.
    pub pass: u64,
    /// Analysed positions.
    pub positions: u64,
    /// Answers in the tree.
    pub admitted: u64,
    /// Searches that engines finished in this run.
    pub searches: u64,
    /// Engine nodes of this run.
    pub nodes: u64,
    /// Positions of this pass that still want a search.
    pub waiting: usize,
    /// Engines at work.
    pub busy: usize,
    /// Engines that work or could be started.
    pub engines: usize,
    /// What time it is.
    pub now: Instant,
    /// When the run began.
    pub started: Instant,
    /// When its time is up.
    pub deadline: Option<Instant>,
    /// The best line so far.
    pub best: Option<&'a BestLine>,
}

impl Progress<'_> {
    /// How long the run has worked.
    pub fn elapsed(&self) -> Duration {
        self.now.saturating_duration_since(self.started)
    }

    /// Finished searches per second.
    pub fn searches_per_second(&self) -> f64 {
        let seconds = self.elapsed().as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "for people")]
        let searches = self.searches as f64;
        if seconds > 0.0 { searches / seconds } else { 0.0 }
    }
}

/// Who is told.
pub trait Observer {
    /// Something moved.
    fn progress(&mut self, progress: &Progress<'_>);
    /// A depth is settled.
    fn settled(&mut self, settled: &Settled, best: Option<&BestLine>, elapsed: Duration);
    /// An engine failed at the search of a position, or at its start; it is tried again. The attempt
    /// is the position's, or the start's, in a row.
    fn fault(&mut self, error: &EngineError, attempt: u32, position: Option<&Chess>);
    /// Engines were left out, or are back.
    fn notice(&mut self, notice: &Notice);
    /// The run cannot go on before somebody else lets it, and why.
    fn waiting(&mut self, why: &str) {
        let _ = why;
    }
    /// So many searches of a rehearsal and the closing search behind it are done.
    fn closing(&mut self, done: usize, searches: usize, elapsed: Duration) {
        let _ = (done, searches, elapsed);
    }
    /// The run is ending before its depth is settled, and why.
    fn stopping(&mut self, why: &str);
}
