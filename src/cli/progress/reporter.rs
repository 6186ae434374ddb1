//! How a run looks on standard error: a live line on a terminal, plain lines elsewhere.

use std::path::Path;
use std::time::{Duration, Instant};

use shakmaty::{Chess, Position};

use crate::analysis::BestLine;
use crate::chess::Score;
use crate::cli::printer::Printer;
use crate::directives::Directives;
use crate::engine::{EngineError, Source};
use crate::render::{
    count, describe_closing, describe_copied, describe_directives, describe_profile, describe_size,
};
use crate::run::{
    ClosingEnd, ClosingProgress, End, Plan, Progress, RunEvent, RunOutcome, SearchedAhead, Snapshot,
};
use crate::search::Profile;
use crate::tree::Settled;

use super::following::Follower;
use super::words::{directed_line, notice_line, numbered_best, time};

/// Without a terminal, how often a line reports progress.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Puts into words how a run goes, for a person or a log file.
pub struct Reporter {
    printer: Printer,
    last_plain: Instant,
    /// Whether the heading over the settled depths is printed.
    has_heading: bool,
    fullmove: u32,
    /// What is being grown, where that changes during the run.
    subject: Option<String>,
    /// The directives that were told last.
    directed: Directives,
}

impl Reporter {
    /// A reporter whose words go to a printer.
    pub fn new(printer: Printer) -> Reporter {
        let last_plain = Instant::now();
        let (subject, directed) = (None, Directives::default());
        Reporter { printer, last_plain, has_heading: false, fullmove: 1, subject, directed }
    }

    /// Turns to another root, which the live line names.
    pub fn turn_to(&mut self, subject: String, root: &Chess) {
        self.fullmove = root.fullmoves().get();
        self.has_heading = false;
        self.subject = Some(subject);
        self.directed = Directives::default();
    }

    /// Says what is going to be done.
    pub fn begin(&mut self, plan: &Plan, profile: &Profile, sources: &[Source], db: &Path) {
        self.fullmove = plan.game.root().fullmoves().get();
        let engines: usize = sources.iter().map(|source| source.engines).sum();
        let processes = if engines == 1 { "process" } else { "processes" };
        self.line(&format!("root      {}", crate::chess::fen_of(plan.game.root())));
        self.line(&format!("engine    {}, {engines} {processes}", describe_profile(profile)));
        for Source { command, engines } in sources.iter().filter(|_| sources.len() > 1) {
            self.line(&format!("          {engines} of {command}"));
        }
        self.line(&format!("tree      distance {}, to depth {}", plan.breadth, plan.depth));
        self.line(&format!("database  {}", db.display()));
        if let Some(end) = crate::chess::Ending::of(plan.game.root()) {
            self.line(&format!("finished  {}: there is nothing to search", end.name()));
        }
    }

    /// Says under which directives, where there are any.
    pub fn begin_directed(&mut self, directives: Directives) {
        if !directives.is_empty() {
            self.line(&format!("directed  {}", describe_directives(&directives)));
        }
        self.directed = directives;
    }

    /// Says what was done, and how to go on.
    pub fn end(&self, outcome: &RunOutcome, db: &Path, show: &str) {
        let how = match outcome.ending {
            End::Settled => "settled",
            End::Limit => "limit reached",
            End::Interrupted => "interrupted",
        };
        let settled = outcome.settled_depth.map_or("no depth".to_owned(), |d| format!("depth {d}"));
        self.line(&format!("{how}: {settled} is settled"));
        let size = describe_size(outcome.positions, outcome.admitted);
        self.line(&format!("tree      {size}"));
        let searches = count(outcome.searches, "search");
        self.line(&format!("this run  {searches} in {}{}", time(outcome.elapsed), ahead(outcome)));
        if let Some(best) = &outcome.best {
            self.line(&format!("best      {}", self.best_line(best)));
        }
        if outcome.ending != End::Settled {
            let kept = "every answer is kept: the same command goes on from here";
            self.line(&format!("{kept} ({})", db.display()));
        }
        self.line(&format!("see it    {show}"));
    }

    /// Says what the closing search came to; nothing where there was nothing to search.
    pub fn closed(&self, root: &Chess, end: Option<ClosingEnd>) {
        match end {
            Some(ClosingEnd::Done(closing)) => {
                let closing = describe_closing(root, &closing, closing.score);
                self.line(&format!("closing   {closing}"));
            }
            Some(ClosingEnd::Interrupted) => {
                self.line("closing   interrupted: it begins again at the end of the next run");
            }
            None => {}
        }
    }

    /// Takes the live line away.
    pub fn clear(&self) {
        self.printer.clear();
    }

    /// A line that stays.
    pub fn line(&self, text: &str) {
        self.printer.line(text);
    }

