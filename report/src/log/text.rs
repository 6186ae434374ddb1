//! The history of a verdict, as text for people.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use shakmaty::Position;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::fen_of;

use crate::kept::stages::stage_lines;
use crate::kept::tree::KeptTree;
use crate::log::words::ChangeWords;
use crate::log::{AlphaChange, LoggedDepth, changes};
use crate::words::figures::timestamp;
use crate::words::fit::{columns, cut, write_field};
use crate::words::manner::{describe_breadth, describe_profile};
use crate::words::moves::{PointOfView, describe_end, numbered_line};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const NOTE: Style = AnsiColor::Cyan.on_default();

/// Columns of the text, where lines can be cut.
const WIDTH: usize = 80;
/// Columns before a stage's score and line.
const INDENT: usize = 7;

/// How a verdict came about.
#[derive(Debug)]
pub struct Log<'a> {
    /// The tree.
    pub tree: &'a KeptTree,
    /// What each depth made of its root, depth 0 first.
    pub stages: &'a [LoggedDepth],
}

/// Writes the history for people: each depth with its best line, then what changed each root move;
/// with `passes`, every pass that changed the best move or its alpha.
pub fn write_log(
    log: &Log<'_>,
    pov: PointOfView,
    passes: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_header(log.tree, pov, out)?;
    let words = ChangeWords { root: log.tree.game.root(), stages: log.stages, pov };
    if let Some(end) = describe_end(words.root) {
        return writeln!(out, "\n{end}");
    }
    if log.stages.is_empty() {
        return writeln!(out, "\nno depth is settled yet");
    }
    write_stages(&words, out)?;
    write_moves(&words, out)?;
    if passes {
        write_course(log.tree, &words, out)?;
    }
    Ok(())
}

fn write_header(tree: &KeptTree, pov: PointOfView, out: &mut dyn Write) -> io::Result<()> {
    let (row, game) = (&tree.row, &tree.game);
    let stages = stage_lines(&tree.stages, row.id.0, (game.root().turn(), pov));
    let mut field = |name: &str, value: &str| write_field((name, 9), value, None, out);
    field("root", &fen_of(game.root()))?;
    if !game.moves().is_empty() {
        field("history", &numbered_line(game.start(), game.moves()))?;
    }
    field("engine", &describe_profile(&row.profile))?;
    for (index, line) in stages.iter().enumerate() {
        field(if index == 0 { "stages" } else { "" }, line)?;
    }
    field("distance", &describe_breadth(&row.breadth))?;
    field("scores", &format!("in pawns, {}; * marks another best move", pov.whose()))
}

fn write_stages(words: &ChangeWords<'_>, out: &mut dyn Write) -> io::Result<()> {
    let heading = "depth  when (UTC)             passes   searches  positions";
    writeln!(out, "\n{DIM}{heading}{DIM:#}")?;
    for (index, stage) in words.stages.iter().enumerate() {
        let so_far = if stage.settled_at.is_some() { "" } else { "  so far" };
        writeln!(
            out,
            "{:>5}  {:<20} {:>7} {:>10} {:>10}{so_far}",
            stage.depth,
            timestamp(stage.at).replace(['T', 'Z'], " "),
            stage.passes,
            stage.searches,
            stage.positions,
        )?;
        let mark = if words.best_before(index).is_some() { '*' } else { ' ' };
        let value = stage.value.map_or("?".to_owned(), |value| words.score(value));
        let line = stage.moves.first().map_or(&[][..], |m| &m.line);
        let line = cut(&numbered_line(words.root, line), WIDTH - INDENT - 4);
        writeln!(out, "{mark} {value:>7}  {BOLD}{line}{BOLD:#}")?;
    }
    Ok(())
}

/// The root moves as they stand, best first, each with its last change and, where that is another
/// one, its greatest.
fn write_moves(words: &ChangeWords<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Some(last) = words.stages.iter().rev().find(|stage| !stage.moves.is_empty()) else {
        return Ok(());
    };
    writeln!(
        out,
        "\n{DIM}what changed the moves: the last change of each, and its greatest{DIM:#}"
    )?;
    for m in &last.moves {
        let name = words.name(m.named.uci);
        let (score, all) = (words.score(m.alpha), changes(words.stages, m.named.uci));
        let Some(newest) = all.last() else {
            let listed = words.stages.iter().find(|stage| stage.find(m.named.uci).is_some());
            let since = listed.map_or(0, |stage| stage.depth);
            writeln!(out, "{BOLD}{name:<10}{BOLD:#} {score} since depth {since}")?;
            continue;
        };
        write_change(words, m.named.uci, &name, newest, out)?;
        let size = |change: &AlphaChange| change.after.get().abs_diff(change.before.get());
        let greatest = all.iter().rev().max_by_key(|change| size(change));
        if let Some(greatest) = greatest.filter(|greatest| size(greatest) > size(newest)) {
            write_change(words, m.named.uci, "", greatest, out)?;
        }
    }
    Ok(())
}

fn write_change(
    words: &ChangeWords<'_>,
    uci: UciMove,
    name: &str,
    change: &AlphaChange,
    out: &mut dyn Write,
) -> io::Result<()> {
    let values = words.values(change);
    let text = |fully| {
        let because = words.because(uci, change, fully);
        format!("{values} from depth {} to {}, {because}", change.since, change.depth)
    };
    let room = WIDTH.saturating_sub(columns(name).max(10) + 1);
    let full = text(true);
    let told = if columns(&full) <= room { full } else { text(false) };
    let (values, rest) = told.split_at(values.len().min(told.len()));
    writeln!(out, "{BOLD}{name:<10}{BOLD:#} {values}{NOTE}{rest}{NOTE:#}")
}

fn write_course(tree: &KeptTree, words: &ChangeWords<'_>, out: &mut dyn Write) -> io::Result<()> {
    let heading = " pass  when (UTC)           searches  positions    value  best";
    writeln!(out, "\n{DIM}{heading}{DIM:#}")?;
    let mut best = None;
    for point in &tree.course {
        let mark = if best.is_some_and(|best| best != point.best) { '*' } else { ' ' };
        best = Some(point.best);
        writeln!(
            out,
            "{:>5}  {:<20} {:>7} {:>10}  {:>7} {mark}{}",
            point.passes,
            timestamp(point.noted_at).replace(['T', 'Z'], " "),
            point.searches,
            point.positions,
            words.score(point.alpha),
            words.name(point.best),
        )?;
    }
    Ok(())
}
