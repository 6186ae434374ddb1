//! How a batch looks while it works: which root is being grown.

use shakmaty::Chess;

use crate::printer::Printer;
use crate::progress::Follower;
use crate::progress::{Reporter, time};
use deepanalyze_report::{count, describe_depth};
use deepanalyze_runner::{End, Exhausted, RunEvent, RunOutcome, Snapshot};

/// Puts into words how a batch goes.
pub struct BatchReporter {
    reporter: Reporter,
    is_verbose: bool,
    count: usize,
    /// The root that has its turn.
    index: usize,
    current: String,
}

impl BatchReporter {
    /// Tells of so many roots.
    pub fn new(reporter: Reporter, is_verbose: bool, count: usize) -> BatchReporter {
        BatchReporter { reporter, is_verbose, count, index: 0, current: String::new() }
    }

    /// A line that stays.
    pub fn line(&self, text: &str) {
        self.reporter.line(text);
    }

    /// Takes the live line away.
    pub fn clear(&self) {
        self.reporter.clear();
    }

    fn root_begins(&mut self, index: usize, name: &str, root: &Chess) {
        let width = self.count.to_string().len();
        self.index = index;
        self.current = format!("{:>width$}/{} {name}", index + 1, self.count);
        self.reporter.turn_to(self.current.clone(), root);
        if self.is_verbose {
            self.line(&self.current);
        }
    }

    fn root_ends(&self, outcome: &Result<Box<RunOutcome>, String>) {
        let text = match outcome {
            Ok(outcome) => self.came_to(outcome),
            Err(error) => format!("failed: {error}"),
        };
        self.line(&format!("{}: {text}", self.current));
    }

    /// What a root has come to.
    fn came_to(&self, outcome: &RunOutcome) -> String {
        if let Some(end) = outcome.exhausted.and_then(Exhausted::end_of_root) {
            return end.to_owned();
        }
        let depth = describe_depth(outcome.settled_depth);
        let how = match outcome.ending {
            End::Settled => "",
            End::Stable => ", stable",
            End::Limit => ", limit reached",
            End::Interrupted => ", interrupted",
        };
        let best = outcome.best.as_ref().map(|best| self.reporter.best_line(best));
        format!(
            "{} (depth {depth}{how}, {}, {})",
            best.unwrap_or("no answer yet".to_owned()),
            count(outcome.searches, "search"),
            time(outcome.elapsed),
        )
    }
}

impl Follower for BatchReporter {
    fn printer(&self) -> &Printer {
        self.reporter.printer()
    }

    fn event(&mut self, event: RunEvent) {
        match event {
            RunEvent::Settled { .. } if !self.is_verbose => {}
            RunEvent::DoneBefore(0) => {}
            RunEvent::DoneBefore(done) => {
                self.line(&format!("{done} of {} done before", self.count))
            }
            RunEvent::RootBegins { index, name, root } => self.root_begins(index, &name, &root),
            RunEvent::RootEnds { outcome, .. } => self.root_ends(&outcome),
            event => self.reporter.event(event),
        }
    }

    fn snapshot(&mut self, snapshot: &Snapshot) {
        // The newest may still be about the root before.
        if snapshot.root == self.index {
            self.reporter.snapshot(snapshot);
        }
    }
}
