//! The tree as text for people.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use hashbrown::HashMap;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use crate::chess::{Ending, fen_of, san_of};
use crate::engine::{Limit, Profile};
use crate::tree::{Child, NodeId, Place};

use super::report::{PointOfView, Report, after, seen, uci_of};
use super::verdict::newest_change;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const NOTE: Style = AnsiColor::Cyan.on_default();

/// Writes a tree: a header, then one line per move with its scores in columns, indented by ply.
/// Styles are ANSI; the caller strips them where they are not wanted.
///
/// # Errors
///
/// Where `out` cannot be written.
pub fn write_text(report: &Report<'_>, pov: PointOfView, out: &mut dyn Write) -> io::Result<()> {
    write_header(report, pov, out)?;
    if report.places.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{DIM}    alpha     idea     eval  move{DIM:#}")?;
    write_moves(report, pov, out)
}

fn write_header(report: &Report<'_>, pov: PointOfView, out: &mut dyn Write) -> io::Result<()> {
    let (row, game, growth) = (&report.tree.row, &report.tree.game, report.growth());
    let mut field = |name: &str, value: &str| writeln!(out, "{DIM}{name:<9}{DIM:#}{value}");
    field("root", &fen_of(game.root()))?;
    if !game.moves().is_empty() {
        field("history", &numbered_line(game.start(), game.moves()))?;
    }
    field("engine", &describe_profile(&row.profile))?;
    field("distance", &format!("{} centipawns", row.distance))?;
    let settled = growth.settled().last().map_or("none".to_owned(), |last| last.depth.to_string());
    field("depth", &format!("{settled} settled of {}", row.target_depth))?;
    field(
        "tree",
        &format!(
            "{} positions, {} searches, {} passes",
            growth.analysed(),
            growth.searches(),
            growth.passes()
        ),
    )?;
    let turn = game.root().turn();
    let value = report.value().map(|value| seen(value, turn, pov).to_string());
    field("value", value.as_deref().unwrap_or("not known yet"))?;
    if report.line.is_empty()
        && let Some(change) = newest_change(report.tree, report.values, pov)
    {
        field("change", &change)?;
    }
    let whose = match pov {
        PointOfView::Mover => "for the side that plays the move",
        PointOfView::White => "for White",
    };
    field("scores", &format!("in pawns, {whose}; * marks candidates"))?;
    if !report.line.is_empty() {
        field("line", &numbered_line(game.root(), &report.line))?;
    }
    if let Some(ending) = Ending::of(game.root()) {
        field("ending", &format!("{}: there is nothing to analyse", ending.name()))?;
    }
    Ok(())
}

/// A position whose moves are being written.
struct Level<'a> {
    place: &'a Place,
    position: Chess,
    next: usize,
}

/// Depth first, without recursion: a line may be long.
fn write_moves(report: &Report<'_>, pov: PointOfView, out: &mut dyn Write) -> io::Result<()> {
    let references = References::new(report);
    let Some(first) = report.places.first() else {
        return Ok(());
    };
    let mut levels = vec![Level { place: first, position: report.start(), next: 0 }];
    while let Some(level) = levels.last_mut() {
        let Some(child) = level.place.moves.get(level.next) else {
            levels.pop();
            continue;
        };
        level.next += 1;
        let note = note(report, &references, child);
        let position = level.position.clone();
        write_move(&position, child, levels.len() - 1, &note, pov, out)?;
        if let Some(place) = child.place.and_then(|place| report.places.get(place)) {
            let position = after(&position, [&uci_of(child)]);
            levels.push(Level { place, position, next: 0 });
        }
    }
    Ok(())
}

fn write_move(
    position: &Chess,
    child: &Child,
    indent: usize,
    note: &str,
    pov: PointOfView,
    out: &mut dyn Write,
) -> io::Result<()> {
    let turn = position.turn();
    let style = if child.candidate { BOLD } else { DIM };
    let mark = if child.candidate { '*' } else { ' ' };
    let eval = match child.edge.eval == child.idea {
        true => String::new(),
        false => seen(child.edge.eval, turn, pov).to_string(),
    };
    let san = san_of(position, uci_of(child));
    write!(
        out,
        "{mark}{style}{:>8} {:>8} {DIM}{eval:>8}{DIM:#}{style}  {:indent$}{}{san}{style:#}",
        seen(child.alpha, turn, pov),
        seen(child.idea, turn, pov),
        "",
        number(position, true),
        indent = 2 * indent,
    )?;
    if !note.is_empty() {
        write!(out, "  {NOTE}{note}{NOTE:#}")?;
    }
    writeln!(out)
}

/// Where each printed position has its moves, to point at from elsewhere.
struct References<'a> {
    report: &'a Report<'a>,
    places: HashMap<NodeId, usize>,
}

impl<'a> References<'a> {
    fn new(report: &'a Report<'a>) -> References<'a> {
        let places = report.places.iter().enumerate().map(|(index, place)| (place.node, index));
        References { report, places: places.collect() }
    }

    fn line_to(&self, node: NodeId) -> String {
        match self.places.get(&node) {
            Some(0) => "the top".to_owned(),
            Some(place) => numbered_line(&self.report.start(), &self.report.moves_to(*place)),
            None => String::new(),
        }
    }
}

fn note(report: &Report<'_>, references: &References<'_>, child: &Child) -> String {
    if let Some(ending) = report.growth().graph().ending(child.edge.child) {
        ending.name().to_owned()
    } else if child.repetition {
        "repetition".to_owned()
    } else if child.transposition {
        format!("transposition: see {}", references.line_to(child.edge.child))
    } else {
        String::new()
    }
}

/// `12. ` before a move of White's, `12... ` before one of Black's where the line begins.
fn number(position: &Chess, begins: bool) -> String {
    match position.turn() {
        Color::White => format!("{}. ", position.fullmoves()),
        Color::Black if begins => format!("{}... ", position.fullmoves()),
        Color::Black => String::new(),
    }
}

/// A line in SAN with move numbers: `1. e4 e5 2. Nf3`.
pub fn numbered_line(start: &Chess, moves: &[UciMove]) -> String {
    let mut position = start.clone();
    let mut line = Vec::new();
    for (index, uci) in moves.iter().enumerate() {
        line.push(format!("{}{}", number(&position, index == 0), san_of(&position, *uci)));
        position = after(&position, [uci]);
    }
    line.join(" ")
}

/// An engine with its options and limit: `Stockfish 15.1, depth 18, Hash=64`.
pub fn describe_profile(profile: &Profile) -> String {
    let limit = match profile.limit {
        Limit::Depth(depth) => format!("depth {depth}"),
        Limit::Nodes(nodes) => format!("{nodes} nodes"),
    };
    let options = profile.options.iter().map(|(name, value)| format!(", {name}={value}"));
    format!("{}, {limit}{}", profile.engine, options.collect::<String>())
}
