//! `deepanalyze games list`.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;

use deepanalyze_games::{SetInfo, Source};
use deepanalyze_view::{
    Left, Right, cut_name, grouped, size, table_lines, timestamp, write_json_array,
};

use crate::args::games::{all_sets, sets_folder};
use crate::args::report::ReportFormat;
use crate::error::CliError;
use crate::output::{Output, WIDTH};
use crate::printer::tell;

/// The least columns for what a set was made from.
const LEAST: usize = 12;

/// A set for programs.
#[derive(Serialize)]
pub struct SetObject<'s> {
    name: &'s str,
    path: &'s Path,
    games: u64,
    positions: u64,
    moves: u64,
    bytes: u64,
    years: Option<[u32; 2]>,
    max_ply: u32,
    digest: &'s str,
    sources: Vec<SourceObject<'s>>,
}

/// A file that games of a set come from.
#[derive(Serialize)]
struct SourceObject<'s> {
    file: &'s str,
    added_at: String,
    games: u64,
    duplicates: u64,
    bad: u64,
    variants: u64,
}

/// Runs the command.
pub fn run(format: ReportFormat) -> Result<ExitCode, CliError> {
    let mut sets = Vec::new();
    for path in all_sets()? {
        match SetInfo::read(&path) {
            Ok(set) => sets.push(set),
            Err(error) => tell!("warning: {error}"),
        }
    }
    let output = Output::stdout();
    let width = output.width().unwrap_or(WIDTH);
    let folder = sets_folder()?;
    output.write(|out| match format {
        ReportFormat::Json => {
            let objects: Vec<SetObject<'_>> = sets.iter().map(SetObject::of).collect();
            write_json_array(&objects, out)
        }
        ReportFormat::Text if sets.is_empty() => {
            writeln!(out, "no sets of games in {}", folder.display())
        }
        ReportFormat::Text => write_text(&sets, width, out),
    })
}

impl SetObject<'_> {
    /// All that is known of a set without reading its games.
    pub fn of(set: &SetInfo) -> SetObject<'_> {
        SetObject {
            name: &set.name,
            path: &set.path,
            games: set.games,
            positions: set.positions,
            moves: set.moves,
            bytes: set.bytes,
            years: set.years.map(|(first, last)| [first, last]),
            max_ply: set.max_ply,
            digest: &set.digest,
            sources: set.sources.iter().map(SourceObject::of).collect(),
        }
    }
}

impl SourceObject<'_> {
    fn of(source: &Source) -> SourceObject<'_> {
        SourceObject {
            file: &source.file,
            added_at: timestamp(source.added_at.saturating_mul(1000)),
            games: source.games,
            duplicates: source.duplicates,
            bad: source.bad,
            variants: source.variants,
        }
    }
}

fn write_text(sets: &[SetInfo], width: usize, out: &mut dyn Write) -> io::Result<()> {
    let heading = ["name", "games", "positions", "moves", "size", "years", "made from"];
    let rows = std::iter::once(heading.map(str::to_owned)).chain(sets.iter().map(row));
    let rows: Vec<[String; 7]> = rows.collect();
    let columns = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let others: usize = (0..6).map(|at| columns(at) + 2).sum();
    let room = width.saturating_sub(others).max(LEAST);
    let cut = rows.into_iter().map(|mut row| {
        if let Some(last) = row.last_mut() {
            *last = cut_name(last, room);
        }
        row
    });
    let alignments = [Left, Right, Right, Right, Right, Left, Left];
    table_lines(alignments, cut).iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn row(set: &SetInfo) -> [String; 7] {
    let years = match set.years {
        Some((first, last)) if first == last => first.to_string(),
        Some((first, last)) => format!("{first}–{last}"),
        None => String::new(),
    };
    let mut files: Vec<&str> = Vec::new();
    for file in set.sources.iter().map(|source| source.file.as_str()) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    let [games, positions, moves] = [set.games, set.positions, set.moves].map(grouped);
    [cut_name(&set.name, 20), games, positions, moves, size(set.bytes), years, files.join(", ")]
}
