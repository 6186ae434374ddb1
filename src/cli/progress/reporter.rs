//! How a run looks on standard error: a live line on a terminal, plain lines elsewhere.

use std::path::Path;
use std::time::Instant;

use shakmaty::{Chess, Position};

use crate::analysis::BestLine;
use crate::chess::Score;
use crate::cli::printer::Printer;
use crate::directives::Directives;
use crate::engine::Source;
use crate::render::{
    count, describe_closing, describe_directives, describe_profile, describe_size,
};
use crate::run::{ClosingEnd, End, Plan, Progress, RunOutcome, SearchedAhead};
use crate::search::Profile;

use super::words::{numbered_best, time};

/// Puts into words how a run goes, for a person or a log file.
pub struct Reporter {
    pub(super) printer: Printer,
    pub(super) last_plain: Instant,
    /// Whether the heading over the settled depths is printed.
    pub(super) has_heading: bool,
    pub(super) fullmove: u32,
    /// What is being grown, where that changes during the run.
    pub(super) subject: Option<String>,
    /// The directives that were told last.
    pub(super) directed: Directives,
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
    pub fn end(&self, outcome: &RunOutcome, db: &Path, show: Option<&str>) {
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
        if let Some(show) = show {
            self.line(&format!("see it    {show}"));
        }
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
    pub(super) fn fitting(&self, row: String) -> String {
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

    pub(super) fn status(&self, progress: &Progress) -> String {
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

/// What was searched before it was asked for.
fn ahead(outcome: &RunOutcome) -> String {
    match outcome.ahead {
        SearchedAhead { searched: 0, .. } => String::new(),
        SearchedAhead { searched, used } => {
            format!(", {searched} of them ahead of need, {used} of those used")
        }
    }
}
