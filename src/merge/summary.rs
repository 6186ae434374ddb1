//! Summary of a merge, as text and as JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use shakmaty::Chess;

use deepanalyze_core::chess::{Game, fen_of};
use deepanalyze_core::quoting;
use deepanalyze_core::search::share_bound;
use deepanalyze_runner::{Regrown, RootsTaken, Taken};
use deepanalyze_store::DirectivesJoined;
use deepanalyze_view::{count, describe_root, grouped, numbered_line};

use super::check::Checked;
use crate::args::root::RootArgs;

/// Summary of a merge.
#[derive(Debug, Default, Serialize)]
pub struct MergeSummary {
    file: String,
    /// Its name in this database.
    source: String,
    /// True if the source was already in this database.
    source_known: bool,
    /// Answers that have come, that were here, and that are others here.
    answers: u64,
    known: u64,
    conflicts: u64,
    /// Skipped answers by reason.
    left_behind: BTreeMap<&'static str, u64>,
    #[serde(skip)]
    left_words: Vec<String>,
    /// Not there where the file was trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<CheckSummary>,
    analyses: AnalysesSummary,
    /// Roots with skipped directives or notes.
    directives_left: Vec<DirectivesLeft>,
    #[serde(skip)]
    grown: Regrown,
}

/// Skipped directives and notes of a root.
#[derive(Debug, Serialize)]
struct DirectivesLeft {
    root: String,
    /// UCI notation, from `start`, or the initial position.
    history: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    /// How many, that stay behind by this reason.
    directives: u64,
    notes: u64,
    /// `untrusted`, `others here` or `damaged`.
    why: &'static str,
    /// Command that takes them; `None` if none can.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip)]
    place: String,
}

/// The roots whose commands are told.
const COMMANDS: usize = 5;

/// The checks that were made; all were passed.
#[derive(Debug, Serialize)]
struct CheckSummary {
    /// How many answers were drawn, and from how many, with which seed.
    drawn: u64,
    of: u64,
    seed: u64,
    /// How many more were searched again, because best moves stand on them.
    deciding: u64,
    /// Less than this share of the answers is false, with 99 per cent confidence, 0 to 1.
    false_share: f64,
}

#[derive(Debug, Default, Serialize)]
struct AnalysesSummary {
    new: u64,
    deeper: u64,
    named: u64,
    directives: u64,
    notes: u64,
    agenda: u64,
    closing_searches: u64,
    /// Analyses whose answers were not taken.
    left: u64,
    /// Trees that were grown from what has come.
    grown: u64,
    /// Trees that could not be grown, by reason.
    without_tables: u64,
    without_games: u64,
    damaged: u64,
    /// Skipped: closing searches, which cannot be repeated; results that the tables here give
    /// again; searches of rechecks.
    closing_searches_left: u64,
    table_results_left: u64,
    rechecked_left: u64,
}

impl MergeSummary {
    /// Nothing yet.
    pub fn new(file: &Path, source: &str, source_known: bool) -> MergeSummary {
        let (file, source) = (file.display().to_string(), source.to_owned());
        MergeSummary { file, source, source_known, ..MergeSummary::default() }
    }

    /// Adds the result for the answers.
    pub fn take_answers(&mut self, taken: &Taken, checked: Option<Checked>) {
        self.answers = taken.joined.new;
        self.known = taken.joined.same;
        self.conflicts = taken.joined.conflicts;
        self.left_behind = taken.left.each().map(|(why, count)| (why.name(), count)).collect();
        let words = taken.left.each().map(|(why, n)| format!("{} {}", grouped(n), why.words()));
        self.left_words = words.collect();
        self.check = checked.map(|Checked { drawn, of, seed, deciding }| CheckSummary {
            drawn,
            of,
            seed,
            deciding,
            false_share: if drawn < of { share_bound(drawn) } else { 0.0 },
        });
    }

    /// Adds the result for analyses, directives and notes. Commands name this database if the user
    /// has named it.
    pub fn take_roots(&mut self, roots: &RootsTaken, grown: Regrown, db: Option<String>) {
        let directed = |of: fn(&DirectivesJoined) -> u64| {
            roots.directed.iter().map(|(_, joined)| of(joined)).sum()
        };
        self.analyses = AnalysesSummary {
            new: roots.count(|root| root.is_new),
            deeper: roots.count(|root| !root.is_new && !root.is_directed && root.to_grow.is_some()),
            named: roots.count(|root| root.named),
            directives: directed(|joined| joined.directives),
            notes: directed(|joined| joined.notes),
            agenda: roots.count(|root| root.on_agenda),
            closing_searches: roots.roots.iter().map(|root| root.closings).sum(),
            left: roots.count(|root| root.is_left),
            grown: grown.grown,
            without_tables: grown.without_tables,
            without_games: grown.without_games + roots.with_games,
            damaged: roots.damaged,
            closing_searches_left: roots.closings_left,
            table_results_left: roots.facts_left,
            rechecked_left: roots.rechecked_left,
        };
        let (commands, left) =
            (MergeCommands { from: self.file.clone(), to: db }, roots.directed.iter());
        self.directives_left = left.flat_map(|(game, of)| left_of(game, of, &commands)).collect();
        self.grown = Regrown { without_games: self.analyses.without_games, ..grown };
    }

