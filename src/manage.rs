//! `deepanalyze rename` and `delete`: what is done with analyses that are kept.

use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;

use clap::Args;

use deepanalyze_store::{AnalysisId, AnalysisRow, RootNote, Store, StoreError};
use deepanalyze_view::Stages;
use deepanalyze_view::{count, describe_manner, describe_root, one_line};

use super::args::database::ChosenArgs;
use super::error::CliError;
use crate::output::stdout;

/// Give an analysed position another name
///
/// `deepanalyze list` shows the name. With --analysis only this analysis is renamed; otherwise all analyses of the
/// position are.
#[derive(Debug, Args)]
pub struct RenameArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// The new name; an empty one removes it
    #[arg(allow_hyphen_values = true)]
    name: String,
}

/// Runs `deepanalyze rename`.
pub fn rename(args: &RenameArgs) -> Result<ExitCode, CliError> {
    let (row, mut store) = args.chosen.choose_to_change()?;
    let game = row.game().ok_or_else(|| {
        CliError::missing(format!("the moves of analysis {} are not legal", row.id.0))
            .hint("`deepanalyze verify` shows what is damaged")
    })?;
    let name = Some(one_line(&args.name)).filter(|name| !name.is_empty());
    if args.chosen.is_analysis() {
        let stages = Stages::of(&store, row.clone())?;
        store.rename_analysis(stages.rows(), name.as_deref())?;
    } else {
        store.rename(&game, name.as_deref())?
    }
    match name {
        Some(name) => writeln!(stdout(), "#{} is called \"{name}\" now", row.id.0)?,
        None => {
            let described = describe_root(&game);
            writeln!(stdout(), "#{} has no name now; it is listed as \"{described}\"", row.id.0)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Delete the analyses of a position; the engine's answers stay
///
/// Shows what it would delete, and asks. A position stands for all of its analyses, --analysis for one line of
/// `deepanalyze list`, with all its engine depths. Every answer of an engine stays in the database, so the same tree
/// grows again without a search. The file does not shrink; new analyses use the space.
#[derive(Debug, Args)]
pub struct DeleteArgs {
    /// Delete without asking
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    chosen: ChosenArgs,
}

/// Runs `deepanalyze delete`.
pub fn delete(args: &DeleteArgs) -> Result<ExitCode, CliError> {
    let (row, mut store) = args.chosen.choose_to_change()?;
    let rows = doomed(args, row, &store)?;
    if let Some(growing) = rows.iter().find(|row| store.is_growing(row.id)) {
        let (path, analysis) = (store.path().to_owned(), growing.id.0);
        return Err(StoreError::Growing { path, analysis }.into());
    }
    let name = name_of(&rows, &store)?;
    let mut out = stdout();
    write_doomed(&name, &rows, &mut out)?;
    let what = count(rows.len() as u64, "analysis");
    if !confirmed(args.yes, "Delete", &what)? {
        writeln!(out, "nothing deleted")?;
        return Ok(ExitCode::SUCCESS);
    }
    let ids: Vec<AnalysisId> = rows.iter().map(|row| row.id).collect();
    let deleted = store.delete_analyses(&ids)?;
    writeln!(out, "{} deleted", count(deleted as u64, "analysis"))?;
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

/// Asks, where somebody can be asked.
pub fn ask(question: &str) -> io::Result<Option<bool>> {
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        is_confirmed(question, &mut io::stdin().lock(), &mut anstream::stderr()).map(Some)
    } else {
        Ok(None)
    }
}

/// True if the user confirms, by an option or when asked; an error if there is no terminal to ask
/// on. Only a clear yes counts.
pub fn confirmed(is_said: bool, action: &str, what: &str) -> Result<bool, CliError> {
    if is_said {
        return Ok(true);
    }
    ask(&format!("{action} {what}?"))?.ok_or_else(|| {
        let action = action.to_lowercase();
        CliError::usage(format!("refusing to {action} {what} without confirmation"))
            .hint(format!("--yes {action}s without asking"))
    })
}

fn is_confirmed(question: &str, input: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<bool> {
    write!(out, "{question} [y/N] ")?;
    out.flush()?;
    let mut answer = String::new();
    input.read_line(&mut answer)?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_one() {
        let cases = [
            ("y\n", true),
            (" YES \n", true),
            ("n\n", false),
            ("\n", false),
            ("", false),
            ("yesterday\n", false),
        ];
        for (answer, right) in cases {
            let mut asked = Vec::new();
            let confirmed = is_confirmed("Delete it?", &mut answer.as_bytes(), &mut asked);
            assert_eq!(confirmed.unwrap(), right, "{answer:?}");
            assert_eq!(asked, b"Delete it? [y/N] ");
        }
    }
}
