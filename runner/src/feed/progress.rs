//! What a run tells while it works. It never prints: whoever observes it does, on a thread of its own.

use std::sync::Arc;
use std::time::Duration;

use shakmaty::Chess;

use crate::grow::End;
use deepanalyze_core::directives::Directives;
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::Settled;
use deepanalyze_engine::{EngineError, PoolNotice};
use deepanalyze_report::BestLine;

/// The stage that a run's best lines are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speaking {
    /// The limit of its searches.
    pub limit: Limit,
    /// The depth that it has settled.
    pub settled: Option<u32>,
}

/// How far a run has come.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    /// The limit of the searches; none before a run has begun.
    pub limit: Option<Limit>,
    /// The depth that is being settled, or the target where the run has come to its end.
    pub depth: u32,
    /// The depth that the run is to settle.
    pub target: u32,
    /// The greatest settled depth.
    pub settled: Option<u32>,
    /// The passes that are done.
    pub passes: u64,
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
    /// How long the run has worked.
    pub elapsed: Duration,
    /// How long it may still work.
    pub left: Option<Duration>,
    /// The best line so far; that of the stage before, where this one has not come far enough.
    pub best: Option<Arc<BestLine>>,
    /// The next best lines, where the plan asks for several.
    pub others: Arc<[BestLine]>,
    /// Of which stage these lines are.
    pub speaking: Option<Speaking>,
    /// How the run ended.
    pub ending: Option<End>,
}

impl Progress {
    /// Finished searches per second.
    pub fn searches_per_second(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "for people")]
        let searches = self.searches as f64;
        if seconds > 0.0 { searches / seconds } else { 0.0 }
    }
}

/// Who is told. The run's own thread tells: nothing here may wait, or engines are left without work and
/// answers unsaved. [`Publisher`](crate::Publisher) passes all on to readers on other threads.
pub trait Observer {
    /// Something moved. The last of a run says how it ended.
    fn progress(&mut self, progress: Progress);
    /// A stage begins, whose searches go to this limit.
    fn stage_begins(&mut self, limit: Limit) {
        let _ = limit;
    }
    /// A depth is settled.
    fn settled(&mut self, settled: &Settled, best: Option<&Arc<BestLine>>, elapsed: Duration);
    /// An engine failed at the search of a position, or at its start; it is tried again. The attempt
    /// is the position's, or the start's, in a row.
    fn fault(&mut self, error: &EngineError, attempt: u32, position: Option<&Chess>);
    /// Engines were left out, or are back.
    fn notice(&mut self, notice: &PoolNotice);
    /// The root is new, and has begun with a copy of so many directives of the game that was so many plies
    /// shorter.
    fn copied(&mut self, count: usize, plies: usize) {
        let _ = (count, plies);
    }
    /// The run has taken over other directives, and grows its tree again; what the tree that there was says
    /// under them.
    fn directed(&mut self, directives: &Directives, verdict: Option<&Arc<BestLine>>) {
        let _ = (directives, verdict);
    }
    /// Something is missing from now on, a file of endgame tables or an answer, and why.
    fn warn(&mut self, why: &str) {
        let _ = why;
    }
    /// Tables have come that know positions of the tree: it is grown again.
    fn tables_have_come(&mut self) {}
    /// A worker is found wrong: so many answers are taken back, and searched again; so many trees stood on them.
    fn taken_back(&mut self, answers: u64, trees: u64) {
        let _ = (answers, trees);
    }
    /// So many searches of a rehearsal and the closing search behind it are done.
    fn closing(&mut self, done: usize, searches: usize, elapsed: Duration) {
        let _ = (done, searches, elapsed);
    }
    /// The run is ending before its depth is settled, and why.
    fn stopping(&mut self, why: &str);
}
