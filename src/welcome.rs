//! `deepanalyze` without a command: what the program is, and which commands fit what the database has.

use std::process::ExitCode;

use deepanalyze_report::{RootNotes, RootSummary};
use deepanalyze_store::{Store, StoreError, now};
use deepanalyze_view::{PointOfView, Stages, count, time_ago};

use super::args::database::DbArgs;
use super::error::CliError;
use super::help::text_of;
use super::output::Output;

/// Prints it.
pub fn run() -> Result<ExitCode, CliError> {
    let latest = DbArgs::unnamed().path().ok().and_then(|path| latest(&path).ok().flatten());
    let text = latest.unwrap_or_else(|| text_of("to begin with").to_owned());
    Output::stdout().write(|out| {
        let (about, more) = (text_of("about"), text_of("more"));
        writeln!(out, "{about}\n\n{text}\n\n{more}")
    })
}

/// The position that was analysed last, and how to go on with it; nothing where there is none.
fn latest(path: &std::path::Path) -> Result<Option<String>, StoreError> {
    let store = Store::open_to_read(path)?;
    let all = Stages::all(&store)?;
    let Some(stages) = all.first() else { return Ok(None) };
    let Some(root) = RootSummary::of(&store, stages, &RootNotes::read(&store)?)? else {
        return Ok(None);
    };
    let verdict = root.told.as_ref().map(|told| told.headline(PointOfView::White));
    let verdict = verdict.unwrap_or_else(|| "no verdict yet".to_owned());
    let (id, age, name) = (root.row.id.0, time_ago(root.changed_at, now()), root.called());
    let all = count(all.len() as u64, "analysed position");
    Ok(Some(format!(
        "Analysed last ({age}): {name}\n  {verdict}\n\n\
        To go on:\n  \
          deepanalyze grow --analysis {id:<12}analyse it further\n  \
          deepanalyze show --analysis {id:<12}print its moves, scores and best lines\n  \
          deepanalyze list                        list your {all}\n  \
          deepanalyze serve --open                see them in the browser"
    )))
}
