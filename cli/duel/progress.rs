//! How a duel looks on standard error while it runs.

use std::time::{Duration, Instant};

use crate::duels::Watcher;
use crate::printer::Printer;
use crate::progress::{notice_line, time};
use deepanalyze_engine::{EngineError, PoolNotice};

/// Without a terminal, how often a line reports progress.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Puts into words how a duel goes, for a person or a log file.
pub struct DuelReporter {
    printer: Printer,
    positions: usize,
    /// Positions that were done when the last line was printed.
    told: usize,
    last: Instant,
    started: Instant,
    searches: u64,
}

impl DuelReporter {
    /// A reporter whose words go to a printer.
    pub fn new(printer: Printer, positions: usize) -> DuelReporter {
        let now = Instant::now();
        DuelReporter { printer, positions, told: 0, last: now, started: now, searches: 0 }
    }

    /// A line that stays.
    pub fn line(&self, text: &str) {
        self.printer.line(text);
    }

    /// Takes the live line away, and says what the run took.
    pub fn end(&self) {
        self.printer.clear();
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
        if self.printer.is_live() {
            self.printer.status(self.status(done, nodes));
        } else if self.last.elapsed() >= PLAIN_INTERVAL && done > self.told {
            (self.last, self.told) = (Instant::now(), done);
            self.line(&self.status(done, nodes));
        }
    }

    fn fault(&mut self, error: &EngineError, attempt: u32) {
        self.line(&format!("warning: attempt {attempt} failed, trying again: {error}"));
    }

    fn notice(&mut self, notice: &PoolNotice) {
        self.line(&notice_line(notice));
    }

    fn waiting(&mut self, why: &str) {
        self.line(&format!("warning: {why}; waiting for it"));
    }
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn millions(nodes: u64) -> f64 {
    nodes as f64 / 1e6
}
