//! The tree as text for people: the best line of each move as a paragraph, deviations below it.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::Style;
use shakmaty::{Chess, Color, Position};

use deepanalyze_core::chess::{Value, push_san};
use deepanalyze_core::tree::Place;

use crate::tree::layout::TreeReport;
use crate::tree::references::References;
use crate::tree::verdict::{in_parentheses, write_details, write_head, write_table_moves};
use crate::tree::walk::note_line;
use deepanalyze_view::{
    Shown, describe_expected, describe_wdl, play, push_number, rows, write_in_order,
};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// The columns before a paragraph: its score.
const SCORE_WIDTH: usize = 9;
/// Bytes that nearly always suffice for a paragraph's words beside its moves, and for a move's.
const ROOM: usize = 64;
const ROOM_OF_A_MOVE: usize = 10;
/// The least columns of a paragraph, however deeply indented.
const LEAST_WIDTH: usize = 40;

/// Writes a tree: the verdict, then a paragraph for each move of the position where printing begins and for
/// each deviation, with the score of its first move. The width is in columns. Styles are ANSI; the caller
/// strips them where they are not wanted. The first moves are those of the position where printing begins.
pub fn write_text(report: &TreeReport<'_>, width: usize, out: &mut dyn Write) -> io::Result<()> {
    write_head(report, width, out)?;
    write_table_moves(report, out)?;
    if !report.places.is_empty() {
        writeln!(out, "\n{DIM}  score  line{DIM:#}")?;
        let page = Paragraphing { report, references: References::new(report), width };
        let put = |paragraph: &Paragraph<'_>, out: &mut dyn Write| page.write(paragraph, out);
        write_in_order(Paragraphs::new(report), put, out)?;
    }
    let mut legend = vec![
        "indented below a line: what else can be played on it, with the score of its first move",
    ];
    if report.people.is_some() {
        legend.push(
            "scores 56.5%: points in 100 that your side can expect, for the first move of a line",
        );
    }
    write_details(report, width, &legend, out)
}

/// State of the paragraphs.
struct Paragraphing<'a> {
    report: &'a TreeReport<'a>,
    references: References<'a>,
    width: usize,
}

impl Paragraphing<'_> {
    fn write(&self, paragraph: &Paragraph<'_>, out: &mut dyn Write) -> io::Result<()> {
        let Some(first) = paragraph.moves.first() else {
            return Ok(());
        };
        let style = match first {
            first if !first.is_candidate() => DIM,
            _ if paragraph.level == 0 => BOLD,
            _ => Style::new(),
        };
        let score = |value: Value| self.report.seen(value, paragraph.position.turn()).to_string();
        let score = first.alpha().map(score).unwrap_or_default();
        let most = self.width.saturating_sub(SCORE_WIDTH + LEAST_WIDTH);
        let indent = SCORE_WIDTH + (2 * paragraph.level).min(most);
        let room = self.width.saturating_sub(indent + 2);
        let words = self.words(paragraph);
        let mut text = String::with_capacity(words.len() + ROOM);
        for (index, row) in rows(&words, room).into_iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = match index {
                0 => write!(text, "{style}{score:>7}  {:1$}", "", indent - SCORE_WIDTH),
                // Continuations hang below the first move.
                _ => write!(text, "{style}{:1$}", "", indent + 2),
            };
            text.push_str(row);
            let _ = writeln!(text, "{style:#}");
        }
        out.write_all(text.as_bytes())
    }

    /// The moves with the words about each.
    fn words(&self, paragraph: &Paragraph<'_>) -> String {
        let mut words = String::with_capacity(ROOM + paragraph.moves.len() * ROOM_OF_A_MOVE);
        let (mut position, mut begins) = (paragraph.position.clone(), true);
        for (index, shown) in paragraph.moves.iter().enumerate() {
            words.push_str(if index > 0 { " " } else { "" });
            let mover = position.turn();
            push_number(mover, position.fullmoves().get(), begins, &mut words);
            push_san(&mut position, shown.uci, &mut words);
            let mut said = self.said(*shown, mover);
            let wdl = self.report.wdl(*shown).filter(|_| index == 0);
            let pov = self.report.options.pov;
            said.extend(wdl.map(|wdl| format!("({})", describe_wdl(wdl, mover, pov))));
            let expected = self.report.expected(*shown).filter(|_| index == 0);
            said.extend(
                expected.map(|expected| format!("(scores {})", describe_expected(expected))),
            );
            begins = !said.is_empty();
            said.iter().for_each(|said| words.extend([" ", said]));
        }
        self.behind(paragraph).iter().for_each(|own| words.extend([" ", own]));
        words
    }

    /// The words about a move, and about the position behind it.
    fn said(&self, shown: Shown<'_>, mover: Color) -> Vec<String> {
        let mut remarks = self.report.marks(shown);
        if let Some(idea) = shown.other_idea() {
            remarks.insert(0, format!("idea {}", self.report.seen(idea, mover)));
        }
        if let Some(ending) = self.report.growth().graph().ending(shown.node) {
            remarks.push(ending.name().to_owned());
        } else if shown.is_repetition() {
            remarks.push("repetition".to_owned());
        } else if shown.is_transposition() {
            remarks.push(format!("see {}", self.references.line_to(shown.node)));
        }
        let note = note_line(self.report.said(shown.node)).map(|note| format!("{{{note}}}"));
        let remarks = (!remarks.is_empty()).then(|| format!("({})", remarks.join(", ")));
        let known =
            self.report.known(shown.node).map(|known| in_parentheses(known.turned().words()));
        remarks.into_iter().chain(known).chain(note).collect()
    }

    /// The end of a paragraph: dots if the tree goes on, the engine's own line if it ends behind the
    /// best line of a first move.
    fn behind(&self, paragraph: &Paragraph<'_>) -> Option<String> {
        let last = paragraph.moves.last()?;
        let goes_on = last.place().is_none() && !last.is_repetition() && !last.is_transposition();
        if goes_on && self.report.growth().graph().is_analysed(last.node) {
            return last.child.map(|_| "…".to_owned());
        }
        let first = paragraph.moves.first()?.uci;
        let told = self.report.first.iter().find(|told| told.uci == first)?;
        let is_whole = paragraph.level == 0 && told.in_tree == paragraph.moves.len();
        is_whole.then(|| told.own_words(&paragraph.position)).filter(|own| !own.is_empty())
    }
}

