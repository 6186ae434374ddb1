//! A duel's progress on standard error.

use std::time::{Duration, Instant};

use deepanalyze_engine::{EngineError, PoolNotice};

use crate::duel::side_by_side::Watcher;
use crate::teller::Teller;

/// Pause between lines of progress.
const INTERVAL: Duration = Duration::from_secs(10);

/// Words for a duel's progress, for a person or a log file.
pub struct DuelReporter {
    teller: Teller,
    positions: usize,
    /// Positions done at the last printed line.
    told: usize,
    last: Instant,
    started: Instant,
    searches: u64,
}

impl DuelReporter {
    /// A reporter that writes to a teller.
    pub fn new(teller: Teller, positions: usize) -> DuelReporter {
        let now = Instant::now();
        DuelReporter { teller, positions, told: 0, last: now, started: now, searches: 0 }
    }

    /// Prints one line.
    pub fn line(&self, text: &str) {
        self.teller.line(text);
    }

    /// Prints the run's cost.
    pub fn end(&self) {
        let took = time(self.started.elapsed());
        self.line(&format!("{} searches in this run, {took}", self.searches));
    }

    fn status(&self, done: usize, nodes: u64) -> String {
        let elapsed = self.started.elapsed();
        let mut status = format!(
            "{done}/{} positions · {} searches, {:.1} million nodes · {}",
            self.positions,
            self.searches,
            millions(nodes),
            time(elapsed)
        );
        if let (Ok(done), Ok(left)) = (u32::try_from(done), u32::try_from(self.positions - done))
            && done > 0
            && left > 0
        {
            status += &format!(" · about {} left", time(elapsed / done * left));
        }
        status
    }
}

impl Watcher for DuelReporter {
    fn progress(&mut self, done: usize, searches: u64, nodes: u64) {
        self.searches = searches;
        if self.last.elapsed() >= INTERVAL && done > self.told {
            (self.last, self.told) = (Instant::now(), done);
            self.line(&self.status(done, nodes));
        }
    }

    fn fault(&mut self, error: &EngineError, attempt: u32) {
        self.line(&format!("warning: attempt {attempt} failed, trying again: {error}"));
    }

    fn notice(&mut self, notice: &PoolNotice) {
        self.line(&format!("note: {notice}"));
    }

    fn waiting(&mut self, why: &str) {
        self.line(&format!("warning: {why}; waiting for it"));
    }
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn millions(nodes: u64) -> f64 {
    nodes as f64 / 1e6
}

fn time(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds / 60 {
        0 => format!("{seconds}.{}s", duration.subsec_millis() / 100),
        minutes => format!("{minutes}m{:02}s", seconds % 60),
    }
}
