//! `deepanalyze list`.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::render::{
    BreadthObject, describe_depth, describe_pending, describe_profile, describe_size,
    numbered_line, span, timestamp,
};
use crate::store::{AnalysisRow, Store, StoreError};

use super::args::database::DbArgs;
use super::error::CliError;

/// List all analyses, the latest first
#[derive(Debug, Args)]
pub struct ListArgs {
    #[command(flatten)]
    db: DbArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The same as --format json
    #[arg(long, hide = true, conflicts_with = "format")]
    json: bool,
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
    let store = args.db.open_to_read()?;
    let mut out = anstream::stdout().lock();
    let mut rows = Vec::new();
    for row in store.analyses()? {
        let engine_time = Duration::from_millis(store.engine_time_ms(row.id)?);
        rows.push((row, engine_time));
    }
    let json = args.json || args.format == Format::Json;
    if json {
        let entries: Vec<Entry<'_>> = rows.iter().map(|(row, time)| entry(row, *time)).collect();
        writeln!(out, "{}", serde_json::to_string(&entries).map_err(std::io::Error::from)?)?;
    } else if rows.is_empty() {
        writeln!(out, "no analysis in {}", store.path().display())?;
    }
    for (index, (row, time)) in rows.iter().enumerate().filter(|_| !json) {
        if index > 0 {
            writeln!(out)?;
        }
        write_text(row, *time, directed(row, &store)?.as_deref(), &mut out)?;
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct Entry<'a> {
    analysis: i64,
    root: &'a str,
    history: Vec<String>,
    engine: String,
    #[serde(flatten)]
    breadth: BreadthObject,
    settled_depth: Option<u32>,
    target_depth: u32,
    positions: u64,
    searches: u64,
    engine_time_ms: u128,
    /// RFC 3339, UTC.
    changed_at: String,
}

fn entry(row: &AnalysisRow, engine_time: Duration) -> Entry<'_> {
    Entry {
        analysis: row.id.0,
        root: &row.root,
        history: row.history.iter().map(ToString::to_string).collect(),
        engine: describe_profile(&row.profile),
        breadth: BreadthObject::of(&row.breadth),
        settled_depth: row.settled_depth,
        target_depth: row.target_depth,
        positions: row.positions,
        searches: row.searches,
        engine_time_ms: engine_time.as_millis(),
        changed_at: timestamp(row.changed_at),
    }
}

/// The directives that its tree was grown with, and those that its root has by now.
fn directed(row: &AnalysisRow, store: &Store) -> Result<Option<String>, StoreError> {
    let Some(game) = row.game() else {
        return Ok(None);
    };
    Ok(describe_pending(&store.grown_with(row.id)?, &store.directives(&game)?))
}

fn write_text(
    row: &AnalysisRow,
    engine_time: Duration,
    directed: Option<&str>,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let bold = anstyle::Style::new().bold();
    writeln!(out, "{bold}analysis {}{bold:#}  {}", row.id.0, row.root)?;
    if let Some(game) = row.game().filter(|game| !game.moves().is_empty()) {
        writeln!(out, "  history   {}", numbered_line(game.start(), game.moves()))?;
    }
    writeln!(out, "  engine    {}", describe_profile(&row.profile))?;
    let settled = describe_depth(row.settled_depth);
    writeln!(out, "  distance  {}, depth {settled} settled of {}", row.breadth, row.target_depth)?;
    if let Some(directed) = directed {
        writeln!(out, "  directed  {directed}")?;
    }
    writeln!(
        out,
        "  tree      {}, engine time {}",
        describe_size(row.positions, row.searches),
        span(u64::try_from(engine_time.as_millis()).unwrap_or(u64::MAX))
    )?;
    writeln!(out, "  changed   {}", timestamp(row.changed_at))
}
