//! `deepanalyze direct list`.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::args::report::ReportFormat;
use crate::error::CliError;
use deepanalyze_core::chess::{PositionKey, epd_of, fen_of, san_of};
use deepanalyze_core::directives::{Directive, Directives};
use deepanalyze_report::directing::Lines;
use deepanalyze_report::load;
use deepanalyze_report::{describe_directives, describe_value, numbered_line, timestamp};
use deepanalyze_store::{DatedDirective, Store};

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
    let mut out = anstream::stdout().lock();
    match args.format {
        ReportFormat::Json => {
            let entries: Vec<ListedDirective> =
                dated.iter().map(|dated| entry(dated, &lines)).collect();
            writeln!(out, "{}", serde_json::to_string(&entries).map_err(io::Error::from)?)?;
        }
        ReportFormat::Text => write_text(root, &store, (&dated, &lines), &mut out)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Where the positions stand: in the tree that was grown last, if there is one.
fn lines(
    root: &DirectedRoot<'_>,
    store: &Store,
    dated: &[DatedDirective],
) -> Result<Lines, CliError> {
    let last = match dated.is_empty() {
        true => None,
        false => store.analyses_of(root.game)?.into_iter().next(),
    };
    let tree = last.map(|row| load(store, row.id)).transpose()?;
    let growth = tree.as_ref().map(|tree| &tree.growth);
    Ok(Lines::of(root.game.root(), &set_of(dated), growth))
}

fn set_of(dated: &[DatedDirective]) -> Directives {
    let mut set = Directives::default();
    dated.iter().for_each(|dated| set.put(dated.position, dated.directive.clone()));
    set
}

#[derive(Serialize)]
struct ListedDirective {
    kind: &'static str,
    /// The position of which it is said.
    epd: String,
    /// Moves from the root to the position; null where none are known.
    line: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uci: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    san: Option<String>,
    /// Centipawns for White.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// RFC 3339, UTC.
    created_at: String,
}

fn entry(dated: &DatedDirective, lines: &Lines) -> ListedDirective {
    let position = dated.position.position();
    let (mut uci, mut value, mut note) = (None, None, None);
    match &dated.directive {
        Directive::Exclude(said) | Directive::Include(said) => uci = Some(*said),
        Directive::Value(white) => value = Some(*white),
        Directive::Note(text) => note = Some(text.clone()),
        Directive::Stop => {}
    }
    let text = |moves: &[UciMove]| moves.iter().map(ToString::to_string).collect();
    ListedDirective {
        kind: kind(&dated.directive),
        epd: epd_of(&position),
        line: lines.to(&dated.position).map(text),
        uci: uci.map(|uci| uci.to_string()),
        san: uci.map(|uci| san_of(&position, uci)),
        value,
        note,
        created_at: timestamp(dated.created_at),
    }
}

fn write_text(
    root: &DirectedRoot<'_>,
    store: &Store,
    (dated, lines): (&[DatedDirective], &Lines),
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let start = root.game.root();
    writeln!(out, "root      {}", fen_of(start))?;
    if !root.game.moves().is_empty() {
        writeln!(out, "history   {}", numbered_line(root.game.start(), root.game.moves()))?;
    }
    let counts = match describe_directives(&set_of(dated)) {
        none if none.is_empty() => "none".to_owned(),
        some => some,
    };
    writeln!(out, "directed  {counts}")?;
    if let (_, Some((plies, directives))) = store.directives_to_begin_with(root.game)? {
        writeln!(out, "          {}", root.copied(plies, directives))?;
    }
    for (index, dated) in dated.iter().enumerate() {
        if index == 0 {
            writeln!(out)?;
        }
        let (kind, what) = (kind(&dated.directive), words(dated, lines, start));
        writeln!(out, "{}  {kind:<7}  {what}", timestamp(dated.created_at))?;
    }
    Ok(())
}

/// What is said, with the line.
fn words(dated: &DatedDirective, lines: &Lines, root: &Chess) -> String {
    let position = dated.position.position();
    let moves = lines.to(&dated.position);
    let name = |last: Option<UciMove>| match (moves, last) {
        (Some(moves), last) => {
            let moves: Vec<UciMove> = moves.iter().copied().chain(last).collect();
            match numbered_line(root, &moves) {
                line if line.is_empty() => "the root".to_owned(),
                line => line,
            }
        }
        (None, Some(uci)) => format!("{} in {}", san_of(&position, uci), epd_of(&position)),
        (None, None) => epd_of(&position),
    };
    match &dated.directive {
        Directive::Exclude(uci) | Directive::Include(uci) => name(Some(*uci)),
        Directive::Value(white) => format!("{}: {}", name(None), describe_value(*white)),
        Directive::Stop => name(None),
        Directive::Note(text) => format!("{}: {}", name(None), printable(text)),
    }
}

/// A note on one line; it may hold anything, escape sequences for the terminal, too.
fn printable(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    words.chars().filter(|c| !c.is_control()).collect()
}

fn kind(directive: &Directive) -> &'static str {
    match directive {
        Directive::Exclude(_) => "exclude",
        Directive::Include(_) => "include",
        Directive::Value(_) => "value",
        Directive::Stop => "stop",
        Directive::Note(_) => "note",
    }
}
