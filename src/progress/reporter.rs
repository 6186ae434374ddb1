//! How a run looks on standard error: a live line on a terminal, plain lines elsewhere.

use std::path::Path;
use std::time::Instant;

use shakmaty::{Chess, Position};

use crate::printer::Printer;
use crate::starting::Searchers;
use deepanalyze_core::chess::{Ending, TableEnd};
use deepanalyze_core::directives::Directives;
use deepanalyze_core::search::Profile;
use deepanalyze_engine::EngineSource;
use deepanalyze_runner::{Exhausted, Job, Progress, RunEnd, RunOutcome, SearchedAhead, TreePlan};
use deepanalyze_view::{
    Line, PointOfView, Stays, Verdict, count, cut, describe_chess960, describe_directives,
    describe_games, describe_limit, describe_profile, describe_rechecked, describe_size,
    describe_tables, describe_tree_chance, numbered_line, seen,
};

use super::{best_move, kept, numbered_best, score_of, time};

/// The columns that the best line has in the live line, whatever else there is to say.
const LEAST_LINE: usize = 12;

/// Puts into words how a run goes, for a person or a log file.
pub struct Reporter {
    pub(super) printer: Printer,
    pub(super) last_plain: Instant,
    /// True if the heading over the settled depths is printed.
    pub(super) has_heading: bool,
    pub(super) fullmove: u32,
    /// The root.
    pub(super) start: Chess,
    /// Point of view of the scores.
    pub(super) pov: PointOfView,
    /// Reports passes and looking ahead, too.
    pub(super) is_verbose: bool,
    /// How many roots have their turns, where there are many.
    pub(super) roots: Option<usize>,
    /// Index of the present root.
    pub(super) root: usize,
    /// The present root, if there are several.
    pub(super) subject: Option<String>,
    /// The directives that were told last.
    pub(super) directed: Directives,
}

impl Reporter {
    /// A reporter whose words go to a printer.
    pub fn new(printer: Printer, pov: PointOfView, is_verbose: bool) -> Reporter {
        let last_plain = Instant::now();
        let (subject, directed) = (None, Directives::default());
        Reporter {
            printer,
            last_plain,
            has_heading: false,
            fullmove: 1,
            start: Chess::default(),
            pov,
            is_verbose,
            roots: None,
            root: 0,
            subject,
            directed,
        }
    }

    /// A reporter for this many roots in turns.
    pub fn of_many(self, roots: usize) -> Reporter {
        Reporter { roots: Some(roots), ..self }
    }

    /// Says what is going to be done with a single root, and how the time is divided where there is something to search.
    pub fn begin(
        &mut self,
        job: &Job,
        profile: &Profile,
        searchers: &Searchers,
        db: &Path,
        division: Option<&str>,
    ) {
        let root = job.game.root();
        (self.fullmove, self.start) = (root.fullmoves().get(), root.clone());
        self.line(&format!("root      {}", deepanalyze_core::chess::fen_of(root)));
        if deepanalyze_core::chess::is_chess960(root) {
            self.line(&format!("variant   {}", describe_chess960(root)));
        }
        self.begin_with(profile, searchers, &job.tree, job.depth, db);
        let by_tables = || job.tree.tables.as_ref()?.end_of(&job.game).map(TableEnd::words);
        let end = Ending::of(root).map(Ending::name).or_else(by_tables);
        if let Some(end) = end {
            self.line(&format!("finished  {end}: there is nothing to search"));
        } else if let Some(division) = division {
            self.line(division);
        }
    }

    /// Says who searches, how trees are grown, and where all is kept.
    pub fn begin_with(
        &self,
        profile: &Profile,
        searchers: &Searchers,
        tree: &TreePlan,
        depth: u32,
        db: &Path,
    ) {
        self.line(&format!("engine    {}, {}", describe_profile(profile), searchers.words));
        let sources = &searchers.sources;
        for EngineSource { command, engines } in sources.iter().filter(|_| sources.len() > 1) {
            self.line(&format!("          {engines} × {command}"));
        }
        self.line(&format!("tree      {tree}, to depth {depth}"));
        if let Some(tables) = &tree.tables {
            self.line(&format!("tables    {}", describe_tables(tables.tables)));
        }
        if let Some(games) = &tree.games {
            self.line(&format!("games     {}", describe_games(&games.set, &games.rules)));
        }
        self.line(&format!("database  {}", db.display()));
    }

    /// Says under which directives, where there are any.
    pub fn begin_directed(&mut self, directives: Directives) {
        if !directives.is_empty() {
            self.line(&format!("directed  {}", describe_directives(&directives)));
        }
        self.directed = directives;
    }

