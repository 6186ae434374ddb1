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

/// Writes a drawing as one self-contained SVG document, readable on light and dark pages.
pub fn write_svg(drawing: &Drawing, out: &mut dyn Write) -> io::Result<()> {
    let (width, height) = size_of(drawing);
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
    // Links across the tree lie under it.
    let mut references = drawing.links.iter().filter(|link| link.kind != LinkKind::Tree);
    references.try_for_each(|link| write_reference(link, drawing, out))?;
    drawing.links.iter().try_for_each(|link| write_branch(link, drawing, out))?;
    drawing.boxes.iter().try_for_each(|node| write_box(node, out))?;
    text("legend", MARGIN, height - MARGIN, "start", &drawing.legend, out)?;
    writeln!(out, "</svg>")
}

/// Width and height of a drawing.
fn size_of(drawing: &Drawing) -> (usize, usize) {
    let text = drawing.title.chars().count().max(drawing.legend.chars().count()) * LETTER;
    let columns = drawing.links.iter().map(|link| link.level).max().unwrap_or(0);
    let tree = left(columns) + BOX_WIDTH + BULGE;
    let last = drawing.links.last().map_or(0, |link| link.row);
    ((MARGIN + text).max(tree) + MARGIN, middle(last + 1) + LEGEND_HEIGHT)
}

/// The line of a move from its position's box to its own place, with its name.
fn write_branch(link: &MoveLink, drawing: &Drawing, out: &mut dyn Write) -> io::Result<()> {
    let start_row = drawing.boxes.get(link.from).map_or(0, |node| node.row);
    let (start, end) = (left(link.level - 1) + BOX_WIDTH, left(link.level));
    let (from, to) = (middle(start_row), middle(link.row));
    let trunk = start + TRUNK;
    let path = if from == to {
        format!("M{start} {from}H{end}")
    } else {
        format!("M{trunk} {from}V{}q0 {RADIUS} {RADIUS} {RADIUS}H{end}", to.saturating_sub(RADIUS))
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

/// A move to a position drawn elsewhere: its value, and an arrow to there.
fn write_reference(link: &MoveLink, drawing: &Drawing, out: &mut dyn Write) -> io::Result<()> {
    let (x, y) = (left(link.level), middle(link.row));
    let class = class_of(link.kind);
    write_frame(class, x, y, out)?;
    text("move", x + BOX_WIDTH / 2, y + 4, "middle", &link.score, out)?;
    let Some(there) = link.to.and_then(|to| drawing.boxes.get(to)) else {
        return Ok(());
    };
    let (right, to_x) = (x + BOX_WIDTH, left(there.level) + BOX_WIDTH);
    let bulge = right.max(to_x) + BULGE;
    let to_y = middle(there.row) + if there.row < link.row { 5 } else { 0 };
    writeln!(
        out,
        "<path class=\"{class}\" marker-end=\"url(#to-{class})\" \
        d=\"M{right} {y}C{bulge} {y} {bulge} {to_y} {to_x} {to_y}\"/>"
    )
}

fn class_of(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::Tree => "tree",
        LinkKind::Transposition => "transposition",
        LinkKind::Repetition => "repetition",
    }
}

fn write_box(node: &PositionBox, out: &mut dyn Write) -> io::Result<()> {
    let (x, y) = (left(node.level), middle(node.row));
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

/// Escaped text with line ends.
fn escaped_lines(text: &str) -> String {
    text.split('\n').map(escaped).collect::<Vec<_>>().join("\n")
}

/// Text escaped for XML and HTML; forbidden characters become blanks.
pub fn escaped(text: &str) -> String {
    let is_none = |c: char| c.is_control() || ['\u{fffe}', '\u{ffff}'].contains(&c);
    let text = text.replace(is_none, " ").replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// Around everything. Lengths are in pixels.
const MARGIN: usize = 20;
const TITLE_HEIGHT: usize = 34;
const LEGEND_HEIGHT: usize = 34;
const ROW: usize = 34;
/// A box.
const BOX_WIDTH: usize = 62;
const BOX_HEIGHT: usize = 22;
/// From box to box: room for a move's name.
const GAP: usize = 124;
/// From a box to the vertical line that its moves branch off.
const TRUNK: usize = 14;
/// Of the corner where a move leaves the trunk.
const RADIUS: usize = 6;
/// How far a link to another place of the tree bulges to the right.
const BULGE: usize = 46;
/// The width of a character of the title.
const LETTER: usize = 8;

/// The left edge of a column's boxes.
fn left(column: usize) -> usize {
    MARGIN + column * (BOX_WIDTH + GAP)
}

/// The middle of a row.
fn middle(row: usize) -> usize {
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