/// A line of moves: the first is the root's best one, or a deviation; each of the others is the
/// best one behind the move before.
pub struct Paragraph<'a> {
    /// The position of the first move, with the clocks of the game.
    pub position: Chess,
    /// The moves.
    pub moves: Vec<Shown<'a>>,
    /// The deviations before it.
    pub level: usize,
}

/// A move that begins a paragraph.
struct ParagraphStart<'a> {
    position: Chess,
    shown: Shown<'a>,
    level: usize,
}

/// The paragraphs from top to bottom, without recursion: a line may be long.
pub struct Paragraphs<'a> {
    report: &'a TreeReport<'a>,
    /// Paragraphs left, last first.
    waiting: Vec<ParagraphStart<'a>>,
}

impl<'a> Paragraphs<'a> {
    /// All paragraphs of a report.
    pub fn new(report: &'a TreeReport<'a>) -> Paragraphs<'a> {
        let first = |shown| ParagraphStart { position: report.start(), shown, level: 0 };
        let waiting = report.places.first().into_iter().flat_map(Shown::of_place).map(first);
        let mut waiting: Vec<ParagraphStart<'a>> = waiting.collect();
        waiting.reverse();
        Paragraphs { report, waiting }
    }

    fn place_behind(&self, shown: Shown<'a>) -> Option<&'a Place> {
        self.report.places.get(shown.place()?)
    }
}

impl<'a> Iterator for Paragraphs<'a> {
    type Item = Paragraph<'a>;

    fn next(&mut self) -> Option<Paragraph<'a>> {
        let ParagraphStart { position, shown, level } = self.waiting.pop()?;
        let (mut moves, mut there, mut last) = (vec![shown], position.clone(), shown);
        let mut deviations = Vec::new();
        while let Some(place) = self.place_behind(last) {
            play(&mut there, last.uci);
            let mut all = Shown::of_place(place);
            let Some(best) = all.next() else {
                break;
            };
            let deviation =
                |shown| ParagraphStart { position: there.clone(), shown, level: level + 1 };
            deviations.extend(all.map(deviation));
            moves.push(best);
            last = best;
        }
        self.waiting.extend(deviations.into_iter().rev());
        Some(Paragraph { position, moves, level })
    }
}