    /// Says what came out, what was done, and how to go on.
    pub fn end(&self, outcome: &RunOutcome, db: &Path, show: Option<&str>) {
        self.verdict(outcome);
        let how = match outcome.ending {
            RunEnd::Settled => "Finished",
            RunEnd::Stable => "Stable",
            RunEnd::Limit => "Limit reached",
            RunEnd::Interrupted => "Interrupted",
        };
        self.line(&format!("{how}: {}", came_to(outcome)));
        if let Some(stays) = told_chance(outcome) {
            let best = outcome.best().map(|best| best_move(best, self.fullmove));
            self.line(&format!(
                "chance    {}",
                describe_tree_chance(stays, &best.unwrap_or_default())
            ));
        }
        if let Some(checked) = &outcome.rechecked {
            let limit = describe_limit(checked.note.row.profile.limit);
            let told = describe_rechecked(&self.start, checked, self.pov);
            self.line(&format!("recheck   {limit}: {told}"));
        }
        if let Some((limit, settled)) = outcome.deeper {
            let settled = settled.map_or("no depth".to_owned(), |depth| format!("depth {depth}"));
            self.line(&format!(
                "deeper    {settled} complete so far with {}",
                describe_limit(limit)
            ));
        }
        let size = describe_size(outcome.positions, outcome.admitted);
        self.line(&format!("tree      {size}"));
        let searches = count(outcome.searches, "search");
        let ahead = if self.is_verbose { ahead(outcome) } else { String::new() };
        self.line(&format!("this run  {searches} in {}{ahead}", time(outcome.elapsed)));
        if ![RunEnd::Settled, RunEnd::Stable].contains(&outcome.ending) {
            // Where nothing is known, the error says so.
            if outcome.ending == RunEnd::Interrupted || outcome.positions + outcome.searches > 0 {
                self.line(&kept(db));
            }
        }
        if let Some(show) = show {
            self.line(&format!("see it    {show}"));
        }
    }

    /// The best line, the second best, and what was best before the run. A finished game has none.
    fn verdict(&self, outcome: &RunOutcome) {
        let Some(best) = outcome.best().filter(|best| !best.moves.is_empty()) else {
            return;
        };
        let row = |name: &str, text: &str| {
            self.line(&format!("{name:<10}{}", cut(text, self.row() - 10)))
        };
        row("best", &self.best_line(best));
        if let Some(second) = &outcome.second {
            row("next", &self.best_line(second));
        }
        if let Some(before) = outcome.before.as_deref().filter(|before| !before.moves.is_empty()) {
            let same_move = before.moves.first() == best.moves.first();
            let text = match (same_move, before.value == best.value) {
                (true, true) => "the same move with the same score".to_owned(),
                _ => self.best_line(before),
            };
            row("before", &text);
        }
    }

    /// The move that a closing search has chosen, with its score and line.
    fn chosen(&self, told: &Verdict) -> String {
        let score = seen(told.choice.value, self.start.turn(), self.pov);
        format!("{score} {}", numbered_line(&self.start, &told.choice.moves))
    }

    /// Waits until all lines are printed.
    pub fn flush(&self) {
        self.printer.flush();
    }

    /// Takes the live line away.
    pub fn clear(&self) {
        self.printer.clear();
    }

    /// The columns of a row.
    pub(super) fn row(&self) -> usize {
        self.printer.columns()
    }

    /// A line that stays.
    pub fn line(&self, text: &str) {
        self.printer.line(text);
    }

    /// The best line with its value, the root's move number as the game has it.
    pub fn best_line(&self, best: &Line) -> String {
        let value = score_of(best, self.pov);
        let line = numbered_best(best, self.fullmove);
        format!("{value} {line}").trim_end().to_owned()
    }

    /// How far the run has come: score and line first, in a row of a terminal.
    pub(super) fn status(&self, progress: &Progress) -> String {
        let mut parts = vec![format!("depth {}/{}", progress.depth, progress.target)];
        parts.push(count(progress.positions, "position"));
        parts.push(format!("{:.1}/s", progress.searches_per_second()));
        if let Some(left) = progress.left {
            parts.push(format!("{} left", time(left)));
        }
        if self.is_verbose {
            parts.extend([
                format!("pass {}", progress.passes + 1),
                format!("{}, {} waiting", count(progress.searches, "search"), progress.waiting),
                format!("{}/{} busy", progress.busy, progress.engines),
            ]);
        }
        let facts = parts.join(" · ");
        let told = progress.told.as_deref().map(|told| self.chosen(told));
        let best = told.or_else(|| progress.best().map(|best| self.best_line(best)));
        // On a narrow terminal the line is cut, not the facts.
        let others = self.subject.iter().map(|subject| columns(subject) + 3).sum::<usize>();
        let room = self.row().saturating_sub(columns(&facts) + 3 + others).max(LEAST_LINE);
        let best = best.map(|best| if self.is_verbose { best } else { cut(&best, room) });
        let parts = self.subject.iter().cloned().chain(best).chain([facts]);
        parts.collect::<Vec<String>>().join(" · ")
    }
}

/// The chance that the best move stays, where the run was to end by it, and no depth under way has another best move.
fn told_chance(outcome: &RunOutcome) -> Option<Stays> {
    let best = outcome.best()?.moves.first()?;
    outcome.stays.filter(|stays| stays.best == *best)
}

/// How the root ends, or how far its tree has come.
fn came_to(outcome: &RunOutcome) -> String {
    if let Some(end) = outcome.exhausted.and_then(Exhausted::end_of_root) {
        return end.to_owned();
    }
    let settled = outcome.settled_depth.map_or("no depth".to_owned(), |d| format!("depth {d}"));
    format!("{settled} complete with {}", describe_limit(outcome.limit))
}

fn columns(text: &str) -> usize {
    text.chars().count()
}

/// Searches made ahead.
fn ahead(outcome: &RunOutcome) -> String {
    match outcome.ahead {
        SearchedAhead { searched: 0, .. } => String::new(),
        SearchedAhead { searched, used } => {
            format!(", {searched} of them ahead, {used} of those used")
        }
    }
}