    /// For people.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (new, known) = (count(self.answers, "answer"), grouped(self.known));
        writeln!(out, "{}: {new} added, {known} already here", self.file)?;
        if self.source_known && self.answers > 0 {
            writeln!(
                out,
                "  added to source {}: --take-back removes all of it at once (--as NAME keeps two apart)",
                self.source
            )?;
        }
        if let Some(check) = &self.check {
            check.write(out)?;
        } else if self.answers > 0 {
            writeln!(out, "  not checked: any of them may be false")?;
        }
        if self.conflicts > 0 {
            let conflicts = count(self.conflicts, "conflict");
            writeln!(
                out,
                "  {conflicts}: your own answers stay (`deepanalyze list --conflicts` shows both)"
            )?;
        }
        self.left_words.iter().try_for_each(|words| writeln!(out, "  skipped: {words}"))?;
        self.analyses.write(out)?;
        self.write_left(out)?;
        write_not_grown(&self.grown, out)
    }

    /// Writes the skipped directives and notes.
    fn write_left(&self, out: &mut dyn Write) -> io::Result<()> {
        let of = |why: &'static str| self.directives_left.iter().filter(move |of| of.why == why);
        let untrusted = of(UNTRUSTED).map(|of| of.directives).sum();
        if untrusted > 0 {
            let roots = count(of(UNTRUSTED).count() as u64, "position");
            let left = count(untrusted, "directive");
            writeln!(
                out,
                "  skipped: {left} of {roots}, which change what a tree follows (--trust takes them)"
            )?;
        }
        for DirectivesLeft { directives, notes, place, .. } in of(OTHERS) {
            let left = what(*directives, *notes);
            writeln!(out, "  skipped: {left} {place}: others are here, and yours stay")?;
        }
        match of(DAMAGED).count() as u64 {
            0 => Ok(()),
            roots => {
                let left = count(roots, "position");
                let why = "because deepanalyze did not write them";
                writeln!(out, "  skipped: directives or notes of {left}, {why}")
            }
        }
    }

    /// How to take what is left of roots that have other directives here.
    pub fn hints(&self) -> impl Iterator<Item = String> {
        let left = self.directives_left.iter().filter(|of| of.why == OTHERS);
        left.take(COMMANDS).filter_map(|DirectivesLeft { command, place, .. }| {
            let command = command.as_ref()?;
            Some(format!("hint: this replaces your directives and notes {place}: {command}"))
        })
    }
}

/// Why directives are left.
const UNTRUSTED: &str = "untrusted";
const OTHERS: &str = "others here";
const DAMAGED: &str = "damaged";

/// The commands that take what a merge leaves.
struct MergeCommands {
    /// The other database.
    from: String,
    /// Where this one is, where the user has named it.
    to: Option<String>,
}

impl MergeCommands {
    /// The merge itself, with trust.
    fn trusting(&self) -> String {
        let to = self.to.iter().flat_map(|db| ["--db", db]);
        quoting::join(
            ["deepanalyze", "merge", "--trust"].into_iter().chain(to).chain([&*self.from]),
        )
    }

    /// Replaces the directives of a root by those of the other database.
    fn replacing(&self, game: &Game) -> String {
        let root = RootArgs::words_of(game);
        let direct = |db: Option<&str>, action: &[&str]| {
            let db = db.iter().flat_map(|db| ["--db", db]).collect::<Vec<_>>();
            let words = ["deepanalyze", "direct"].into_iter().chain(db);
            quoting::join(
                words.chain(root.iter().map(String::as_str)).chain(action.iter().copied()),
            )
        };
        let from = direct(Some(&self.from), &["export"]);
        format!("{from} | {}", direct(self.to.as_deref(), &["apply", "-"]))
    }
}

