//! The moves of a chapter with a few words behind each: people read them beside a board.

use std::io;

use shakmaty::{Chess, Position};

use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::tree::Place;

use crate::tree::layout::{Bests, TreeReport};
use crate::tree::movetext::{Movetext, nag_of_move};
use crate::tree::pgn::{as_comment, has_move_glyph};
use crate::tree::references::References;
use crate::tree::study::Chapters;
use crate::tree::walk::note_line;
use deepanalyze_view::{Shown, after, share_told};

/// Sources of the text.
#[derive(Clone, Copy)]
pub struct Studied<'a> {
    /// The tree.
    pub report: &'a TreeReport<'a>,
    /// The places of positions' moves.
    pub references: &'a References<'a>,
    /// The chapters.
    pub chapters: &'a Chapters,
    /// The names of the chapters.
    pub names: &'a [String],
    /// The best values of its positions.
    pub bests: &'a Bests,
}

/// Work left, last first.
enum Pending<'a> {
    /// The moves of a position: the first, the others as variations, then the first one's
    /// follow-up.
    Place(Chess, &'a Place),
    Others(Chess, &'a Place, Vec<Shown<'a>>),
    Move(Chess, &'a Place, Shown<'a>),
    /// The follow-up.
    Behind(Chess, Shown<'a>),
    Open,
    Close,
}

/// Writes the moves behind a place, up to where other chapters begin. A stack of steps instead of
/// recursion: a line may be long.
///
/// # Errors
///
/// Errors of the text's output.
pub fn write_moves(
    studied: &Studied<'_>,
    position: Chess,
    start: usize,
    text: &mut Movetext<'_>,
) -> io::Result<()> {
    let places = &studied.report.places;
    let mut steps: Vec<Pending<'_>> =
        places.get(start).map(|place| Pending::Place(position, place)).into_iter().collect();
    while let Some(step) = steps.pop() {
        match step {
            Pending::Open => text.open()?,
            Pending::Close => text.close()?,
            Pending::Move(position, place, shown) => {
                studied.write_move(&position, place, shown, text)?;
            }
            Pending::Place(position, place) => {
                let shown = studied.report.in_written_order(place);
                let mut shown = shown.into_iter().filter(|shown| !shown.excluded);
                let Some(first) = shown.next() else {
                    continue;
                };
                steps.push(Pending::Behind(position.clone(), first));
                steps.push(Pending::Others(position.clone(), place, shown.collect()));
                steps.push(Pending::Move(position, place, first));
            }
            Pending::Others(position, place, others) => {
                for shown in others.into_iter().rev() {
                    steps.push(Pending::Close);
                    steps.push(Pending::Behind(position.clone(), shown));
                    steps.push(Pending::Move(position.clone(), place, shown));
                    steps.push(Pending::Open);
                }
            }
            Pending::Behind(position, shown) => {
                let next = shown.place().filter(|place| studied.chapters.begins(*place).is_none());
                if let Some(place) = next.and_then(|place| places.get(place)) {
                    steps.push(Pending::Place(after(&position, [&shown.uci]), place));
                }
            }
        }
    }
    Ok(())
}

impl Studied<'_> {
    fn write_move(
        &self,
        position: &Chess,
        place: &Place,
        shown: Shown<'_>,
        text: &mut Movetext<'_>,
    ) -> io::Result<()> {
        text.write_move(position, shown.uci)?;
        // The verdict's move comes first in a repertoire, whatever the tree's value.
        let is_told = place.parent.is_none() && self.report.options.side == Some(position.turn());
        let own = self.report.glyphs(shown);
        own.iter().try_for_each(|glyph| text.nag(*glyph))?;
        let best = self.bests.at(place).filter(|_| !is_told && !has_move_glyph(own));
        let worth = best.zip(shown.alpha());
        if let Some(nag) = worth.and_then(|(best, alpha)| nag_of_move(best, alpha)) {
            text.nag(nag)?;
        }
        let words = self.words(position, shown);
        if !words.is_empty() {
            text.comment(&words.join(", "))?;
        }
        let note = note_line(self.report.said(shown.node));
        note.map_or(Ok(()), |note| text.comment(&as_comment(&note)))
    }

    /// The score, the share of games, the user's words, and where the move is continued.
    fn words(&self, position: &Chess, shown: Shown<'_>) -> Vec<String> {
        let report = self.report;
        let score = shown.alpha().map(|alpha| report.seen(alpha, position.turn()).to_string());
        let mut words: Vec<String> = score.into_iter().collect();
        words.extend(self.share(position, shown));
        // In a repertoire nearly every move is included.
        let marks = report.marks(shown).into_iter();
        let is_told = |mark: &String| report.options.side.is_none() || mark != "included";
        words.extend(marks.filter(is_told));
        words.extend(report.known_words(shown.node).map(str::to_owned));
        if shown.is_repetition() {
            words.push("repetition".to_owned());
        } else if shown.is_transposition() {
            words.push(format!("see {}", self.references.line_to(shown.node)));
        }
        let chapter = shown.place().and_then(|place| self.chapters.begins(place)).flatten();
        let name = chapter.and_then(|number| self.names.get(number));
        words.extend(name.map(|name| format!("goes on in the chapter \"{}\"", as_comment(name))));
        words
    }

    /// The share of a move's games; not for the repertoire's own moves.
    fn share(&self, position: &Chess, shown: Shown<'_>) -> Option<String> {
        if self.report.options.side == Some(position.turn()) {
            return None;
        }
        let counts = self.report.growth().counts().get(&PositionKey::of(position))?;
        Some(format!("{:.0}%", 100.0 * share_told(counts, shown.uci)?))
    }
}
