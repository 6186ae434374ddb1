//! What is remarkable in a tree: its largest circles, and where it contradicts the engine.

use std::io::{self, Write};

use anstyle::Style;

use crate::render::words::after;
use crate::render::words::figures::grouped;
use crate::render::{PointOfView, numbered_line, seen};
use deepanalyze_core::chess::{epd_of, san_of};

use super::text::TreeFacts;

const DIM: Style = Style::new().dimmed();

/// Columns of the text.
const WIDTH: usize = 80;

/// Writes the largest circles.
pub(super) fn write_circles(facts: &TreeFacts<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{DIM}the largest circles, each with its position nearest to the root{DIM:#}")?;
    if facts.circles.is_empty() {
        writeln!(out, "none: no position leads back to itself")?;
    }
    for circle in &facts.circles {
        let (line, epd) = place(facts, circle.nearest);
        let positions = format!("{:>6} positions  ", grouped(circle.positions as u64));
        write_wrapped(&positions, &line, out)?;
        writeln!(out, "{:18}{epd}", "")?;
    }
    Ok(())
}

/// Writes where tree and engine disagree most.
pub(super) fn write_disagreements(
    facts: &TreeFacts<'_>,
    pov: PointOfView,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "\n{DIM}where the tree contradicts the engine most (pawns, {})\n  \
        engine      tree  after{DIM:#}",
        pov.whose()
    )?;
    if facts.disagreements.is_empty() {
        writeln!(out, "nowhere")?;
    }
    for found in &facts.disagreements {
        let (line, epd) = place(facts, found.node);
        let turn = facts.tree.growth.graph().turn(found.node);
        let score = |value| seen(value, turn, pov);
        let (engine, tree) = (score(found.engine.eval), score(found.idea));
        write_wrapped(&format!("{engine:>8}  {tree:>8}  "), &line, out)?;
        let position = after(facts.tree.game.root(), &facts.tree.growth.first_line(found.node));
        let name = |edge: deepanalyze_core::tree::Edge| san_of(&position, edge.uci.unpack());
        let (engine, tree) = (name(found.engine), name(found.tree));
        match engine == tree {
            true => writeln!(out, "{:20}both: {engine}", "")?,
            false => writeln!(out, "{:20}engine: {engine}, tree: {tree}", "")?,
        }
        writeln!(out, "{:20}{epd}", "")?;
    }
    Ok(())
}

/// How a position is reached, and the position.
fn place(facts: &TreeFacts<'_>, node: deepanalyze_core::tree::NodeId) -> (String, String) {
    let line = facts.tree.growth.first_line(node);
    let words = match line.is_empty() {
        true => "the root".to_owned(),
        false => numbered_line(facts.tree.game.root(), &line),
    };
    (words, epd_of(&facts.tree.growth.position(node)))
}

/// A text behind a heading, in as many lines as it takes.
fn write_wrapped(heading: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let indent = heading.chars().count();
    write!(out, "{heading}")?;
    let mut column = indent;
    for (index, word) in with_numbers(text).enumerate() {
        let length = word.chars().count();
        if index > 0 && column + 1 + length > WIDTH {
            write!(out, "\n{:indent$}", "")?;
            column = indent;
        } else if index > 0 {
            write!(out, " ")?;
            column += 1;
        }
        write!(out, "{word}")?;
        column += length;
    }
    writeln!(out)
}

/// The words of a line, each move with its number.
fn with_numbers(line: &str) -> impl Iterator<Item = String> + '_ {
    let mut words = line.split(' ');
    std::iter::from_fn(move || {
        let word = words.next()?;
        match word.ends_with('.') {
            true => Some(format!("{word} {}", words.next().unwrap_or_default())),
            false => Some(word.to_owned()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_wrapped_between_moves() {
        let line = (1..30).map(|n| format!("{n}. Nf3 Nc6")).collect::<Vec<_>>().join(" ");
        let mut out = Vec::new();
        write_wrapped("   3 positions  ", &line, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.lines().count() > 3 && text.lines().all(|line| line.len() <= WIDTH));
        assert!(text.lines().skip(1).all(|line| line.starts_with(&" ".repeat(16))), "{text}");
        assert!(text.lines().all(|line| !line.ends_with('.')), "{text}");
        assert_eq!(text.split_whitespace().skip(2).collect::<Vec<_>>().join(" "), line);
    }
}
