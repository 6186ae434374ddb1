//! `deepanalyze list`.

use std::collections::HashMap;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use deepanalyze_report::{ListedRoot, RootNotes, Stages, WithStages};
use deepanalyze_report::{describe_pending, write_analysis, write_list, write_list_json};
use deepanalyze_store::{AnalysisRow, Store, StoreError, now};

use super::args::database::DbArgs;
use super::args::pov::PovArgs;
use super::error::CliError;
use super::output::{Output, WIDTH};

/// List the analysed positions in the database, the last one grown first
///
/// One line for each: its number, its name, the score, the best line, how deep the engine searches, to which
/// depth the tree is complete (7/10: the run was to reach 10), and when it was last grown. Analyses that differ
/// only in how deep the engine searches are one line, which has the verdict of the deepest that has come far
/// enough. A name comes from the PGN file or the EPD record; `deepanalyze rename` gives another.
#[derive(Debug, Args)]
pub struct ListArgs {
    #[command(flatten)]
    db: DbArgs,
    /// Describe every analysis in several lines: position, engine, distance, depth, size, engine time
    #[arg(long, help_heading = "Output")]
    long: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,
    /// The same as --format json
    #[arg(long, hide = true, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    pov: PovArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs: one array
    Json,
}

/// Runs the command.
pub fn run(args: &ListArgs) -> Result<ExitCode, CliError> {
    let format = if args.json { Format::Json } else { args.format };
    if args.long && format == Format::Json {
        return Err(CliError::usage("--long goes with text: JSON has it all"));
    }
    let store = args.db.open_to_read()?;
    let output = Output::unchecked(None).styled(format == Format::Text);
    if format == Format::Json {
        let roots = with_stages(&store)?;
        output.write(|out| write_list_json(&roots, out))?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.long {
        let described = described(&store)?;
        output.write(|out| write_described(&described, &store, out))?;
        return Ok(ExitCode::SUCCESS);
    }
    let roots = all_listed(&store)?;
    let layout = (args.pov.get(), output.width().unwrap_or(WIDTH));
    output.write(|out| match roots.is_empty() {
        true => write_none(&store, out),
        false => write_list(&roots, now(), layout, out),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn all_listed(store: &Store) -> Result<Vec<ListedRoot>, StoreError> {
    store.at_one_moment(|| {
        let (all, notes) = (Stages::all(store)?, RootNotes::read(store)?);
        all.iter().filter_map(|one| ListedRoot::of(store, one, &notes).transpose()).collect()
    })
}

fn with_stages(store: &Store) -> Result<Vec<WithStages>, StoreError> {
    let mut roots: Vec<WithStages> = store.at_one_moment(|| {
        let (all, notes) = (Stages::all(store)?, RootNotes::read(store)?);
        all.iter().filter_map(|one| one_with_stages(store, one, &notes).transpose()).collect()
    })?;
    // Beside that moment, for it looks at all answers of a tree.
    for listed in &mut roots {
        listed.engine_time_ms = store.engine_time_ms(listed.root.row.id)?;
    }
    Ok(roots)
}

/// The same without what engines have spent on it.
fn one_with_stages(
    store: &Store,
    stages: &Stages,
    notes: &RootNotes,
) -> Result<Option<WithStages>, StoreError> {
    let Some(root) = ListedRoot::of(store, stages, notes)? else {
        return Ok(None);
    };
    let stages = match stages.rows() {
        [_] => Vec::new(),
        _ => stages.verdicts(store)?,
    };
    Ok(Some(WithStages { root, stages, engine_time_ms: 0 }))
}

/// An analysis in several lines.
struct Described {
    row: AnalysisRow,
    name: Option<String>,
    engine_time_ms: u64,
    directed: Option<String>,
}

fn described(store: &Store) -> Result<Vec<Described>, StoreError> {
    let (notes, mut names, mut all) = (RootNotes::read(store)?, HashMap::new(), Vec::new());
    for stages in Stages::all(store)? {
        let name = notes.of(&stages).name;
        names.extend(stages.rows().iter().map(|row| (row.id, name.clone())));
    }
    for row in store.analyses()? {
        let (game, engine_time_ms) = (row.game(), store.engine_time_ms(row.id)?);
        let name = names.remove(&row.id).flatten();
        // The directives that its tree was grown with, and those that its root has by now.
        let directed = match &game {
            Some(game) => describe_pending(&store.grown_with(row.id)?, &store.directives(game)?),
            None => None,
        };
        all.push(Described { row, name, engine_time_ms, directed });
    }
    Ok(all)
}

fn write_described(all: &[Described], store: &Store, out: &mut dyn Write) -> io::Result<()> {
    if all.is_empty() {
        return write_none(store, out);
    }
    for (index, Described { row, name, engine_time_ms, directed }) in all.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        write_analysis(row, name.as_deref(), *engine_time_ms, directed.as_deref(), out)?;
    }
    Ok(())
}

fn write_none(store: &Store, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "no analysis in {}", store.path().display())
}
