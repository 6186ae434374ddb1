//! The moves of a root that endgame tables know, as text for people.

use std::io::{self, Write};

use anstyle::Style;

use crate::render::report::Report;
use crate::render::words::{describe_table_move, numbered_move};
use deepanalyze_core::chess::TableEnd;

const DIM: Style = Style::new().dimmed();

/// What tables say behind a move, for its side, in parentheses: `won (tables)` has its own.
pub(super) fn remark_of_tables(known: TableEnd) -> String {
    let words = known.words();
    if words.ends_with(')') { words.to_owned() } else { format!("({words})") }
}

/// Writes a line for each move of a root that tables know, the best first: its distance, the move and the result for
/// its side. Nothing elsewhere.
pub(super) fn write_table_moves(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (root, moves) = (report.tree.game.root(), &report.tree.table_moves);
    let tables = report.tree.row.tables.filter(|_| report.line.is_empty() && !moves.is_empty());
    let Some(tables) = tables else {
        return Ok(());
    };
    writeln!(out, "\n{DIM}    DTZ  move{DIM:#}")?;
    let sans: Vec<String> = moves.iter().map(|m| numbered_move(root, m.uci)).collect();
    let width = sans.iter().map(|san| san.chars().count()).max().unwrap_or(0);
    for (m, san) in moves.iter().zip(sans) {
        let dtz = m.dtz.map_or_else(|| "?".to_owned(), |dtz| dtz.to_string());
        let words = describe_table_move(tables, m);
        writeln!(out, "{dtz:>7}  {san:width$}  {words}")?;
    }
    Ok(())
}
