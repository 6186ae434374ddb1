//! `deepanalyze copy`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use deepanalyze_runner::Shutdown;
use deepanalyze_store::{AnalysisId, StoreError, has_log};
use deepanalyze_view::{Stages, size, write_json};

use super::args::database::ChosenArgs;
use super::args::report::ReportFormat;
use super::error::{CliError, INTERRUPTED};
use super::output::{Output, Replacement, refuse_database};
use super::printer::{Printer, printing};

/// Copy the database to another file, also while it grows
///
/// The copy is one file with every answer, as the database was at one moment; it may be in use meanwhile. A plain
/// copy of the file can miss answers: while a program has the database open, and after a crash, the newest ones are
/// in a second file ("-wal") beside it. Use this command before you move the database to another computer, a cloud
/// folder or a backup.
///
/// With a position or --analysis, the copy has only that analysis, with all its engine depths, directives, notes and
/// names. Send it to a friend, who opens it with `show --db` or adds it with `merge`.
#[derive(Debug, Args)]
pub struct CopyArgs {
    /// The file to make
    file: PathBuf,
    /// Replace the file where there is one
    #[arg(long, short)]
    force: bool,
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, help_heading = "Output")]
    format: ReportFormat,
}

/// JSON object of a copy.
#[derive(Serialize)]
struct CopiedObject<'a> {
    database: &'a Path,
    file: &'a Path,
    bytes: u64,
    /// The analyses that the copy has; null where it has all.
    analyses: Option<Vec<i64>>,
}

/// Runs the command.
pub fn run(args: &CopyArgs) -> Result<ExitCode, CliError> {
    let shutdown = Shutdown::on_signals()?;
    printing(false, |printer| copy_to(args, &shutdown, printer))
}

fn copy_to(args: &CopyArgs, shutdown: &Shutdown, printer: &Printer) -> Result<ExitCode, CliError> {
    let (store, part) = if args.chosen.is_given() {
        let (row, store) = args.chosen.choose_to_change()?;
        let stages = Stages::of(&store, row)?;
        (store, Some(stages))
    } else {
        (args.chosen.open()?, None)
    };
    let file = &args.file;
    refuse_database("FILE", file, store.path())?;
    refuse(file, args.force)?;
    let Some(replacement) = Replacement::of(file) else {
        return Err(CliError::missing(format!("cannot make {}", file.display()))
            .hint("its folder must exist and be writable"));
    };
    let is_whole = match &part {
        None => store.copy_to(replacement.part(), |done, all| {
            printer.status(format!("copied {done} of {all} pages"));
            !shutdown.receiver().is_told_to_end()
        }),
        Some(stages) => {
            let ids: Vec<AnalysisId> = stages.rows().iter().map(|row| row.id).collect();
            store.copy_part(replacement.part(), &ids).map(|()| true)
        }
    };
    printer.clear();
    let is_whole = is_whole.map_err(|error| match error {
        // Until then the copy has a temporary name, unknown to the user.
        StoreError::NotCopied { error, .. } => StoreError::NotCopied { path: file.clone(), error },
        error => error,
    })?;
    if !is_whole {
        printer.line("interrupted: nothing was copied");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let written = if args.force { replacement.persist() } else { replacement.persist_new() };
    let bytes = written
        .map_err(|error| CliError::missing(format!("cannot write {}: {error}", file.display())))?;
    printer.flush();
    if args.format == ReportFormat::Json {
        let ids = |stages: &Stages| stages.rows().iter().map(|row| row.id.0).collect();
        let (database, analyses) = (store.path(), part.as_ref().map(ids));
        let copied = CopiedObject { database, file, bytes, analyses };
        return Output::stdout().write(|out| write_json(&copied, out));
    }
    let what = match part.as_ref().map(|stages| stages.rows()) {
        None => store.path().display().to_string(),
        Some([row]) => format!("analysis {}", row.id.0),
        Some(rows) => {
            let ids: Vec<String> = rows.iter().map(|row| row.id.0.to_string()).collect();
            format!("analyses {}", ids.join(", "))
        }
    };
    let (to, size) = (file.display(), size(bytes));
    writeln!(crate::output::stdout(), "copied {what} to {to} ({size})")?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses a file that is there, and one beside which a log would be taken for its own.
fn refuse(file: &Path, force: bool) -> Result<(), CliError> {
    let to = file.display();
    if file.is_dir() {
        return Err(
            CliError::usage(format!("{to} is a folder")).hint("name the file to make in it")
        );
    }
    if file.metadata().is_ok_and(|found| !found.is_file()) {
        return Err(CliError::usage(format!("{to} is not a regular file")));
    }
    if !force && file.symlink_metadata().is_ok() {
        return Err(CliError::usage(format!("{to} already exists")).hint("--force replaces it"));
    }
    if has_log(file) {
        return Err(CliError::missing(format!(
            "cannot copy to {to}: the write-ahead log (-wal) of another database is beside it"
        ))
        .hint("name another file"));
    }
    Ok(())
}
