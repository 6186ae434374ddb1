//! What stands above and below the moves in text for people: the verdict, and where it comes from.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use shakmaty::{Color, Position};

use deepanalyze_core::chess::{Ending, Value, fen_of};

use crate::kept::closing::describe_closing;
use crate::kept::stages::{describe_stages, describe_stays};
use crate::log::words::newest_change;
use crate::tree::holds::describe_holds;
use crate::tree::layout::TreeReport;
use crate::tree::shown::note_line;
use crate::words::figures::{count, describe_size};
use crate::words::fit::{columns, shorten, wrap, write_field};
use crate::words::manner::{
    describe_breadth, describe_pending, describe_profile, describe_table_move, describe_tables,
};
use crate::words::moves::{PointOfView, describe_end, numbered_line, numbered_move, seen};
use crate::words::table::{self, Left, Right};

const BOLD: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
const DIM: Style = Style::new().dimmed();

/// The columns of a detail's name.
const NAME_WIDTH: usize = 9;

/// What stands in front of the moves to a position.
const AFTER: &str = "after ";

/// Writes the answer, where it comes from, and what it is about.
pub fn write_head(report: &TreeReport<'_>, width: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{BOLD}{}{BOLD:#}", verdict(report))?;
    if Ending::of(&report.start()).is_some() {
        writeln!(out, "the game is over: there is nothing to analyse")?;
    } else if report.known(report.start_node()).is_some() {
        writeln!(out, "endgame tables know the result: there is nothing to search")?;
    } else {
        write_depth(report, width, out)?;
    }
    let game = &report.tree.game;
    let moves = [game.moves(), &report.line].concat();
    if moves.is_empty() {
        return Ok(());
    }
    let line = shorten(&numbered_line(game.start(), &moves), width.saturating_sub(AFTER.len()));
    writeln!(out, "{DIM}{AFTER}{line}{DIM:#}")
}

/// How far the tree has come, and whose answers it is made of.
fn write_depth(report: &TreeReport<'_>, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let row = &report.tree.row;
    let settled = report.growth().settled().last().map(|last| last.depth);
    let depth = match settled {
        Some(settled) if settled >= row.target_depth => format!("depth {settled} complete"),
        Some(settled) => format!("depth {settled} of {} complete", row.target_depth),
        None => format!("no depth of {} complete yet", row.target_depth),
    };
    let mut told = format!("{depth} · {}", describe_profile(&row.profile));
    if let Some(stages) = describe_stages(&report.tree.stages, row.id.0) {
        told.push_str(&format!(" · {stages}"));
    }
    wrap(&told, Some(width)).iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Whether a line behind the word is too long for a row.
fn is_cut(line: &str, width: usize) -> bool {
    AFTER.len() + columns(line) > width
}

/// The best move with its score; or why there is none.
fn verdict(report: &TreeReport<'_>) -> String {
    let start = report.start();
    if let Some(end) = describe_end(&start) {
        return end;
    }
    if let Some(known) = report.known(report.start_node()) {
        let side = start.turn().fold_wb("White", "Black");
        return format!("{side} to move: {}", known.words());
    }
    let Some((uci, alpha)) = report.best() else {
        return "no verdict yet".to_owned();
    };
    format!("{} {}", numbered_move(&start, uci), scored(alpha, start.turn(), report.options.pov))
}

/// A score with the side that it is for: `+0.33 for White`.
fn scored(value: Value, mover: Color, pov: PointOfView) -> String {
    let side = match pov {
        PointOfView::White => Color::White,
        PointOfView::Mover => mover,
    };
    format!("{} for {}", seen(value, mover, pov), side.fold_wb("White", "Black"))
}

/// Writes what else there is to know: what changed the verdict, what the user has said, and the numbers.
pub fn write_details(
    report: &TreeReport<'_>,
    width: usize,
    legend: &[&str],
    out: &mut dyn Write,
) -> io::Result<()> {
    let (row, game, growth) = (&report.tree.row, &report.tree.game, report.growth());
    let pov = report.options.pov;
    writeln!(out)?;
    let mut field =
        |name: &str, value: &str| write_field((name, NAME_WIDTH), value, Some(width), out);
    let is_root = report.line.is_empty();
    if is_root && let Some(change) = newest_change(report.tree, pov) {
        field("change", &change)?;
    }
    if let Some(stability) = &report.stability {
        field("holds", &describe_holds(game.root(), stability, pov))?;
    }
    if let Some(stays) = report.stays() {
        field("chance", &describe_stays(stays, &numbered_move(game.root(), stays.best)))?;
    }
    if let Some(value) = report.value().filter(|_| !is_root) {
        field("at root", &scored(value, game.root().turn(), pov))?;
    }
    if let Some(closing) = &report.tree.closing {
        let limit = report.tree.row.profile.limit;
        let closing = describe_closing(game.root(), closing, limit, pov);
        let there = if is_root { "" } else { " at the root" };
        field("closing", &format!("{closing}{there}"))?;
    }
    if let Some(directed) = describe_pending(&report.tree.directives, &report.tree.said) {
        field("directed", &directed)?;
    }
    if let Some(note) = note_line(report.said(report.start_node())) {
        field("note", &note)?;
    }
    field("root", &fen_of(game.root()))?;
    let history = numbered_line(game.start(), game.moves());
    if is_cut(&history, width) {
        field("history", &history)?;
    }
    let size = describe_size(growth.analysed(), growth.searches());
    let passes = count(growth.passes(), "pass");
    field("tree", &format!("analysis {}: {size}, {passes}", row.id.0))?;
    field("distance", &describe_breadth(&row.breadth))?;
    if let Some(tables) = row.tables {
        field("tables", &describe_tables(tables))?;
    }
    field("scores", &format!("in pawns, {}", pov.whose()))?;
    legend.iter().try_for_each(|line| field("", line))
}

/// What is said behind a move: `won (tables)` has parentheses of its own.
pub fn in_parentheses(words: &str) -> String {
    if words.ends_with(')') { words.to_owned() } else { format!("({words})") }
}

/// Writes a line for each move of a root that tables know, the best first: its distance, the move and the result for
/// its side. Nothing elsewhere.
pub fn write_table_moves(report: &TreeReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (root, moves) = (report.tree.game.root(), &report.tree.table_moves);
    let tables = report.tree.row.tables.filter(|_| report.line.is_empty() && !moves.is_empty());
    let Some(tables) = tables else {
        return Ok(());
    };
    writeln!(out, "\n{DIM}    DTZ  move{DIM:#}")?;
    let rows = moves.iter().map(|m| {
        let dtz = m.dtz.map_or_else(|| "?".to_owned(), |dtz| dtz.to_string());
        let words = describe_table_move(tables, m).to_owned();
        [format!("{dtz:>7}"), numbered_move(root, m.uci), words]
    });
    let lines = table::lines([Right, Left, Left], rows);
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}
