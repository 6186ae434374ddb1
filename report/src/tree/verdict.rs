//! The verdict as text for people: the moves of one position, each with its best line.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::Value;

use crate::kept::verdict::Prospect;
use crate::tree::head::{in_parentheses, write_details, write_head, write_table_moves};
use crate::tree::layout::TreeReport;
use crate::tree::shown::{Shown, note_line};
use crate::words::fit::{columns, cut, fill, wrap};
use crate::words::moves::{after, describe_line_end, numbered_line, numbered_move};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const NOTE: Style = AnsiColor::Cyan.on_default();

/// How many rows the line of the best move has at most, that of another candidate, and that of any other.
const ROWS: [usize; 3] = [4, 2, 1];
/// The columns that a line has at least.
const LEAST_WIDTH: usize = 20;

/// Writes the verdict: the best move, then each move with its score, how much of the tree lies behind it,
/// and its best line. The width is in columns; the prospects are those of the position where printing
/// begins. Styles are ANSI; the caller strips them where they are not wanted.
pub fn write_verdict(report: &TreeReport<'_>, width: usize, out: &mut dyn Write) -> io::Result<()> {
    write_head(report, width, out)?;
    write_table_moves(report, out)?;
    let table = VerdictTable::new(report, width);
    if table.rows.is_empty() {
        return write_details(report, width, &[], out);
    }
    table.write(out)?;
    let legend = [
        "depth, positions: how far and how large the tree is behind a move",
        "[…]: how the engine's own search goes on where the tree ends",
    ];
    write_details(report, width, &legend, out)?;
    let more = "more     --plies 4 or --all: the tree; --line \"MOVES\": what follows them";
    writeln!(out, "{DIM}{}{DIM:#}", cut(more, width))
}

/// The moves of a position.
struct VerdictTable {
    rows: Vec<VerdictRow>,
    /// The columns of the longest move.
    moves: usize,
    width: usize,
}

/// The columns of the numbers of plies and positions, which a narrow terminal has no room for.
const SIZE_WIDTH: usize = 5 + 2 + 9 + 2;
/// The columns that a line has at least beside those numbers.
const BESIDE_SIZE: usize = 30;

struct VerdictRow {
    score: String,
    name: String,
    plies: String,
    positions: String,
    line: String,
    note: Option<String>,
    style: Style,
    /// How many rows of text its line has at most.
    most: usize,
}

impl VerdictTable {
    fn new(report: &TreeReport<'_>, width: usize) -> VerdictTable {
        let start = report.start();
        let place = report.places.first();
        let shown = place.into_iter().flat_map(Shown::of_place).enumerate();
        let rows = shown.map(|(index, shown)| {
            let prospect = report.prospects.iter().find(|prospect| prospect.best.uci == shown.uci);
            let (kind, style) = match (index, shown.is_candidate()) {
                (0, _) => (0, BOLD),
                (_, true) => (1, Style::new()),
                (_, false) => (2, DIM),
            };
            let score = |value: Value| report.seen(value, start.turn()).to_string();
            let behind = prospect.and_then(|prospect| prospect.behind);
            VerdictRow {
                score: shown.alpha().map(score).unwrap_or_default(),
                name: numbered_move(&start, shown.uci),
                plies: behind.map(|behind| behind.plies.to_string()).unwrap_or_default(),
                positions: behind.map(|behind| behind.positions.to_string()).unwrap_or_default(),
                line: line_of(report, shown, prospect, &start),
                note: note_line(report.said(shown.node)),
                style,
                most: ROWS.get(kind).copied().unwrap_or(1),
            }
        });
        let rows: Vec<VerdictRow> = rows.collect();
        let moves = rows.iter().map(|row| columns(&row.name)).max().unwrap_or(0);
        VerdictTable { rows, moves: moves.max("move".len()), width }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let moves = self.moves;
        let with_size = 7 + 2 + moves + 2 + SIZE_WIDTH;
        let has_size = self.width >= with_size + BESIDE_SIZE;
        let before = if has_size { with_size } else { with_size - SIZE_WIDTH };
        let size = if has_size { "depth  positions  " } else { "" };
        writeln!(out, "\n{DIM}  score  {:<moves$}  {size}best line{DIM:#}", "move")?;
        let room = self.width.saturating_sub(before).max(LEAST_WIDTH);
        for row in &self.rows {
            let VerdictRow { score, name, plies, positions, style, .. } = row;
            let lines = fill(&row.line, room, row.most);
            for (index, line) in lines.iter().enumerate() {
                let size =
                    if has_size { format!("{plies:>5}  {positions:>9}  ") } else { String::new() };
                let numbers = match index {
                    0 => format!("{score:>7}  {name:<moves$}  {size}"),
                    _ => format!("{:before$}", ""),
                };
                writeln!(out, "{style}{}{style:#}", format!("{numbers}{line}").trim_end())?;
            }
            let room = self.width.saturating_sub(11).max(LEAST_WIDTH);
            for line in row.note.iter().flat_map(|note| wrap(note, Some(room))) {
                writeln!(out, "{:9}| {NOTE}{line}{NOTE:#}", "")?;
            }
        }
        Ok(())
    }
}

/// What follows a move: what there is to say of it, the tree's best line, and how the engine goes on.
fn line_of(
    report: &TreeReport<'_>,
    shown: Shown<'_>,
    prospect: Option<&Prospect>,
    start: &Chess,
) -> String {
    let mut remarks = report.marks(shown);
    if let Some(idea) = shown.other_idea() {
        remarks.insert(0, format!("idea {}", report.seen(idea, start.turn())));
    }
    if shown.child.is_none()
        && let Some(eval) = shown.eval
    {
        remarks.push(format!("the engine's score: {}", report.seen(eval, start.turn())));
    }
    let mut words = Vec::new();
    if !remarks.is_empty() {
        words.push(format!("({})", remarks.join(", ")));
    }
    if let Some(prospect) = prospect {
        let line = &prospect.best.line;
        let behind = line.get(1..).unwrap_or_default();
        words.push(numbered_line(&after(start, line.iter().take(1)), behind));
        words.extend(describe_line_end(prospect.end).map(in_parentheses));
        let continuation = numbered_line(&after(start, line), &prospect.continuation);
        words.push(if continuation.is_empty() {
            continuation
        } else {
            format!("[{continuation}]")
        });
    }
    words.retain(|words| !words.is_empty());
    words.join(" ")
}
