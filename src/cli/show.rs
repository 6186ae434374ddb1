//! `deepanalyze show`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::render::{
    AnnotatedGame, LineError, PointOfView, Report, write_annotated, write_json, write_pgn,
    write_text,
};
use crate::session::load;
use crate::store::Store;
use crate::tree::Values;

use super::DbArgs;
use super::annotate;
use super::choose::choose;
use super::error::CliError;
use super::root::RootArgs;

/// Print the annotated tree of a position
///
/// Works while another process grows it, and needs no engine.
#[derive(Debug, Args)]
pub struct ShowArgs {
    #[command(flatten)]
    root: RootArgs,
    #[command(flatten)]
    db: DbArgs,
    /// The analysis of this number, as `deepanalyze list` gives it [default: the root's last grown]
    #[arg(long, value_name = "ID", allow_negative_numbers = true, help_heading = "Database",
        conflicts_with_all = ["root", "moves", "pgn"])]
    analysis: Option<i64>,
    /// With --format pgn, the whole game with the verdicts of all its positions, as
    /// `grow --every` has analysed them
    #[arg(long, requires = "pgn", conflicts_with_all = ["plies", "line"], help_heading = "Output")]
    every: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,
    /// Print only this many plies
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Output")]
    plies: Option<u32>,
    /// Print only what follows these moves from the root ("e4 e5")
    #[arg(long, value_name = "MOVES", default_value = "", help_heading = "Output")]
    line: String,
    /// Whose side the scores take, in text; JSON and PGN say the mover's
    #[arg(long, value_enum, default_value_t = Pov::Mover, help_heading = "Output")]
    pov: Pov,
    /// Write to a file
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs
    Json,
    /// For chess programs: variations with comments
    Pgn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Pov {
    /// The side that plays the move
    Mover,
    /// White
    White,
}

/// Runs the command.
pub fn run(args: &ShowArgs) -> Result<ExitCode, CliError> {
    let store = args.db.open_to_read()?;
    if args.every {
        let game = annotated(args, &store)?;
        return write_out(args, &store, |out| write_annotated(&game, out));
    }
    let tree = load(&store, choose(args.analysis, &args.root, &store)?)?;
    let values = Values::of(tree.growth.graph());
    let report = Report::new(&tree, &values, &args.line, args.plies).map_err(line_error)?;
    write_out(args, &store, |out| match args.format {
        Format::Text => write_text(&report, point_of_view(args.pov), out),
        Format::Json => write_json(&report, out),
        Format::Pgn => write_pgn(&report, out),
    })
}

fn annotated(args: &ShowArgs, store: &Store) -> Result<AnnotatedGame, CliError> {
    if args.format != Format::Pgn {
        return Err(CliError::usage("--every prints an annotated game: it needs --format pgn"));
    }
    annotate::annotated(&args.root, store)
}

fn write_out(
    args: &ShowArgs,
    store: &Store,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<ExitCode, CliError> {
    if args.output.as_ref().is_some_and(|path| same_file(path, store.path())) {
        return Err(CliError::usage("--output names the database itself"));
    }
    let mut out: Box<dyn Write> = match &args.output {
        Some(path) => Box::new(create(path)?),
        None => Box::new(anstream::AutoStream::auto(std::io::stdout())),
    };
    let mut out = BufWriter::new(&mut out);
    write(&mut out)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// A file gets no colour.
fn create(path: &PathBuf) -> Result<anstream::StripStream<File>, CliError> {
    let file = File::create(path)
        .map_err(|error| CliError::missing(format!("cannot write {}: {error}", path.display())))?;
    Ok(anstream::StripStream::new(file))
}

fn point_of_view(pov: Pov) -> PointOfView {
    match pov {
        Pov::Mover => PointOfView::Mover,
        Pov::White => PointOfView::White,
    }
}

fn line_error(error: LineError) -> CliError {
    CliError::failure(&error).in_usage()
}
