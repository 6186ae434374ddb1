//! A picture of the tree as SVG: from left to right by ply, the best line along the top.

use std::io::{self, Write};

use shakmaty::Color;

use crate::tree::drawing::{Drawing, LinkKind, MoveLink, PositionBox};

const STYLE: &str = "\
svg{font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;--ink:#1b1b1b;--faint:#8a8a8a;\
--page:#fdfdfb;--link:#1f6fd6;--included:#2f7d32}
@media(prefers-color-scheme:dark){svg{--ink:#e8e8e8;--faint:#8f8f8f;--page:#1c1c1e;--link:#6cb0ff;--included:#7fce83}}
.page{fill:#fdfdfb;fill:var(--page)}text{fill:#1b1b1b;fill:var(--ink)}
path{fill:none;stroke:#8a8a8a;stroke:var(--faint);stroke-width:1.2}
.best{stroke:#1b1b1b;stroke:var(--ink);stroke-width:3}text.best{font-weight:bold}
.move,.weak,text.best{stroke:#fdfdfb;stroke:var(--page);stroke-width:3px;paint-order:stroke}
text.weak{fill:#8a8a8a;fill:var(--faint)}
text.included{fill:#2f7d32;fill:var(--included)}
rect.w,rect.b,rect.r{stroke:#777;stroke-width:1}
rect.w{fill:#fff}rect.b{fill:#3a3a3c}rect.r{fill:#cfe3f7}
.onw{fill:#111}.onb{fill:#fff}
path.transposition{stroke:#1f6fd6;stroke:var(--link)}
rect.transposition{fill:none;stroke:#1f6fd6;stroke:var(--link)}
path.repetition{stroke-dasharray:5 4}path.head{stroke-dasharray:none}rect.repetition{fill:none;stroke:#8a8a8a;stroke-dasharray:5 4}
.title{font-weight:bold}.legend{font-size:11px}";

/// Writes a drawing as one SVG document that needs nothing else: readable on light and dark pages.
pub fn write_svg(drawing: &Drawing, out: &mut dyn Write) -> io::Result<()> {
    let sheet = Sheet::of(drawing);
    let (width, height) = (sheet.width, sheet.height);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" \
        height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
    )?;
    writeln!(out, "<title>{}</title>", escaped(&drawing.title))?;
    writeln!(out, "<defs><style>{STYLE}</style>")?;
    for class in [class_of(LinkKind::Transposition), class_of(LinkKind::Repetition)] {
        writeln!(
            out,
            "<marker id=\"to-{class}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" \
            markerHeight=\"7\" orient=\"auto\"><path class=\"{class} head\" d=\"M1 1 7 4 1 7\"/>\
            </marker>"
        )?;
    }
    writeln!(out, "</defs>")?;
    writeln!(out, "<rect class=\"page\" width=\"{width}\" height=\"{height}\"/>")?;
    text("title", MARGIN, MARGIN + 6, "start", &drawing.title, out)?;
    // What crosses the tree lies under it.
    for (link, stub) in drawing.links.iter().zip(&sheet.stubs) {
        sheet.write_reference(link, *stub, out)?;
    }
    for (link, stub) in drawing.links.iter().zip(&sheet.stubs) {
        sheet.write_branch(link, *stub, out)?;
    }
    for (node, row) in drawing.boxes.iter().zip(&sheet.rows) {
        write_box(node, *row, out)?;
    }
    text("legend", MARGIN, height - MARGIN, "start", &drawing.legend, out)?;
    writeln!(out, "</svg>")
}

impl Sheet {
    /// The line of a move from its position's box to its own place, with its name.
    fn write_branch(
        &self,
        link: &MoveLink,
        (column, row): (usize, usize),
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let start_row = self.rows.get(link.from).copied().unwrap_or(0);
        let (start, end) = (left(column - 1) + BOX_WIDTH, left(column));
        let (from, to) = (middle(start_row), middle(row));
        let trunk = start + TRUNK;
        let path = match from == to {
            true => format!("M{start} {from}H{end}"),
            false => format!(
                "M{trunk} {from}V{}q0 {RADIUS} {RADIUS} {RADIUS}H{end}",
                to.saturating_sub(RADIUS)
            ),
        };
        let class = if link.best { "best" } else { class_of(link.kind) };
        writeln!(out, "<path class=\"{class}\" d=\"{path}\"/>")?;
        let class = match (link.best, link.included, link.candidate) {
            (true, true, _) => "best included",
            (true, false, _) => "best",
            (false, true, _) => "move included",
            (false, false, true) => "move",
            (false, false, false) => "weak",
        };
        text(class, trunk + 2 * RADIUS, to - 5, "start", &link.label, out)
    }

    /// Where a move leads to a position that stands elsewhere: its value, and an arrow to there.
    fn write_reference(
        &self,
        link: &MoveLink,
        (column, row): (usize, usize),
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if link.kind == LinkKind::Tree {
            return Ok(());
        }
        let (x, y) = (left(column), middle(row));
        let class = class_of(link.kind);
        write_frame(class, x, y, out)?;
        text("move", x + BOX_WIDTH / 2, y + 4, "middle", &link.score, out)?;
        let there = link.to.and_then(|to| Some((to, self.rows.get(to)?)));
        let Some((to, there)) = there else {
            return Ok(());
        };
        let (right, to_x) = (x + BOX_WIDTH, self.right_of(to));
        let bulge = right.max(to_x) + BULGE;
        let to_y = middle(*there) + if *there < row { 5 } else { 0 };
        writeln!(
            out,
            "<path class=\"{class}\" marker-end=\"url(#to-{class})\" \
            d=\"M{right} {y}C{bulge} {y} {bulge} {to_y} {to_x} {to_y}\"/>"
        )
    }
}

fn class_of(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::Tree => "tree",
        LinkKind::Transposition => "transposition",
        LinkKind::Repetition => "repetition",
    }
}

fn write_box(node: &PositionBox, row: usize, out: &mut dyn Write) -> io::Result<()> {
    let (x, y) = (left(node.level), middle(row));
    let (class, ink) = match node.mover {
        Some(Color::White) => ("w", "onw"),
        Some(Color::Black) => ("b", "onb"),
        None => ("r", "onw"),
    };
    write!(out, "<g><title>{}</title>", escaped_lines(&node.tip()))?;
    write_frame(class, x, y, out)?;
    text(ink, x + BOX_WIDTH / 2, y + 4, "middle", &node.score, out)?;
    if let Some(ending) = node.ending {
        text("weak", x + BOX_WIDTH + 8, y + 4, "start", ending, out)?;
    }
    writeln!(out, "</g>")
}

fn write_frame(class: &str, x: usize, y: usize, out: &mut dyn Write) -> io::Result<()> {
    let top = y - BOX_HEIGHT / 2;
    writeln!(
        out,
        "<rect class=\"{class}\" x=\"{x}\" y=\"{top}\" width=\"{BOX_WIDTH}\" \
        height=\"{BOX_HEIGHT}\" rx=\"5\"/>"
    )
}

fn text(
    class: &str,
    x: usize,
    y: usize,
    anchor: &str,
    text: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{}</text>",
        escaped(text)
    )
}

/// The same with its line ends.
fn escaped_lines(text: &str) -> String {
    text.split('\n').map(escaped).collect::<Vec<_>>().join("\n")
}

/// Text as XML has it; what XML cannot have becomes a blank.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() || ['\u{fffe}', '\u{ffff}'].contains(&c) => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Around everything. Lengths are in pixels.
pub const MARGIN: usize = 20;
const TITLE_HEIGHT: usize = 34;
const LEGEND_HEIGHT: usize = 34;
const ROW: usize = 34;
/// A box.
pub const BOX_WIDTH: usize = 62;
pub const BOX_HEIGHT: usize = 22;
/// From box to box: room for a move's name.
const GAP: usize = 124;
/// From a box to the vertical line that its moves branch off.
pub const TRUNK: usize = 14;
/// Of the corner where a move leaves the trunk.
pub const RADIUS: usize = 6;
/// How far a link to another place of the tree bulges to the right.
pub const BULGE: usize = 46;
/// The width of a character of the title.
const LETTER: usize = 8;

/// Where everything stands.
pub struct Sheet {
    /// The column of each box.
    levels: Vec<usize>,
    /// The row of each box.
    pub rows: Vec<usize>,
    /// The column and row of what each link leads to, or of the stub in its place.
    pub stubs: Vec<(usize, usize)>,
    pub width: usize,
    pub height: usize,
}

impl Sheet {
    /// A box stands in the row of its first move, so that the best line is straight; every other
    /// move begins a new row. Links come in the order of a depth-first walk.
    pub fn of(drawing: &Drawing) -> Sheet {
        let mut rows = vec![0; drawing.boxes.len()];
        let mut begun = vec![false; drawing.boxes.len()];
        let (mut last, mut columns, mut stubs) = (0, 0, Vec::new());
        for link in &drawing.links {
            if begun.get(link.from).copied().unwrap_or(true) {
                last += 1;
            }
            if let Some(begun) = begun.get_mut(link.from) {
                *begun = true;
            }
            let column = drawing.boxes.get(link.from).map_or(0, |node| node.level) + 1;
            columns = columns.max(column);
            stubs.push((column, last));
            let to = link.to.filter(|_| link.kind == LinkKind::Tree);
            if let Some(row) = to.and_then(|to| rows.get_mut(to)) {
                *row = last;
            }
        }
        let text = drawing.title.chars().count().max(drawing.legend.chars().count()) * LETTER;
        let tree = left(columns) + BOX_WIDTH + BULGE;
        Sheet {
            levels: drawing.boxes.iter().map(|node| node.level).collect(),
            rows,
            stubs,
            width: (MARGIN + text).max(tree) + MARGIN,
            height: middle(last + 1) + LEGEND_HEIGHT,
        }
    }

    /// The right edge of a box.
    pub fn right_of(&self, index: usize) -> usize {
        let column = self.levels.get(index).copied().unwrap_or(0);
        left(column) + BOX_WIDTH
    }
}

/// The left edge of a column's boxes.
pub fn left(column: usize) -> usize {
    MARGIN + column * (BOX_WIDTH + GAP)
}

/// The middle of a row.
pub fn middle(row: usize) -> usize {
    MARGIN + TITLE_HEIGHT + row * ROW + ROW / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        assert_eq!(escaped("<a b=\"&\">\u{1b}\u{ffff}"), "&lt;a b=&quot;&amp;&quot;&gt;  ");
    }
}
