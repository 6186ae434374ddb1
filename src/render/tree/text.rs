//! The tree as text for people: the best line of each move as a paragraph, deviations below it.

use std::io::{self, Write};

use anstyle::Style;
use shakmaty::{Chess, Position};

use crate::analysis::Prospect;
use crate::chess::{Value, san_of};
use crate::render::in_order::write_in_order;
use crate::render::report::marks::note_line;
use crate::render::report::references::References;
use crate::render::report::{Report, Shown};
use crate::render::words::fit::wrap;
use crate::render::words::{after, number, numbered_line};
use crate::render::{PointOfView, seen};

use super::head::{write_details, write_head};
use super::paragraphs::{Paragraph, Paragraphs};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// The columns in front of a paragraph: its score.
const SCORE_WIDTH: usize = 9;
/// The columns that a paragraph has, however many deviations lead to it.
const LEAST_WIDTH: usize = 40;

/// Writes a tree: the verdict, then a paragraph for each move of the position where printing begins and for
/// each deviation, with the score of its first move. The width is in columns. Styles are ANSI; the caller
/// strips them where they are not wanted. The prospects are those of the position where printing begins.
pub fn write_text(
    report: &Report<'_>,
    prospects: &[Prospect],
    (pov, width): (PointOfView, usize),
    out: &mut dyn Write,
) -> io::Result<()> {
    write_head(report, (pov, width), out)?;
    if !report.places.is_empty() {
        writeln!(out, "\n{DIM}  score  line{DIM:#}")?;
        let page = Page { report, references: References::new(report), prospects, pov, width };
        let put = |paragraph: &Paragraph<'_>, out: &mut dyn Write| page.write(paragraph, out);
        write_in_order(Paragraphs::new(report), put, out)?;
    }
    let legend =
        "indented below a line: what else can be played on it, with the score of its first move";
    write_details(report, (pov, width), &[legend], out)
}

/// How paragraphs are written.
struct Page<'a> {
    report: &'a Report<'a>,
    references: References<'a>,
    prospects: &'a [Prospect],
    pov: PointOfView,
    width: usize,
}

impl Page<'_> {
    fn write(&self, paragraph: &Paragraph<'_>, out: &mut dyn Write) -> io::Result<()> {
        let Some(first) = paragraph.moves.first() else {
            return Ok(());
        };
        let style = match first {
            first if !first.is_candidate() => DIM,
            _ if paragraph.level == 0 => BOLD,
            _ => Style::new(),
        };
        let score = |value: Value| seen(value, paragraph.position.turn(), self.pov).to_string();
        let score = first.alpha().map(score).unwrap_or_default();
        let most = self.width.saturating_sub(SCORE_WIDTH + LEAST_WIDTH);
        let indent = SCORE_WIDTH + (2 * paragraph.level).min(most);
        let room = self.width.saturating_sub(indent + 2);
        for (index, line) in wrap(&self.words(paragraph), Some(room)).iter().enumerate() {
            match index {
                0 => {
                    let blank = indent - SCORE_WIDTH;
                    writeln!(out, "{style}{score:>7}  {:blank$}{line}{style:#}", "")?;
                }
                // What goes on hangs below the first move.
                _ => writeln!(out, "{style}{:1$}{line}{style:#}", "", indent + 2)?,
            }
        }
        Ok(())
    }

    /// The moves with what there is to say of each.
    fn words(&self, paragraph: &Paragraph<'_>) -> String {
        let (mut words, mut position) = (Vec::new(), paragraph.position.clone());
        let mut begins = true;
        for shown in &paragraph.moves {
            let uci = shown.uci();
            words.push(format!("{}{}", number(&position, begins), san_of(&position, uci)));
            let said = self.said(*shown, &position);
            begins = !said.is_empty();
            words.extend(said);
            position = after(&position, [&uci]);
        }
        words.extend(self.behind(paragraph, &position));
        words.join(" ")
    }

    /// What there is to say of a move that is played in a position, and of the position behind it.
    fn said(&self, shown: Shown<'_>, position: &Chess) -> Vec<String> {
        let mut remarks = self.report.marks(shown);
        if let Some(idea) = shown.other_idea() {
            remarks.insert(0, format!("idea {}", seen(idea, position.turn(), self.pov)));
        }
        if let Some(ending) = self.report.growth().graph().ending(shown.node()) {
            remarks.push(ending.name().to_owned());
        } else if shown.is_repetition() {
            remarks.push("repetition".to_owned());
        } else if shown.is_transposition() {
            remarks.push(format!("see {}", self.references.line_to(shown.node())));
        }
        let note = note_line(self.report.said(shown.node())).map(|note| format!("{{{note}}}"));
        let remarks = (!remarks.is_empty()).then(|| format!("({})", remarks.join(", ")));
        remarks.into_iter().chain(note).collect()
    }

    /// What follows a paragraph: dots where the tree goes on, the engine's own line where it ends behind the
    /// best line of a first move.
    fn behind(&self, paragraph: &Paragraph<'_>, end: &Chess) -> Option<String> {
        let last = paragraph.moves.last()?;
        let goes_on = last.place().is_none() && !last.is_repetition() && !last.is_transposition();
        if goes_on && self.report.growth().graph().is_analysed(last.node()) {
            return last.child().map(|_| "…".to_owned());
        }
        let first = paragraph.moves.first()?.uci();
        let prospect = self.prospects.iter().find(|prospect| prospect.best.uci == first);
        let prospect = prospect.filter(|_| paragraph.level == 0)?;
        let is_whole = prospect.best.line.len() == paragraph.moves.len();
        let continues = is_whole && !prospect.continuation.is_empty();
        continues.then(|| format!("[{}]", numbered_line(end, &prospect.continuation)))
    }
}
