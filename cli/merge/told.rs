//! What has come of another database, in words and for programs.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use deepanalyze_core::search::share_bound;
use deepanalyze_report::{count, grouped};
use deepanalyze_runner::{Regrown, RootsTaken, Taken};

use super::check::Checked;

/// What has come of another database.
#[derive(Debug, Default, Serialize)]
pub struct MergeTold {
    file: String,
    /// What it is called here.
    source: String,
    /// Whether something of that name was here before.
    source_known: bool,
    /// Answers that have come, that were here, and that are others here.
    answers: u64,
    known: u64,
    conflicts: u64,
    /// Answers that are left behind, by the reason.
    left_behind: BTreeMap<&'static str, u64>,
    #[serde(skip)]
    left_words: Vec<String>,
    /// Not there where the file was trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<CheckTold>,
    analyses: AnalysesTold,
    #[serde(skip)]
    grown: Regrown,
}

/// What was searched again; all of it was right.
#[derive(Debug, Serialize)]
struct CheckTold {
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
struct AnalysesTold {
    new: u64,
    deeper: u64,
    named: u64,
    directives: u64,
    notes: u64,
    agenda: u64,
    closing_searches: u64,
    /// Trees that were grown from what has come.
    grown: u64,
    /// Those that could not be, and why.
    without_tables: u64,
    without_games: u64,
    damaged: u64,
    /// What is skipped: what nobody can repeat, what tables that are here say again, what rechecks have asked.
    closing_searches_left: u64,
    table_results_left: u64,
    rechecked_left: u64,
}

impl MergeTold {
    /// Nothing yet.
    pub fn new(file: &Path, source: &str, source_known: bool) -> MergeTold {
        let (file, source) = (file.display().to_string(), source.to_owned());
        MergeTold { file, source, source_known, ..MergeTold::default() }
    }

    /// What has come of the answers.
    pub fn take_answers(&mut self, taken: &Taken, checked: Option<Checked>) {
        self.answers = taken.joined.new;
        self.known = taken.joined.same;
        self.conflicts = taken.joined.conflicts;
        self.left_behind = taken.left.each().map(|(why, count)| (why.name(), count)).collect();
        let words = taken.left.each().map(|(why, n)| format!("{} {}", grouped(n), why.words()));
        self.left_words = words.collect();
        self.check = checked.map(|Checked { drawn, of, seed, deciding }| CheckTold {
            drawn,
            of,
            seed,
            deciding,
            false_share: if drawn < of { share_bound(drawn) } else { 0.0 },
        });
    }

    /// What has come of the analyses.
    pub fn take_roots(&mut self, roots: &RootsTaken, grown: Regrown) {
        let sum = |of: fn(&deepanalyze_store::RootJoined) -> u64| roots.roots.iter().map(of).sum();
        self.analyses = AnalysesTold {
            new: roots.count(|root| root.is_new),
            deeper: roots.count(|root| !root.is_new && root.to_grow.is_some()),
            named: roots.count(|root| root.named),
            directives: sum(|root| root.directives),
            notes: sum(|root| root.notes),
            agenda: roots.count(|root| root.on_agenda),
            closing_searches: sum(|root| root.closings),
            grown: grown.grown,
            without_tables: grown.without_tables,
            without_games: grown.without_games + roots.with_games,
            damaged: roots.damaged,
            closing_searches_left: roots.closings_left,
            table_results_left: roots.facts_left,
            rechecked_left: roots.rechecked_left,
        };
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
        write_not_grown(&self.grown, out)
    }
}

impl CheckTold {
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

impl AnalysesTold {
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
            "  {trees} not grown: they need their games (`deepanalyze grow --games` goes on with them)"
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
