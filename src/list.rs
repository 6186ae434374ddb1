//! `deepanalyze list`.

use std::collections::HashMap;
use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use deepanalyze_report::{
    ConflictObject, RootNotes, RootSummary, WithStages, write_analysis, write_conflicts,
    write_list, write_list_json, write_sources,
};
use deepanalyze_store::{Store, StoreError, now};
use deepanalyze_view::{
    PointOfView, RecheckNote, Stages, describe_directed, describe_note, load, write_json_array,
};

use super::args::database::DbArgs;
use super::args::report::{PovArgs, ReportFormat};
use super::error::CliError;
use super::output::{Output, WIDTH};

/// List the analysed positions in the database, the last one grown first
///
/// One line for each: number, name, score, best line, engine depth, the depth to which the tree is complete (7/10: of
/// 10), and when it was last grown. Analyses that differ only in engine depth share a line, with the verdict of the
/// deepest one that is far enough. The positions of one game share a line where there are four or more; --every lists
/// them all. Lines of one position say how they differ. Names come from the PGN file or the EPD record; `deepanalyze rename` changes them.
#[derive(Debug, Args)]
pub struct ListArgs {
    #[command(flatten)]
    db: DbArgs,
    /// Describe every analysis in several lines: position, engine, distance, depth, size, engine time
    #[arg(long, help_heading = "Output")]
    long: bool,
    /// Give every position of a game a line, not the last one grown alone
    #[arg(long, conflicts_with_all = ["long", "conflicts", "sources"], help_heading = "Output")]
    every: bool,
    /// List answers that differ from those of a merged database
    #[arg(long, conflicts_with_all = ["long", "sources"])]
    conflicts: bool,
    /// List where answers came from, other than the engines of this computer: merged databases, workers of a fleet
    #[arg(long, conflicts_with = "long")]
    sources: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, help_heading = "Output")]
    format: ReportFormat,
    /// Short for --format json
    #[arg(long, hide = true, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    pov: PovArgs,
}

/// Runs the command.
pub fn run(args: &ListArgs) -> Result<ExitCode, CliError> {
    let format = if args.json { ReportFormat::Json } else { args.format };
    if args.long && format == ReportFormat::Json {
        return Err(CliError::usage("--long needs --format text; JSON has all of it anyway"));
    }
    let store = args.db.open_to_read()?;
    let output = Output::stdout().styled(format == ReportFormat::Text);
    if args.conflicts || args.sources {
        return list_sources(args, format, &store, &output);
    }
    if format == ReportFormat::Json {
        let roots = with_stages(&store)?;
        return output.write(|out| write_list_json(&roots, out));
    }
    let mut text = Vec::new();
    if args.long {
        write_described(&store, args.pov.get(), output.width(), &mut text)?;
    } else {
        let roots = each_at_one_moment(&store, |one, notes| RootSummary::of(&store, one, notes))?;
        let layout = (args.pov.get(), output.width().unwrap_or(WIDTH));
        if !roots.is_empty() {
            write_list((&roots, args.every), now(), layout, &mut text)?;
        }
    }
    if text.is_empty() {
        writeln!(text, "no analyses in {}", store.path().display())?;
    }
    output.write(|out| out.write_all(&text))
}

/// Lists the sources, or the conflicts with them.
fn list_sources(
    args: &ListArgs,
    format: ReportFormat,
    store: &Store,
    output: &Output<'_>,
) -> Result<ExitCode, CliError> {
    if args.sources {
        let rows = store.sources()?;
        return output.write(|out| match format {
            ReportFormat::Text if rows.is_empty() => {
                writeln!(out, "all answers are from this computer")
            }
            ReportFormat::Text => write_sources(&rows, out),
            ReportFormat::Json => write_json_array(&rows, out),
        });
    }
    let rows = store.conflicts()?;
    output.write(|out| match format {
        ReportFormat::Text if rows.is_empty() => writeln!(out, "no conflicts"),
        ReportFormat::Text => write_conflicts(&rows, args.pov.get(), out),
        ReportFormat::Json => {
            let rows: Vec<ConflictObject<'_>> =
                rows.iter().filter_map(ConflictObject::of).collect();
            write_json_array(&rows, out)
        }
    })
}

/// Collects a result for each position, all from one moment of the database.
fn each_at_one_moment<T>(
    store: &Store,
    one: impl Fn(&Stages, &RootNotes) -> Result<Option<T>, StoreError>,
) -> Result<Vec<T>, StoreError> {
    store.at_one_moment(|| {
        let (all, notes) = (Stages::all(store)?, RootNotes::read(store)?);
        all.iter().filter_map(|stages| one(stages, &notes).transpose()).collect()
    })
}

fn with_stages(store: &Store) -> Result<Vec<WithStages>, StoreError> {
    let mut roots = each_at_one_moment(store, |stages, notes| {
        let Some(root) = RootSummary::of(store, stages, notes)? else { return Ok(None) };
        let stages = match stages.rows() {
            [_] => Vec::new(),
            _ => stages.verdicts(store)?,
        };
        Ok(Some(WithStages { root, stages, engine_time_ms: 0 }))
    })?;
    // Beside that moment, for it looks at all answers of a tree.
    for listed in &mut roots {
        listed.engine_time_ms = store.engine_time_ms(listed.root.row.id)?;
    }
    Ok(roots)
}

/// Every analysis in several lines.
fn write_described(
    store: &Store,
    pov: PointOfView,
    width: Option<usize>,
    out: &mut Vec<u8>,
) -> Result<(), CliError> {
    let (notes, mut names) = (RootNotes::read(store)?, HashMap::new());
    for stages in Stages::all(store)? {
        let name = notes.of(&stages).name;
        names.extend(stages.rows().iter().map(|row| (row.id, name.clone())));
    }
    for row in store.analyses()? {
        let (game, engine_time_ms) = (row.game(), store.engine_time_ms(row.id)?);
        let name = names.remove(&row.id).flatten();
        let directed = match &game {
            None => None,
            Some(game) => match store.directives(game)? {
                said if !store.is_pending(row.id, &said)? => describe_directed(&said, None),
                _ => load(store, row.id)?.describe_directives(),
            },
        };
        if !out.is_empty() {
            writeln!(out)?;
        }
        let (name, directed) = (name.as_deref(), directed.as_deref());
        write_analysis(&row, name, engine_time_ms, directed, width, out)?;
        if let Some(game) = &game {
            for note in RecheckNote::all(store, &row, game.root())? {
                writeln!(out, "  {:<10}{}", "recheck", describe_note(game.root(), &note, pov))?;
            }
        }
    }
    Ok(())
}
