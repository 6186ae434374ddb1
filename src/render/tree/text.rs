//! The tree as text for people.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use shakmaty::Position;

use crate::chess::{Ending, Value, fen_of};
use crate::render::in_order::write_in_order;
use crate::render::report::marks::note_line;
use crate::render::report::references::References;
use crate::render::report::walk::{Visit, Walk};
use crate::render::report::{PointOfView, Report, Shown, seen};
use crate::render::words::changes::newest_change;
use crate::render::words::fit::{see, wrap};
use crate::render::words::{
    count, describe_breadth, describe_closing, describe_depth, describe_pending, describe_profile,
    describe_size, numbered_line, numbered_move,
};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const NOTE: Style = AnsiColor::Cyan.on_default();

/// The columns of a header line's name.
const NAME_WIDTH: usize = 9;
/// The columns in front of a move: the mark and the three scores.
const SCORES_WIDTH: usize = 29;
/// The columns that a move with its number takes, nearly always.
const MOVE_WIDTH: usize = 12;
/// The columns that a note has, however deep its move is.
const LEAST_NOTE: usize = 20;

/// Writes a tree: a header, then one line per move with its scores in columns, indented by ply.
/// Styles are ANSI; the caller strips them where they are not wanted. A terminal has a width in
/// columns, for which long lines are broken or shortened; without one nothing is.
pub fn write_text(
    report: &Report<'_>,
    pov: PointOfView,
    width: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_header(report, pov, width, out)?;
    if report.places.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{DIM}    alpha     idea     eval  move{DIM:#}")?;
    let references = References::new(report);
    let page = Page { report, references, pov, width, step: indent_step(report, width) };
    let moves = Walk::new(report).moves();
    write_in_order(moves, |visit, out| page.write_move(visit, out), out)
}

fn write_header(
    report: &Report<'_>,
    pov: PointOfView,
    width: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (row, game, growth) = (&report.tree.row, &report.tree.game, report.growth());
    let mut field = |name: &str, value: &str| write_field(name, value, width, out);
    field("root", &fen_of(game.root()))?;
    if !game.moves().is_empty() {
        field("history", &numbered_line(game.start(), game.moves()))?;
    }
    field("engine", &describe_profile(&row.profile))?;
    field("distance", &describe_breadth(&row.breadth))?;
    if let Some(directed) = describe_pending(&report.tree.directives, &report.tree.said) {
        field("directed", &directed)?;
    }
    let settled = describe_depth(growth.settled().last().map(|last| last.depth));
    field("depth", &format!("{settled} settled of {}", row.target_depth))?;
    let size = describe_size(growth.analysed(), growth.searches());
    field("tree", &format!("{size}, {}", count(growth.passes(), "pass")))?;
    if !report.line.is_empty() {
        field("line", &numbered_line(game.root(), &report.line))?;
    }
    field("value", &value(report, pov))?;
    if let Some(closing) = &report.tree.closing {
        let score = seen(Value::from(closing.score), game.root().turn(), pov);
        let closing = describe_closing(game.root(), closing, score);
        let there = if report.line.is_empty() { "" } else { " at the root" };
        field("closing", &format!("{closing}{there}"))?;
    }
    if report.line.is_empty()
        && let Some(change) = newest_change(report.tree, pov)
    {
        field("change", &change)?;
    }
    if let Some(note) = note_line(report.said(report.start_node())) {
        field("note", &note)?;
    }
    let whose = match pov {
        PointOfView::Mover => "for the side that plays the move",
        PointOfView::White => "for White",
    };
    field("scores", &format!("in pawns, {whose}; * marks candidates"))?;
    if let Some(ending) = Ending::of(game.root()) {
        field("ending", &format!("{}: there is nothing to analyse", ending.name()))?;
    }
    Ok(())
}

fn write_field(
    name: &str,
    value: &str,
    width: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let room = width.map(|width| width.saturating_sub(NAME_WIDTH));
    for (index, line) in wrap(value, room).iter().enumerate() {
        let name = if index == 0 { name } else { "" };
        writeln!(out, "{DIM}{name:<NAME_WIDTH$}{DIM:#}{line}")?;
    }
    Ok(())
}

/// The value where printing begins, and the root's where that is elsewhere.
fn value(report: &Report<'_>, pov: PointOfView) -> String {
    let root = report.tree.game.root().turn();
    let Some(at_root) = report.value().map(|value| seen(value, root, pov)) else {
        return "not known yet".to_owned();
    };
    match report.start_value() {
        Some(value) if !report.line.is_empty() => {
            let there = seen(value, report.start().turn(), pov);
            format!("{there} after the line, {at_root} at the root")
        }
        _ => at_root.to_string(),
    }
}

/// By how much a ply is indented: less where the deepest would leave no room for its move.
fn indent_step(report: &Report<'_>, width: Option<usize>) -> usize {
    let plies = || report.places.iter().map(|place| place.ply);
    let levels = plies().max().unwrap_or(0).saturating_sub(plies().next().unwrap_or(0));
    let levels = usize::try_from(levels).unwrap_or(usize::MAX);
    let fits = |width: usize| SCORES_WIDTH + MOVE_WIDTH + levels.saturating_mul(2) <= width;
    if width.is_none_or(fits) { 2 } else { 1 }
}

/// How lines of moves are written.
struct Page<'a> {
    report: &'a Report<'a>,
    references: References<'a>,
    pov: PointOfView,
    width: Option<usize>,
    step: usize,
}

