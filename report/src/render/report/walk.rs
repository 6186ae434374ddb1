//! All printed moves, depth first; those of a position that do not count stand behind the others.

use shakmaty::Chess;

use crate::render::words::after;
use deepanalyze_core::tree::Place;

use super::{Report, Shown};

/// A move in the walk.
pub(in crate::render) struct Visit<'a> {
    /// The position in which it is played, with the clocks of the game.
    pub position: Chess,
    /// The place where it stands.
    pub place: &'a Place,
    /// The move.
    pub shown: Shown<'a>,
    /// Its number among the moves of the place, from 0.
    pub index: usize,
    /// How many moves lead to the place from where printing begins.
    pub level: usize,
}

/// What comes next in the walk.
pub(in crate::render) enum WalkStep<'a> {
    /// A move; its own moves follow where it has a place.
    Move(Visit<'a>),
    /// All moves of a place have been visited, and the move that led to it is done.
    Up,
}

/// A position whose moves are being visited.
struct Level<'a> {
    place: &'a Place,
    position: Chess,
    next: usize,
}

/// A depth-first walk without recursion: a line may be long.
pub(in crate::render) struct Walk<'a> {
    report: &'a Report<'a>,
    levels: Vec<Level<'a>>,
}

impl<'a> Walk<'a> {
    /// A walk over everything that a report prints.
    pub(in crate::render) fn new(report: &'a Report<'a>) -> Walk<'a> {
        let first = report.places.first();
        let level = first.map(|place| Level { place, position: report.start(), next: 0 });
        Walk { report, levels: level.into_iter().collect() }
    }

    /// The moves alone.
    pub(in crate::render) fn moves(self) -> impl Iterator<Item = Visit<'a>> {
        self.filter_map(|step| match step {
            WalkStep::Move(visit) => Some(visit),
            WalkStep::Up => None,
        })
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = WalkStep<'a>;

    fn next(&mut self) -> Option<WalkStep<'a>> {
        let depth = self.levels.len();
        let level = self.levels.last_mut()?;
        let (place, index) = (level.place, level.next);
        let counts = place.moves.get(index).map(Shown::Counts);
        let aside = || place.aside.get(index - place.moves.len()).map(Shown::Aside);
        let Some(shown) = counts.or_else(aside) else {
            self.levels.pop();
            return (depth > 1).then_some(WalkStep::Up);
        };
        level.next += 1;
        let position = level.position.clone();
        if let Some(below) = shown.place().and_then(|place| self.report.places.get(place)) {
            let position = after(&position, [&shown.uci()]);
            self.levels.push(Level { place: below, position, next: 0 });
        }
        Some(WalkStep::Move(Visit { position, place, shown, index, level: depth - 1 }))
    }
}
