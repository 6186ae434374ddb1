//! `deepanalyze direct list`.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::args::report::ReportFormat;
use crate::error::CliError;
use crate::output::stdout;
use deepanalyze_core::chess::{GivenValue, PositionKey, epd_of, fen_of, san_of};
use deepanalyze_core::directives::{Directive, Directives};
use deepanalyze_store::{DatedDirective, Store};
use deepanalyze_view::{
    LinesToPositions, describe_directives_or, load_tree, numbered_line, timestamp, write_plain_json,
};

use super::DirectedRoot;

#[derive(Debug, Args)]
pub struct DirectiveListArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// Runs the action.
pub fn list(args: &DirectiveListArgs, root: &DirectedRoot<'_>) -> Result<ExitCode, CliError> {
    let store = root.db.open_to_read()?;
    let mut dated = store.dated_directives(root.game)?;
    let lines = lines(root, &store, &dated)?;
    let length = |position: &PositionKey| lines.to(position).map_or(usize::MAX, <[UciMove]>::len);
    dated.sort_by_key(|dated| (dated.created_at, length(&dated.position)));
    let mut out = stdout();
    match args.format {
        ReportFormat::Json => {
            let entries: Vec<ListedDirective> =
                dated.iter().map(|dated| entry(dated, &lines)).collect();
            write_plain_json(&entries, &mut out)?;
            writeln!(out)?;
        }
        ReportFormat::Text => write_text(root, &store, &dated, &lines, &mut out)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Where the positions stand: in the tree that was grown last, if there is one.
fn lines(
    root: &DirectedRoot<'_>,
    store: &Store,
    dated: &[DatedDirective],
) -> Result<LinesToPositions, CliError> {
    let last =
        if dated.is_empty() { None } else { store.analyses_of(root.game)?.into_iter().next() };
    let tree = last.map(|row| load_tree(store, row.id)).transpose()?;
    let growth = tree.as_ref().map(|tree| &*tree.growth);
    Ok(LinesToPositions::of(root.game.root(), &set_of(dated), growth))
}

fn set_of(dated: &[DatedDirective]) -> Directives {
    let mut set = Directives::default();
    dated.iter().for_each(|dated| set.put(dated.position, dated.directive.clone()));
    set
}

#[derive(Serialize)]
struct ListedDirective {
    #[serde(flatten)]
    said: SaidObject,
    /// RFC 3339, UTC.
    created_at: String,
}

/// A directive for programs.
#[derive(Serialize)]
pub struct SaidObject {
    kind: &'static str,
    /// The position of the directive.
    epd: String,
    /// Moves from the root to the position; null where none are known.
    line: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uci: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    san: Option<String>,
    /// Centipawns for White, or "draw".
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<GivenValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

fn entry(dated: &DatedDirective, lines: &LinesToPositions) -> ListedDirective {
    let DatedDirective { position, directive, created_at } = dated;
    let said = SaidObject::of(position, directive, lines);
    ListedDirective { said, created_at: timestamp(*created_at) }
}

impl SaidObject {
    /// One that is given at a position.
    pub fn of(key: &PositionKey, directive: &Directive, lines: &LinesToPositions) -> SaidObject {
        let (position, uci) = (key.position(), directive.uci());
        let text = |moves: &[UciMove]| moves.iter().map(ToString::to_string).collect();
        SaidObject {
            kind: directive.kind(),
            epd: epd_of(&position),
            line: lines.to(key).map(text),
            uci: uci.map(|uci| uci.to_string()),
            san: uci.map(|uci| san_of(&position, uci)),
            value: directive.value(),
            note: directive.note().map(str::to_owned),
        }
    }
}

fn write_text(
    root: &DirectedRoot<'_>,
    store: &Store,
    dated: &[DatedDirective],
    lines: &LinesToPositions,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let start = root.game.root();
    writeln!(out, "root      {}", fen_of(start))?;
    if !root.game.moves().is_empty() {
        writeln!(out, "history   {}", numbered_line(root.game.start(), root.game.moves()))?;
    }
    writeln!(out, "directed  {}", describe_directives_or(&set_of(dated), "none"))?;
    if let (_, Some((plies, directives))) =
        store.directives_to_begin_with(root.game, root.origin)?
    {
        writeln!(out, "          {}", root.copied(plies, directives))?;
    }
    for (index, dated) in dated.iter().enumerate() {
        if index == 0 {
            writeln!(out)?;
        }
        let words = words(&dated.position, &dated.directive, lines, start);
        writeln!(out, "{}  {words}", timestamp(dated.created_at))?;
    }
    Ok(())
}

/// A directive's kind and content: `exclude  2. c3`.
pub fn words(
    position: &PositionKey,
    directive: &Directive,
    lines: &LinesToPositions,
    root: &Chess,
) -> String {
    format!("{:<7}  {}", directive.kind(), lines.describe_directive(root, position, directive))
}