impl Page<'_> {
    fn write_move(&self, visit: &Visit<'_>, out: &mut dyn Write) -> io::Result<()> {
        let shown = visit.shown;
        let turn = visit.position.turn();
        let style = if shown.is_candidate() { BOLD } else { DIM };
        let mark = if shown.is_candidate() { '*' } else { ' ' };
        let score = |value: Option<Value>| {
            value.map(|value| seen(value, turn, self.pov).to_string()).unwrap_or_default()
        };
        let eval = score(shown.eval().filter(|eval| Some(*eval) != shown.idea()));
        let indent = self.indent(visit.level);
        let san = numbered_move(&visit.position, shown.uci());
        write!(
            out,
            "{mark}{style}{:>8} {:>8} {DIM}{eval:>8}{DIM:#}{style}  {:indent$}{san}{style:#}",
            score(shown.alpha()),
            score(shown.idea()),
            "",
        )?;
        let remarks = self.remarks(shown, SCORES_WIDTH + indent + san.chars().count() + 2);
        if !remarks.is_empty() {
            write!(out, "  {NOTE}{remarks}{NOTE:#}")?;
        }
        writeln!(out)?;
        self.write_note(shown, SCORES_WIDTH + indent, out)
    }

    /// The user's note on the position behind a move, below it.
    fn write_note(&self, shown: Shown<'_>, before: usize, out: &mut dyn Write) -> io::Result<()> {
        let Some(note) = note_line(self.report.said(shown.node())) else {
            return Ok(());
        };
        let room = self.width.map(|width| width.saturating_sub(before + 2).max(LEAST_NOTE));
        for line in wrap(&note, room) {
            writeln!(out, "{:before$}| {NOTE}{line}{NOTE:#}", "")?;
        }
        Ok(())
    }

    fn indent(&self, level: usize) -> usize {
        let room = self.width.map(|width| width.saturating_sub(SCORES_WIDTH + MOVE_WIDTH));
        level.saturating_mul(self.step).min(room.unwrap_or(usize::MAX))
    }

    /// What there is to say of a move, behind so many columns.
    fn remarks(&self, shown: Shown<'_>, used: usize) -> String {
        let mut remarks = self.report.marks(shown);
        if let Some(ending) = self.report.growth().graph().ending(shown.node()) {
            remarks.push(ending.name().to_owned());
        } else if shown.is_repetition() {
            remarks.push("repetition".to_owned());
        } else if shown.is_transposition() {
            let used = used + remarks.iter().map(|remark| remark.len() + 2).sum::<usize>();
            let room = self.width.map(|width| width.saturating_sub(used));
            remarks.push(see(&self.references.line_to(shown.node()), room));
        }
        remarks.join(", ")
    }
}
