//! The events of a run as lines.

use std::time::{Duration, Instant};

use shakmaty::{Chess, Position};

use deepanalyze_core::directives::Directives;
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::Settled;
use deepanalyze_engine::EngineError;
use deepanalyze_runner::{
    ClosingProgress, Exhausted, Progress, RecheckProgress, RunEnd, RunEvent, RunOutcome, Snapshot,
};
use deepanalyze_view::{
    Closing, Line, Rechecked, count, cut, describe_closing, describe_copied, describe_depth,
    describe_nodes, describe_rechecked, numbered_line, numbered_move, pawns, seen,
};

use super::reporter::Reporter;
use super::{directed_line, invalidated, notice_line, time};

/// Without a terminal, how often a line reports progress.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);
/// The columns that the line of a closing search has in the live line.
const CLOSING_LINE: usize = 30;

/// How long is left, where that is known, or how long it has taken.
fn clock(elapsed: Duration, left: Option<Duration>) -> String {
    left.map_or_else(|| time(elapsed), |left| format!("{} left", time(left)))
}

impl Reporter {
    fn pass(&mut self, progress: &Progress) {
        self.last_plain = Instant::now();
        self.line(&self.status(progress));
    }

    fn settled(&mut self, settled: &Settled, best: Option<&Line>, elapsed: Duration) {
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
        self.line(&cut(&row, self.row()));
    }

    fn stage_begins(&mut self, limit: Limit) {
        self.has_heading = false;
        self.line(&format!("engine {limit}"));
    }

