//! `deepanalyze delete`.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::Args;

use deepanalyze_report::Stages;
use deepanalyze_report::{count, describe_manner, describe_root};
use deepanalyze_store::{AnalysisId, AnalysisRow, RootNote, Store, StoreError};

use super::args::chosen::ChosenArgs;
use super::confirm::is_confirmed;
use super::error::CliError;

/// Delete the analyses of a position; the engine's answers stay
///
/// Says what it would delete, and asks. With a root, all analyses of it go, with --analysis the one of that
/// line of `deepanalyze list`: analyses that differ only in how deep the engine searches go together. Every
/// answer of an engine stays in the database, so the same tree grows again without any search. The file does
/// not become smaller; new analyses take the room.
#[derive(Debug, Args)]
pub struct DeleteArgs {
    /// Delete without asking
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    chosen: ChosenArgs,
}

/// Runs the command.
pub fn run(args: &DeleteArgs) -> Result<ExitCode, CliError> {
    let (row, mut store) = args.chosen.choose_to_change()?;
    let rows = doomed(args, row, &store)?;
    if let Some(growing) = rows.iter().find(|row| store.is_growing(row.id)) {
        let (path, analysis) = (store.path().to_owned(), growing.id.0);
        return Err(StoreError::Growing { path, analysis }.into());
    }
    let name = name_of(&rows, &store)?;
    let mut out = anstream::stdout().lock();
    write_doomed(&name, &rows, &mut out)?;
    let what = count_analyses(rows.len());
    if !args.yes {
        if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            return Err(CliError::usage(format!(
                "{what} would be deleted, and nobody can be asked"
            ))
            .hint("--yes deletes without asking"));
        }
        let question = format!("Delete {what}?");
        if !is_confirmed(&question, &mut io::stdin().lock(), &mut anstream::stderr())? {
            writeln!(out, "nothing was deleted")?;
            return Ok(ExitCode::SUCCESS);
        }
    }
    let ids: Vec<AnalysisId> = rows.iter().map(|row| row.id).collect();
    let deleted = store.delete_analyses(&ids)?;
    writeln!(out, "{} deleted", count_analyses(deleted))?;
    Ok(ExitCode::SUCCESS)
}

/// The analyses that are to go.
fn doomed(
    args: &DeleteArgs,
    row: AnalysisRow,
    store: &Store,
) -> Result<Vec<AnalysisRow>, StoreError> {
    match row.game().filter(|_| !args.chosen.is_analysis()) {
        Some(game) => store.analyses_of(&game),
        None => Ok(Stages::of(store, row)?.rows().to_vec()),
    }
}

fn name_of(rows: &[AnalysisRow], store: &Store) -> Result<String, StoreError> {
    let Some(game) = rows.first().and_then(AnalysisRow::game) else {
        return Ok("a root whose moves cannot be played".to_owned());
    };
    let note = RootNote::of(&store.root_notes()?, rows.iter().map(|row| row.id));
    Ok(note.name.unwrap_or_else(|| describe_root(&game)))
}

fn write_doomed(name: &str, rows: &[AnalysisRow], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{name}")?;
    for row in rows {
        let positions = count(row.positions, "position");
        writeln!(out, "  #{}  {}: {positions}", row.id.0, describe_manner(row))?;
    }
    writeln!(out, "The engine's answers stay, and so do the name and the directives of the root.")
}

fn count_analyses(number: usize) -> String {
    match number {
        1 => "1 analysis".to_owned(),
        _ => format!("{number} analyses"),
    }
}
