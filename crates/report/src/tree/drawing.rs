//! A picture of a tree: boxes for positions, links for moves.

use std::io::{self, Write};

use hashbrown::HashMap;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{TableEnd, Value, epd_of};
use deepanalyze_core::printable::printable;
use deepanalyze_core::tree::{Child, NodeId};

use crate::tree::layout::{TreeReport, uci_of};
use crate::tree::walk::{TreeWalk, WalkStep, note_line};
use deepanalyze_view::{
    after, count, describe_distance, describe_profile, numbered_line, numbered_move, shorten,
};

/// Columns of the title for the moves to the first box: a picture should not be as wide as a game
/// is long.
const TITLE_MOVES: usize = 60;

/// A tree laid out as boxes and links.
#[derive(Debug)]
pub struct Drawing {
    /// The line shown.
    pub title: String,
    /// How to read it.
    pub legend: String,
    /// The first is where printing begins; every other one stands behind the box of its first link.
    pub boxes: Vec<PositionBox>,
    /// In the order of the moves of each position, best first.
    pub links: Vec<MoveLink>,
}

/// A position, or the target of a move if no position is drawn.
#[derive(Debug)]
pub struct PositionBox {
    /// The value of the move that leads here; the best move's in the first box.
    pub score: String,
    /// The side whose move leads here; `None` in the first box.
    pub mover: Option<Color>,
    /// The end of the game here, or the user's value.
    pub ending: Option<&'static str>,
    /// Moves from the first box.
    pub level: usize,
    /// Its row from top to bottom: that of its first move, so that the best line is straight.
    pub row: usize,
    /// The position's EPD.
    pub epd: String,
    /// The user's note.
    pub note: Option<String>,
}

impl PositionBox {
    /// Its tooltip, beyond the drawing.
    pub fn tip(&self) -> String {
        match &self.note {
            Some(note) => format!("{}\n{note}", self.epd),
            None => self.epd.clone(),
        }
    }
}

/// Kinds of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// The move that its box stands behind.
    Tree,
    /// A move to a position that stands elsewhere.
    Transposition,
    /// A return to the path or the game.
    Repetition,
}

/// A move.
#[derive(Debug)]
pub struct MoveLink {
    pub from: usize,
    /// Level (moves from the first box) and row of its target, drawn or not.
    pub level: usize,
    pub row: usize,
    /// The box; `None` for an undrawn repeated position.
    pub to: Option<usize>,
    /// The move in SAN with its number.
    pub label: String,
    /// Its value on this line.
    pub score: String,
    pub kind: LinkKind,
    pub candidate: bool,
    /// True if the user has included it.
    pub included: bool,
    /// True if it belongs to the best line.
    pub best: bool,
}

impl Drawing {
    /// Draws all that a report prints.
    pub fn new(report: &TreeReport<'_>) -> Drawing {
        let whose = report.options.pov.whose();
        let mut drawing = Drawing {
            title: title(report),
            legend: format!(
                "scores in pawns, {whose} · bold: the best line · faint: no candidate · \
                blue: transposition · dashed: repetition"
            ),
            boxes: Vec::new(),
            links: Vec::new(),
        };
        drawing.draw(report);
        if drawing.links.iter().any(|link| link.included) {
            drawing.legend.push_str(" · green: included");
        }
        drawing.mark_best();
        drawing
    }

    fn draw(&mut self, report: &TreeReport<'_>) {
        let start = report.start();
        self.boxes.push(first_box(report, &start));
        let mut box_of: HashMap<NodeId, usize> = HashMap::new();
        box_of.extend(report.places.first().map(|place| (place.node, 0)));
        // The boxes on the way to the visited move, and the links to boxes that may come later.
        let (mut path, mut elsewhere, mut row) = (vec![0], Vec::new(), 0);
        for step in TreeWalk::new(report) {
            let WalkStep::Move(visit) = step else {
                path.pop();
                continue;
            };
            let Some(child) = visit.shown.child else {
                continue;
            };
            // Every move but the first of a position begins a new row.
            row += usize::from(visit.index > 0);
            let (from, level) = (path.last().copied().unwrap_or(0), visit.level + 1);
            let mut link = link(report, &visit.position, child, (from, level, row));
            if link.kind == LinkKind::Tree && box_of.contains_key(&child.edge.child) {
                // At the picture's end, a position may still be reached in several ways.
                link.kind = LinkKind::Transposition;
            }
            if link.kind == LinkKind::Tree {
                link.to = Some(self.boxes.len());
                box_of.insert(child.edge.child, self.boxes.len());
                self.boxes.push(next_box(report, &visit.position, child, level, row));
            } else {
                elsewhere.push((self.links.len(), child.edge.child));
            }
            if child.place.is_some() {
                path.extend(link.to);
            }
            self.links.push(link);
        }
        for (index, node) in elsewhere {
            if let Some(link) = self.links.get_mut(index) {
                link.to = box_of.get(&node).copied();
            }
        }
    }

    /// Follows the first link of each box.
    fn mark_best(&mut self) {
        let (mut at, mut left) = (Some(0), self.boxes.len());
        while let Some(from) = at.filter(|_| left > 0) {
            let link = self.links.iter_mut().find(|link| link.from == from);
            at = None;
            if let Some(link) = link {
                link.best = true;
                at = link.to.filter(|_| link.kind != LinkKind::Repetition);
            }
            left -= 1;
        }
    }
}

