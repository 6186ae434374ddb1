//! A picture of the tree in Graphviz's language.

use std::io::{self, Write};

use shakmaty::Color;

use super::drawing::{Drawing, Kind, Link, Node};

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

fn write_box(index: usize, node: &Node, out: &mut dyn Write) -> io::Result<()> {
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

fn write_link(index: usize, link: &Link, drawing: &Drawing, out: &mut dyn Write) -> io::Result<()> {
    let to = match link.to {
        Some(to) => format!("n{to}"),
        None => {
            writeln!(out, "  r{index} [label={}, fillcolor=\"#ffffff\"];", quoted(&link.score))?;
            format!("r{index}")
        }
    };
    // A box has the value of the line that it stands on; another line may give another.
    let there = link.to.and_then(|to| drawing.boxes.get(to));
    let label = match there {
        Some(node) if node.score != link.score => format!("{} ({})", link.label, link.score),
        _ => link.label.clone(),
    };
    let mut attributes = vec![format!("label={}", quoted(&label))];
    attributes.extend(match link.kind {
        Kind::Tree => None,
        Kind::Transposition => Some("color=\"#1f6fd6\", constraint=false".to_owned()),
        Kind::Repetition => Some("style=dashed, constraint=false".to_owned()),
    });
    if link.included {
        attributes.push(format!("fontcolor=\"{INCLUDED}\""));
        if link.kind != Kind::Transposition {
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

/// A string in quotes. A backslash is text: nothing of ours means an escape but the line's end.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_stay_strings() {
        assert_eq!(quoted("a\"b\\N\n\u{7}"), "\"a\\\"b\\\\N\\n \"");
    }
}