    /// A row without the last moves of its line, where a terminal is too narrow for them.
    fn fitting(&self, row: String) -> String {
        let width = terminal_size::terminal_size_of(std::io::stderr()).map(|(width, _)| width.0);
        match width.map(usize::from).filter(|_| self.printer.is_live()) {
            Some(width) if row.chars().count() > width => {
                let kept: String = row.chars().take(width.saturating_sub(2)).collect();
                format!("{} …", kept.rsplit_once(' ').map_or(kept.as_str(), |(kept, _)| kept))
            }
            _ => row,
        }
    }

    /// The best line with its value, the root's move number as the game has it.
    pub fn best_line(&self, best: &BestLine) -> String {
        let value = Score::from(best.value);
        let line = numbered_best(best, self.fullmove, usize::MAX);
        format!("{value} {line}").trim_end().to_owned()
    }

    fn status(&self, progress: &Progress) -> String {
        let mut parts: Vec<String> = self.subject.iter().cloned().collect();
        parts.extend([
            format!("depth {}/{}", progress.depth, progress.target),
            format!("pass {}", progress.passes + 1),
        ]);
        // A narrow terminal cuts the end off: what matters most comes first.
        if let Some(left) = progress.left {
            parts.push(format!("{} left", time(left)));
        }
        if let Some(best) = &progress.best {
            parts.push(Score::from(best.value).to_string());
        }
        parts.extend([
            format!("{} positions", progress.positions),
            format!("{} searches, {} waiting", progress.searches, progress.waiting),
            format!("{:.1}/s", progress.searches_per_second()),
            format!("{}/{} busy", progress.busy, progress.engines),
        ]);
        if let Some(best) = &progress.best {
            parts.push(numbered_best(best, self.fullmove, usize::MAX));
        }
        parts.join(" · ")
    }
}

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
            self.line("depth     time  positions    moves  best line");
        }
        let (depth, positions, moves) = (settled.depth, settled.analysed, settled.searches);
        let time = time(elapsed);
        let row = format!("{depth:>5} {time:>8} {positions:>10} {moves:>8}  {best}");
        self.line(&self.fitting(row));
    }

    fn directed(&mut self, directives: Directives, best: Option<&BestLine>) {
        // A tree that begins has nothing to grow again.
        if best.is_some() || directives != self.directed {
            let best = best.map(|best| self.best_line(best));
            self.line(&directed_line(&directives, best.as_deref()));
            self.has_heading = false;
        }
        self.directed = directives;
    }

    fn fault(&self, error: &EngineError, attempt: u32, position: Option<&Chess>) {
        match position {
            Some(position) => self.line(&format!(
                "warning: {error} on {}; attempt {attempt} failed, trying again",
                crate::chess::fen_of(position)
            )),
            // A machine that is down fails again and again; the log has each time.
            None if attempt == 1 => self.line(&format!("warning: {error}; trying again")),
            None => {}
        }
    }

    fn closing(&mut self, closing: ClosingProgress) {
        let ClosingProgress { done, searches, elapsed } = closing;
        let rehearsed = format!("{done} of {} positions rehearsed", searches.saturating_sub(1));
        let status = match done + 1 < searches {
            true => format!("closing search · {rehearsed} · {}", time(elapsed)),
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

impl Follower for Reporter {
    fn printer(&self) -> &Printer {
        &self.printer
    }

    fn event(&mut self, event: RunEvent) {
        match event {
            RunEvent::Pass(snapshot) => self.pass(&snapshot.progress),
            RunEvent::Settled { settled, best, elapsed } => {
                self.settled(&settled, best.as_deref(), elapsed);
            }
            RunEvent::Fault { error, attempt, position } => {
                self.fault(&error, attempt, position.as_ref());
            }
            RunEvent::Copied { directives, plies } => {
                self.line(&format!("note: {}", describe_copied(directives, plies)));
            }
            RunEvent::Directed { directives, verdict } => {
                self.directed(directives, verdict.as_deref());
            }
            RunEvent::Notice(notice) => self.line(&notice_line(&notice)),
            RunEvent::Waiting(why) => self.line(&format!("warning: {why}; waiting for it")),
            RunEvent::Stopping(why) => {
                self.line(&format!("{why}: keeping what is answered; once more to leave at once"));
            }
            RunEvent::DoneBefore(_) | RunEvent::RootBegins { .. } | RunEvent::RootEnds { .. } => {}
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

/// What was searched before it was asked for.
fn ahead(outcome: &RunOutcome) -> String {
    match outcome.ahead {
        SearchedAhead { searched: 0, .. } => String::new(),
        SearchedAhead { searched, used } => {
            format!(", {searched} of them ahead of need, {used} of those used")
        }
    }
}