    fn directed(&mut self, directives: Directives, best: Option<&Line>) {
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

    fn closing(&mut self, closing: &ClosingProgress) {
        let ClosingProgress { other, best, nodes, engines: _, elapsed, left } = closing;
        let best = best.as_ref().map(|best| {
            let score = seen(best.score, self.start.turn(), self.pov);
            let line = numbered_line(&self.start, &best.line);
            format!("{} · depth {}", cut(&format!("{score} {line}"), CLOSING_LINE), best.depth)
        });
        let nodes = (*nodes > 0).then(|| describe_nodes(*nodes));
        let clock = clock(*elapsed, *left);
        let what = other.clone().unwrap_or_else(|| "closing search".to_owned());
        let parts = self.subject.iter().cloned().chain([what]);
        let parts = parts.chain(best).chain(nodes).chain([clock]);
        self.show_status(parts.collect::<Vec<String>>().join(" · "));
    }

    /// In the live line, or once in a while as a plain one.
    fn show_status(&mut self, status: String) {
        if self.printer.is_live() {
            self.printer.status(status);
        } else if self.last_plain.elapsed() >= PLAIN_INTERVAL {
            self.last_plain = Instant::now();
            self.line(&status);
        }
    }

    fn recheck(&mut self, recheck: &RecheckProgress) {
        let RecheckProgress { best, value, asked, leaves, within, elapsed, left, .. } = recheck;
        let best = best.as_ref().zip(*value).map(|(best, value)| {
            let score = seen(value, self.start.turn(), self.pov);
            format!("{} {score}", numbered_move(&self.start, best.uci))
        });
        let asked = format!("{asked} of {leaves} scores searched again");
        let within = format!("off by {}", pawns(*within));
        let clock = clock(*elapsed, *left);
        let parts = self.subject.iter().cloned().chain(best).chain([asked, within, clock]);
        self.show_status(parts.collect::<Vec<String>>().join(" · "));
    }

    /// Reports a recheck, if several roots have their turns.
    fn rechecked(&self, checked: &Rechecked) {
        if self.roots.is_some_and(|roots| roots > 1) {
            self.line_of_root(&describe_rechecked(&self.start, checked, self.pov));
        }
    }

    /// Reports the end of a closing search.
    fn closed(&self, closing: &Closing) {
        let tree_limit = closing.asked.tree_limit;
        let told = describe_closing(&self.start, closing, tree_limit, self.pov);
        let words = if self.subject.is_some() { "closing search: " } else { "closing   " };
        self.line_of_root(&format!("{words}{told}"));
    }

    fn root_begins(&mut self, index: usize, name: &str, root: &Chess) {
        let count = self.roots.unwrap_or(1);
        let width = count.to_string().len();
        let subject = format!("{:>width$}/{count} {name}", index + 1);
        if self.is_verbose {
            self.line(&subject);
        }
        self.root = index;
        self.fullmove = root.fullmoves().get();
        self.start = root.clone();
        self.has_heading = false;
        self.subject = Some(subject);
        self.directed = Directives::default();
    }

    fn root_ends(&self, outcome: &Result<Box<RunOutcome>, String>) {
        self.line_of_root(&match outcome {
            Ok(outcome) => self.root_came_to(outcome),
            Err(error) => format!("failed: {error}"),
        });
    }

    /// Result of one root of several.
    fn root_came_to(&self, outcome: &RunOutcome) -> String {
        if let Some(end) = outcome.exhausted.and_then(Exhausted::end_of_root) {
            return end.to_owned();
        }
        let depth = describe_depth(outcome.settled_depth);
        let how = match outcome.ending {
            RunEnd::Settled => "",
            RunEnd::Stable => ", stable",
            RunEnd::Limit => ", limit reached",
            RunEnd::Interrupted => ", interrupted",
        };
        let best = outcome.best().map(|best| self.best_line(best));
        format!(
            "{} (depth {depth}{how}, {}, {})",
            best.unwrap_or("no answer yet".to_owned()),
            count(outcome.searches, "search"),
            time(outcome.elapsed),
        )
    }

    /// Reports an event.
    pub(super) fn event(&mut self, event: RunEvent) {
        match event {
            RunEvent::StageBegins(limit) => self.stage_begins(limit),
            RunEvent::Closed(closing) => self.closed(&closing),
            RunEvent::Second { word, told } => {
                let words = if self.subject.is_some() { "" } else { "second    " };
                let word = word.describe(&self.start, told, self.pov);
                self.line_of_root(&format!("{words}{word}"));
            }
            RunEvent::Rechecked(checked) => self.rechecked(&checked),
            RunEvent::Pass(snapshot) => self.pass(&snapshot.progress),
            // Of many roots that would be too much.
            RunEvent::Settled { .. } if self.roots.is_some() && !self.is_verbose => {}
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
                let known = "new tablebases cover positions of this tree";
                self.line_of_root(&format!("note: {known}: growing it again"));
            }
            RunEvent::Found(moves) => {
                let moves = moves.iter().map(|uci| numbered_move(&self.start, *uci));
                let moves = moves.collect::<Vec<_>>().join(", ");
                self.line_of_root(&format!(
                    "note: the tree follows {moves} from now on (found by a closing search)"
                ));
            }
            RunEvent::Invalidated { answers, trees } => self.line(&invalidated(answers, trees)),
            RunEvent::Waiting(why) => self.line(&format!("warning: {why}; waiting for it")),
            RunEvent::Stopping(why) => {
                self.line(&format!("{why}: saving the answers; once more to quit at once"));
            }
            RunEvent::DoneBefore(done) if done > 0 => {
                let count = self.roots.unwrap_or(1);
                self.line(&format!("{done} of {count} done before"));
            }
            RunEvent::RootBegins { index, name, root } => self.root_begins(index, &name, &root),
            RunEvent::RootEnds { outcome, .. } => self.root_ends(&outcome),
            RunEvent::Progress(_)
            | RunEvent::Closing(_)
            | RunEvent::Recheck(_)
            | RunEvent::DoneBefore(_) => {}
        }
    }

    /// Tells how far the run has come.
    pub(super) fn snapshot(&mut self, snapshot: &Snapshot) {
        // The newest may still be about the root before.
        if snapshot.root != self.root {
            return;
        }
        if let Some(recheck) = &snapshot.recheck {
            return self.recheck(recheck);
        }
        match &snapshot.closing {
            Some(closing) => self.closing(closing),
            None if snapshot.progress.ending.is_none() => {
                self.show_status(self.status(&snapshot.progress))
            }
            None => {}
        }
    }
}