/// Skipped directives and notes of a root, by reason.
fn left_of(
    game: &Game,
    joined: &DirectivesJoined,
    commands: &MergeCommands,
) -> Vec<DirectivesLeft> {
    let DirectivesJoined { untrusted, others, other_notes, unfit_notes, is_damaged, .. } = *joined;
    let left = |why, (directives, notes), command| DirectivesLeft {
        root: fen_of(game.root()),
        history: game.moves().iter().map(ToString::to_string).collect(),
        start: (*game.start() != Chess::default()).then(|| fen_of(game.start())),
        directives,
        notes,
        why,
        command,
        place: place_of(game),
    };
    let mut all = Vec::new();
    if untrusted > 0 {
        all.push(left(UNTRUSTED, (untrusted, 0), Some(commands.trusting())));
    }
    if others + other_notes > 0 {
        all.push(left(OTHERS, (others, other_notes), Some(commands.replacing(game))));
    }
    if is_damaged || unfit_notes > 0 {
        all.push(left(DAMAGED, (0, unfit_notes), None));
    }
    all
}

/// `after 1. e4 c6`, `at the initial position`.
fn place_of(game: &Game) -> String {
    match game.moves() {
        [] => format!("at {}", describe_root(game)),
        moves => format!("after {}", numbered_line(game.start(), moves)),
    }
}

/// `3 directives and 1 note`.
fn what(directives: u64, notes: u64) -> String {
    let parts = [(directives, "directive"), (notes, "note")];
    let parts = parts.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| count(n, what));
    parts.collect::<Vec<_>>().join(" and ")
}

impl CheckSummary {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (all, drawn) = (count(self.of, "answer"), grouped(self.drawn));
        let deciding = match self.deciding {
            0 => String::new(),
            n => format!("; the {} that decide best moves are right, too", grouped(n)),
        };
        match (self.of, self.drawn < self.of) {
            (0, _) => Ok(()),
            (_, true) => {
                let (share, seed) = (100.0 * self.false_share, self.seed);
                writeln!(
                    out,
                    "  checked: of {all}, under {share:.1} % are false with 99 % confidence ({drawn} searched again, seed {seed}){deciding}"
                )
            }
            (_, false) => {
                writeln!(out, "  checked: all of them searched again, and right{deciding}")
            }
        }
    }
}

impl AnalysesSummary {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let parts = [
            (self.new, "new"),
            (self.deeper, "searched deeper than before"),
            (self.named, "named"),
            (self.agenda, "on the agenda, paused"),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, words)| format!("{} {words}", grouped(*n)))
            .collect();
        if !parts.is_empty() {
            writeln!(out, "  analyses: {}", parts.join(", "))?;
        }
        let parts = [(self.directives, "directive"), (self.notes, "note")];
        for (n, what) in parts.iter().filter(|(n, _)| *n > 0) {
            writeln!(out, "  {} added", count(*n, what))?;
        }
        if self.left > 0 {
            let left = count(self.left, "analysis");
            writeln!(out, "  skipped: {left}, whose answers are not here")?;
        }
        if self.grown > 0 {
            writeln!(out, "  {} grown, without an engine", count(self.grown, "tree"))?;
        }
        if self.closing_searches > 0 {
            writeln!(out, "  {} added", count(self.closing_searches, "closing search"))?;
        }
        if self.closing_searches_left > 0 {
            let left = count(self.closing_searches_left, "closing search");
            writeln!(out, "  skipped: {left}, which cannot be repeated (--trust takes them)")?;
        }
        if self.table_results_left > 0 {
            let left = count(self.table_results_left, "tablebase result");
            writeln!(out, "  skipped: {left}, which your own tablebases give")?;
        }
        if self.rechecked_left > 0 {
            let left = count(self.rechecked_left, "answer");
            writeln!(
                out,
                "  skipped: {left} of rechecks (`deepanalyze recheck` searches them again)"
            )?;
        }
        if self.damaged > 0 {
            let left = grouped(self.damaged);
            writeln!(
                out,
                "  skipped, because deepanalyze did not write it: {left} of the analyses"
            )?;
        }
        Ok(())
    }
}

/// The trees that could not be grown from the memo, and what is to be done.
pub fn write_not_grown(grown: &Regrown, out: &mut dyn Write) -> io::Result<()> {
    if grown.without_tables > 0 {
        let trees = count(grown.without_tables, "tree");
        writeln!(out, "  {trees} not grown: tablebases are missing (--tables DIR names them)")?;
    }
    if grown.without_games > 0 {
        let trees = count(grown.without_games, "tree");
        writeln!(
            out,
            "  {trees} not grown: they need their games or nets (`deepanalyze grow --games SET --human NET` grows them from these answers)"
        )?;
    }
    if grown.growing > 0 {
        let trees = count(grown.growing, "tree");
        writeln!(
            out,
            "  {trees} not grown: another process is growing them and uses the added answers"
        )?;
    }
    Ok(())
}
