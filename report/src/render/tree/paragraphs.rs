//! A tree as paragraphs: a line of best moves, and the deviations from it below, each a paragraph again.

use shakmaty::Chess;

use crate::render::report::{Report, Shown};
use crate::render::words::play;
use deepanalyze_core::tree::Place;

/// A line of moves: the first is the best one of the root's, or a deviation; each of the others is the best
/// one behind the move before.
pub(super) struct Paragraph<'a> {
    /// Where the first move is played, with the clocks of the game.
    pub position: Chess,
    /// The moves.
    pub moves: Vec<Shown<'a>>,
    /// How many deviations lead here.
    pub level: usize,
}

/// A move that begins a paragraph.
struct First<'a> {
    position: Chess,
    shown: Shown<'a>,
    level: usize,
}

/// The paragraphs from top to bottom, without recursion: a line may be long.
pub(super) struct Paragraphs<'a> {
    report: &'a Report<'a>,
    /// What is still to come, last first.
    waiting: Vec<First<'a>>,
}

impl<'a> Paragraphs<'a> {
    /// Those of all that a report prints.
    pub(super) fn new(report: &'a Report<'a>) -> Paragraphs<'a> {
        let first = |shown| First { position: report.start(), shown, level: 0 };
        let waiting = report.places.first().into_iter().flat_map(shown_of).map(first);
        let mut waiting: Vec<First<'a>> = waiting.collect();
        waiting.reverse();
        Paragraphs { report, waiting }
    }

    fn place_behind(&self, shown: Shown<'a>) -> Option<&'a Place> {
        self.report.places.get(shown.place()?)
    }
}

/// The moves of a place, those that count first.
fn shown_of(place: &Place) -> impl Iterator<Item = Shown<'_>> {
    place.moves.iter().map(Shown::Counts).chain(place.aside.iter().map(Shown::Aside))
}

impl<'a> Iterator for Paragraphs<'a> {
    type Item = Paragraph<'a>;

    fn next(&mut self) -> Option<Paragraph<'a>> {
        let First { position, shown, level } = self.waiting.pop()?;
        let (mut moves, mut there, mut last) = (vec![shown], position.clone(), shown);
        let mut deviations = Vec::new();
        while let Some(place) = self.place_behind(last) {
            play(&mut there, last.uci());
            let mut all = shown_of(place);
            let Some(best) = all.next() else {
                break;
            };
            let deviation = |shown| First { position: there.clone(), shown, level: level + 1 };
            deviations.extend(all.map(deviation));
            moves.push(best);
            last = best;
        }
        self.waiting.extend(deviations.into_iter().rev());
        Some(Paragraph { position, moves, level })
    }
}