fn title(report: &TreeReport<'_>) -> String {
    let (row, game) = (&report.tree.row, &report.tree.game);
    let moves = [game.moves(), &report.line].concat();
    let position = match numbered_line(game.start(), &moves) {
        line if line.is_empty() => "Deep analysis".to_owned(),
        line => format!("After {}", shorten(&line, TITLE_MOVES)),
    };
    let settled =
        row.settled_depth.map_or("no depth complete".to_owned(), |d| format!("depth {d}"));
    format!(
        "{position} · {} · {}, {settled} · {}",
        describe_profile(&row.profile),
        describe_distance(&row.settings.breadth, row.settings.draw),
        count(report.growth().analysed(), "position")
    )
}

fn first_box(report: &TreeReport<'_>, start: &Chess) -> PositionBox {
    let score = |value: Value| report.seen(value, start.turn()).to_string();
    let at_root = || report.line.is_empty().then(|| report.value()).flatten();
    let value = report.best().map(|(_, alpha)| alpha).or_else(at_root);
    let ending = deepanalyze_core::chess::Ending::of(start).map(|ending| ending.name());
    PositionBox {
        score: value.map_or("?".to_owned(), score),
        mover: None,
        ending: ending.or_else(|| report.known(report.start_node()).map(TableEnd::words)),
        level: 0,
        row: 0,
        epd: epd_of(start),
        note: note_line(report.said(report.start_node())),
    }
}

fn next_box(
    report: &TreeReport<'_>,
    position: &Chess,
    child: &Child,
    level: usize,
    row: usize,
) -> PositionBox {
    let said = report.said(child.edge.child);
    let stopped = said.stopped.then_some("stopped");
    let known = report.known_words(child.edge.child);
    PositionBox {
        score: report.seen(child.alpha, position.turn()).to_string(),
        mover: Some(position.turn()),
        ending: known.or_else(|| report.end(child.edge.child)).or(stopped),
        level,
        row,
        epd: epd_of(&after(position, [&uci_of(child)])),
        note: note_line(said),
    }
}

fn link(
    report: &TreeReport<'_>,
    position: &Chess,
    child: &Child,
    (from, level, row): (usize, usize, usize),
) -> MoveLink {
    MoveLink {
        from,
        level,
        row,
        to: None,
        label: numbered_move(position, uci_of(child)),
        score: report.seen(child.alpha, position.turn()).to_string(),
        kind: match child {
            Child { repetition: true, .. } => LinkKind::Repetition,
            Child { transposition: true, .. } => LinkKind::Transposition,
            _ => LinkKind::Tree,
        },
        candidate: child.candidate,
        included: child.included,
        best: false,
    }
}

/// The colour of included moves.
const INCLUDED: &str = "#2f7d32";

/// Writes a drawing as one directed graph, from left to right. A repeated position that is not
/// drawn becomes a box of its own.
pub fn write_dot(drawing: &Drawing, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "digraph tree {{")?;
    let label = format!("{}\n{}", drawing.title, drawing.legend);
    writeln!(out, "  graph [rankdir=LR, label={}, fontname=\"sans-serif\"];", quoted(&label))?;
    writeln!(out, "  node [shape=box, style=\"rounded,filled\", fontname=\"monospace\"];")?;
    writeln!(out, "  edge [fontname=\"monospace\", fontsize=11];")?;
    for (index, node) in drawing.boxes.iter().enumerate() {
        write_box(index, node, out)?;
    }
    for (index, link) in drawing.links.iter().enumerate() {
        write_link(index, link, drawing, out)?;
    }
    writeln!(out, "}}")
}

fn write_box(index: usize, node: &PositionBox, out: &mut dyn Write) -> io::Result<()> {
    let (fill, text) = match node.mover {
        Some(Color::White) => ("#ffffff", "#000000"),
        Some(Color::Black) => ("#333333", "#ffffff"),
        None => ("#cfe3f7", "#000000"),
    };
    let label = match node.ending {
        Some(ending) => format!("{}\n{ending}", node.score),
        None => node.score.clone(),
    };
    writeln!(
        out,
        "  n{index} [label={}, fillcolor=\"{fill}\", fontcolor=\"{text}\", tooltip={}];",
        quoted(&label),
        quoted(&node.tip())
    )
}

fn write_link(
    index: usize,
    link: &MoveLink,
    drawing: &Drawing,
    out: &mut dyn Write,
) -> io::Result<()> {
    let to = match link.to {
        Some(to) => format!("n{to}"),
        None => {
            writeln!(out, "  r{index} [label={}, fillcolor=\"#ffffff\"];", quoted(&link.score))?;
            format!("r{index}")
        }
    };
    // A box has the value of its own line; another line may differ.
    let there = link.to.and_then(|to| drawing.boxes.get(to));
    let label = match there {
        Some(node) if node.score != link.score => format!("{} ({})", link.label, link.score),
        _ => link.label.clone(),
    };
    let mut attributes = vec![format!("label={}", quoted(&label))];
    attributes.extend(match link.kind {
        LinkKind::Tree => None,
        LinkKind::Transposition => Some("color=\"#1f6fd6\", constraint=false".to_owned()),
        LinkKind::Repetition => Some("style=dashed, constraint=false".to_owned()),
    });
    if link.included {
        attributes.push(format!("fontcolor=\"{INCLUDED}\""));
        if link.kind != LinkKind::Transposition {
            attributes.push(format!("color=\"{INCLUDED}\""));
        }
    }
    match (link.best, link.candidate || link.included) {
        (true, _) => attributes.push("penwidth=3".to_owned()),
        (false, false) => attributes.push("fontcolor=\"#888888\"".to_owned()),
        (false, true) => {}
    }
    writeln!(out, "  n{} -> {to} [{}];", link.from, attributes.join(", "))
}

/// A string in quotes. A backslash is text: our only escape is the line's end.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{}\"", printable(&escaped))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_stay_strings() {
        assert_eq!(quoted("a\"b\\N\n\u{7}"), "\"a\\\"b\\\\N\\n \"");
    }
}
