//! `deepanalyze compare`.

use std::process::ExitCode;

use clap::Args;

use crate::args::database::{DbArgs, analysis_of};
use crate::args::report::{ReportArgs, ReportFormat};
use crate::args::root::root_key;
use deepanalyze_report::{ComparedRoot, ComparisonReport, write_comparison};
use deepanalyze_store::{AnalysisRow, RootNote, Store};
use deepanalyze_view::{load_tree, write_json};

use super::error::CliError;
use super::output::WIDTH;

/// Compare two analyses: best moves, scores, and where they disagree most
///
/// Compare engines, engine depths, distances or dates: for one position or, with --roots, for all positions analysed
/// in both ways. A disagreement is a position that both trees score differently; its size is the difference in
/// expected result, so half a pawn counts for little with an extra rook.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Number of the first analysis, from `deepanalyze list`
    #[arg(value_name = "A", allow_negative_numbers = true)]
    first: i64,
    /// Number of the second analysis
    #[arg(value_name = "B", allow_negative_numbers = true)]
    second: i64,
    #[command(flatten)]
    db: DbArgs,
    /// Compare all positions that have one analysis like A and one like B (engine, limit, distance
    /// and tablebases)
    #[arg(long)]
    roots: bool,
    /// Number of disagreements to show
    #[arg(long, value_name = "N", default_value_t = 8, allow_negative_numbers = true,
        help_heading = "Output", value_parser = clap::value_parser!(u16))]
    top: u16,
    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: &CompareArgs) -> Result<ExitCode, CliError> {
    let store = args.db.open_to_read()?;
    let output = args.report.output(&store)?;
    let rows = [analysis_of(args.first, &store)?, analysis_of(args.second, &store)?];
    let pairs = if args.roots { pairs_like(&store, &rows)? } else { vec![one_root(rows)?] };
    let (mut roots, notes) = (Vec::new(), store.root_notes()?);
    for pair in pairs {
        let name = RootNote::of(&notes, pair.iter().map(|row| row.id)).name;
        roots.push(ComparedRoot { name, ..compared(&store, pair, usize::from(args.top))? });
    }
    let comparison = ComparisonReport { roots };
    let width = output.width().unwrap_or(WIDTH);
    output.write(|out| match args.report.format {
        ReportFormat::Text => write_comparison(&comparison.roots, args.report.pov(), width, out),
        ReportFormat::Json => write_json(&comparison, out),
    })
}

/// The two, where they have one root with one game before it.
fn one_root(rows: [AnalysisRow; 2]) -> Result<[AnalysisRow; 2], CliError> {
    let [first, second] = &rows;
    if is_same_root(first, second) {
        return Ok(rows);
    }
    let (a, b) = (first.id.0, second.id.0);
    let hint = if first.kind() == second.kind() {
        "`deepanalyze list` shows which analyses are of one position"
    } else {
        "--roots compares all positions that were analysed in both ways"
    };
    Err(CliError::usage(format!("analyses {a} and {b} have different roots")).hint(hint))
}

fn is_same_root(first: &AnalysisRow, second: &AnalysisRow) -> bool {
    let (first, second) = (first.game(), second.game());
    first.is_some() && first.as_ref().map(root_key) == second.as_ref().map(root_key)
}

/// The analyses of a kind each, of the same root.
fn pairs_like(
    store: &Store,
    [first, second]: &[AnalysisRow; 2],
) -> Result<Vec<[AnalysisRow; 2]>, CliError> {
    let is_like = |row: &AnalysisRow, model: &AnalysisRow| row.kind() == model.kind();
    if is_like(first, second) {
        let (a, b) = (first.id.0, second.id.0);
        return Err(CliError::usage(format!(
            "analyses {a} and {b} have the same engine, limit, distance and tablebases"
        ))
        .hint("--roots needs one analysis of each kind"));
    }
    let all = store.analyses()?;
    let mut pairs = Vec::new();
    for row in all.iter().filter(|row| is_like(row, first)) {
        let mut others = all.iter().filter(|other| is_like(other, second));
        if let Some(other) = others.find(|other| is_same_root(row, other)) {
            pairs.push([row.clone(), other.clone()]);
        }
    }
    if pairs.is_empty() {
        let (a, b) = (first.id.0, second.id.0);
        return Err(CliError::missing(format!(
            "no position was analysed both as in analysis {a} and as in analysis {b}"
        )));
    }
    Ok(pairs)
}

fn compared(store: &Store, rows: [AnalysisRow; 2], top: usize) -> Result<ComparedRoot, CliError> {
    let [first, second] = &rows;
    let (first, second) = (load_tree(store, first.id)?, load_tree(store, second.id)?);
    let trees = [&*first.growth, &*second.growth];
    let [row, other] = rows;
    let sides = [(row, first.verdict()), (other, second.verdict())];
    Ok(ComparedRoot::of(first.game.clone(), sides, trees, top))
}
