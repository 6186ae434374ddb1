//! Taking back what has come with a database.

use std::process::ExitCode;

use serde::Serialize;

use deepanalyze_runner::{Regrown, emptied_trees, grow_trees, half_regrown_trees};
use deepanalyze_store::{MergedRemoved, Store, StoreError};
use deepanalyze_view::{count, write_json};

use super::{MergeWork, summary};
use crate::args::database::DbArgs;
use crate::args::report::ReportFormat;
use crate::error::{CliError, INTERRUPTED};
use crate::output::Output;

/// Default reason.
const WHY: &str = "by hand";

/// JSON object of a removal.
#[derive(Debug, Serialize)]
struct RemovalSummary<'a> {
    source: &'a str,
    answers: u64,
    trees: u64,
    analyses: u64,
    closing_searches: u64,
    directives: u64,
    notes: u64,
    grown: u64,
}

/// Invalidates the answers of a source, and grows the trees based on them again from what is left.
pub fn remove(work: &MergeWork<'_>, source: &str) -> Result<ExitCode, CliError> {
    let path = work.args.db.path()?;
    if !path.exists() {
        return Err(deepanalyze_store::StoreError::Missing(path).into());
    }
    let mut store = DbArgs::open_to_run(&path, work.shutdown.receiver(), work.printer)?;
    let (taken, before) = match store.remove_merged(source, WHY) {
        // A kill, or an interrupt, may have come before all trees were grown again.
        Err(StoreError::Invalidated { name, .. }) => (MergedRemoved::default(), Some(name)),
        taken => match taken? {
            Some(taken) => (taken, None),
            None => return Err(unknown(source, &store)),
        },
    };
    let trees = match before {
        Some(_) => half_regrown_trees(&store)?,
        None => emptied_trees(&store)?,
    };
    let all = trees.len();
    let mut tell = |done| work.printer.status(format!("grown {done} of {all} trees again"));
    let control = work.shutdown.receiver();
    let grown = grow_trees(&mut store, &trees, work.tables.as_ref(), control, &mut tell)?;
    if !grown.is_interrupted {
        store.note_grown()?;
    }
    work.printer.clear();
    work.printer.flush();
    if let Some(name) = before.filter(|_| grown.changed == 0 && !grown.is_interrupted) {
        return Err(CliError::missing(format!("the answers of {name} were removed before")));
    }
    print(work, source, (taken, grown))?;
    if grown.is_interrupted {
        work.printer.line("interrupted: run the same command again to grow the other trees");
    }
    Ok(if grown.is_interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

fn unknown(source: &str, store: &Store) -> CliError {
    CliError::missing(format!("no answers of {source} in {}", store.path().display()))
        .hint("`deepanalyze list --sources` has the names of all sources")
}

fn print(
    work: &MergeWork<'_>,
    source: &str,
    (gone, grown): (MergedRemoved, Regrown),
) -> Result<ExitCode, CliError> {
    let MergedRemoved { taken, analyses, closings, directives, notes } = gone;
    Output::stdout().write(|out| {
        if work.args.format == ReportFormat::Json {
            let (answers, trees) = (taken.answers, taken.trees);
            let told = RemovalSummary {
                source,
                answers,
                trees,
                analyses,
                closing_searches: closings,
                directives,
                notes,
                grown: grown.grown,
            };
            return write_json(&told, out);
        }
        let (answers, trees) = (count(taken.answers, "answer"), count(taken.trees, "tree"));
        writeln!(out, "{source}: {answers} removed; nothing more is taken from it")?;
        if taken.answers == 0 && grown.changed > 0 {
            let trees = count(grown.changed, "tree");
            writeln!(out, "  {trees} grown on: that was interrupted before")?;
        }
        if taken.trees > 0 {
            writeln!(out, "  {trees} used them; {} grown again without", grown.grown)?;
        }
        if analyses > 0 {
            writeln!(out, "  deleted {} that came with it", count(analyses, "analysis"))?;
        }
        let others = [(closings, "closing search"), (directives, "directive"), (notes, "note")];
        for (number, what) in others.into_iter().filter(|(number, _)| *number > 0) {
            writeln!(out, "  deleted {} that came with it", count(number, what))?;
        }
        summary::write_not_grown(&grown, out)
    })
}
