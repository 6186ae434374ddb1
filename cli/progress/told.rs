//! What a run tells while it works, as lines.

use std::time::{Duration, Instant};

use shakmaty::Chess;

use crate::printer::Printer;
use deepanalyze_core::directives::Directives;
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::Settled;
use deepanalyze_engine::EngineError;
use deepanalyze_report::BestLine;
use deepanalyze_report::{cut, describe_copied};
use deepanalyze_runner::{ClosingProgress, Progress, RunEvent, Snapshot};

use super::RunFollower;
use super::reporter::{ROW, Reporter};
use super::words::{directed_line, notice_line, taken_back, time};

/// Without a terminal, how often a line reports progress.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

impl Reporter {
    fn progress(&mut self, progress: &Progress) {
        if self.printer.is_live() {
            self.printer.status(self.status(progress));
        } else if self.last_plain.elapsed() >= PLAIN_INTERVAL {
            self.pass(progress);
        }
    }

    fn pass(&mut self, progress: &Progress) {
        self.last_plain = Instant::now();
        self.line(&self.status(progress));
    }

    fn settled(&mut self, settled: &Settled, best: Option<&BestLine>, elapsed: Duration) {
        let best = best.map(|best| self.best_line(best)).unwrap_or_default();
        if settled.analysed == 0 {
            return;
        }
        if !std::mem::replace(&mut self.has_heading, true) {
            let whose = self.pov.whose();
            self.line(&format!("depth     time  positions    moves  best line, score {whose}"));
        }
        let (depth, positions, moves) = (settled.depth, settled.analysed, settled.searches);
        let time = time(elapsed);
        let row = format!("{depth:>5} {time:>8} {positions:>10} {moves:>8}  {best}");
        self.line(&cut(&row, ROW));
    }

    fn stage_begins(&mut self, limit: Limit) {
        self.has_heading = false;
        self.line(&format!("engine {limit}"));
    }

    fn directed(&mut self, directives: Directives, best: Option<&BestLine>) {
        // A tree that begins has nothing to grow again.
        if best.is_some() || directives != self.directed {
            let best = best.map(|best| self.best_line(best));
            self.line_of_root(&directed_line(&directives, best.as_deref()));
            self.has_heading = false;
        }
        self.directed = directives;
    }

    /// A line that names the root where there are several.
    fn line_of_root(&self, text: &str) {
        match &self.subject {
            Some(root) => self.line(&format!("{root}: {text}")),
            None => self.line(text),
        }
    }

    fn fault(&self, error: &EngineError, attempt: u32, position: Option<&Chess>) {
        match position {
            Some(position) => self.line(&format!(
                "warning: attempt {attempt} at {} failed, trying again: {error}",
                deepanalyze_core::chess::fen_of(position)
            )),
            // A machine that is down fails again and again; the log has each time.
            None if attempt == 1 => self.line(&format!("warning: {error}; trying again")),
            None => {}
        }
    }

    fn closing(&mut self, closing: ClosingProgress) {
        let ClosingProgress { done, searches, elapsed } = closing;
        let status = match done + 1 < searches {
            true => format!("closing search · {done} of {searches} searches · {}", time(elapsed)),
            false => format!("closing search · {}", time(elapsed)),
        };
        if self.printer.is_live() {
            self.printer.status(status);
        } else if self.last_plain.elapsed() >= PLAIN_INTERVAL {
            self.last_plain = Instant::now();
            self.line(&status);
        }
    }
}

impl RunFollower for Reporter {
    fn printer(&self) -> &Printer {
        &self.printer
    }

    fn event(&mut self, event: RunEvent) {
        match event {
            RunEvent::StageBegins(limit) => self.stage_begins(limit),
            RunEvent::Pass(snapshot) => self.pass(&snapshot.progress),
            RunEvent::Settled { settled, best, elapsed } => {
                self.settled(&settled, best.as_deref(), elapsed);
            }
            RunEvent::Fault { error, attempt, position } => {
                self.fault(&error, attempt, position.as_ref());
            }
            RunEvent::Copied { directives, plies } => {
                self.line_of_root(&format!("note: {}", describe_copied(directives, plies)));
            }
            RunEvent::Directed { directives, verdict } => {
                self.directed(directives, verdict.as_deref());
            }
            RunEvent::Notice(notice) => self.line(&notice_line(&notice)),
            RunEvent::Warning(why) => self.line(&format!("warning: {why}")),
            RunEvent::TablesHaveCome => {
                let known = "endgame tables know more of its positions than before";
                self.line_of_root(&format!("note: {known}: the tree is grown again with them"));
            }
            RunEvent::TakenBack { answers, trees } => self.line(&taken_back(answers, trees)),
            RunEvent::Waiting(why) => self.line(&format!("warning: {why}; waiting for it")),
            RunEvent::Stopping(why) => {
                self.line(&format!("{why}: saving the answers; once more to leave at once"));
            }
            RunEvent::Progress(_)
            | RunEvent::Closing(_)
            | RunEvent::DoneBefore(_)
            | RunEvent::RootBegins { .. }
            | RunEvent::RootEnds { .. } => {}
        }
    }

    fn snapshot(&mut self, snapshot: &Snapshot) {
        match snapshot.closing {
            Some(closing) => self.closing(closing),
            None if snapshot.progress.ending.is_none() => self.progress(&snapshot.progress),
            None => {}
        }
    }
}
