//! The printed moves of a tree, one after the other, with the user's directives.

use shakmaty::Chess;

use deepanalyze_core::chess::{GivenValue, TableEnd};
use deepanalyze_core::tree::{NodeId, Place};

use crate::tree::layout::TreeReport;
use deepanalyze_view::{EndOfLine, Shown, after, one_line};

/// A move in the walk.
pub struct TreeVisit<'a> {
    /// The position in which it is played, with the clocks of the game.
    pub position: Chess,
    /// Its place.
    pub place: &'a Place,
    /// The move.
    pub shown: Shown<'a>,
    /// Its number among the moves of the place, from 0.
    pub index: usize,
    /// Moves from where printing begins to the place.
    pub level: usize,
}

/// The next step of the walk.
#[expect(clippy::large_enum_variant, reason = "there is one at a time; a box would cost each move")]
pub enum WalkStep<'a> {
    /// A move; its own moves follow if it has a place.
    Move(TreeVisit<'a>),
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
pub struct TreeWalk<'a> {
    report: &'a TreeReport<'a>,
    levels: Vec<Level<'a>>,
}

impl<'a> TreeWalk<'a> {
    /// A walk over all that a report prints.
    pub fn new(report: &'a TreeReport<'a>) -> TreeWalk<'a> {
        let first = report.places.first();
        let level = first.map(|place| Level { place, position: report.start(), next: 0 });
        TreeWalk { report, levels: level.into_iter().collect() }
    }

    /// Only the moves.
    pub fn moves(self) -> impl Iterator<Item = TreeVisit<'a>> {
        self.filter_map(|step| match step {
            WalkStep::Move(visit) => Some(visit),
            WalkStep::Up => None,
        })
    }
}

impl<'a> Iterator for TreeWalk<'a> {
    type Item = WalkStep<'a>;

    fn next(&mut self) -> Option<WalkStep<'a>> {
        let depth = self.levels.len();
        let level = self.levels.last_mut()?;
        let (place, index) = (level.place, level.next);
        let Some(shown) = Shown::at(place, index) else {
            self.levels.pop();
            return (depth > 1).then_some(WalkStep::Up);
        };
        level.next += 1;
        let position = level.position.clone();
        if let Some(below) = shown.place().and_then(|place| self.report.places.get(place)) {
            let position = after(&position, [&shown.uci]);
            self.levels.push(Level { place: below, position, next: 0 });
        }
        Some(WalkStep::Move(TreeVisit { position, place, shown, index, level: depth - 1 }))
    }
}

/// The user's directives on a position, as applied.
#[derive(Debug, Clone, Copy, Default)]
pub struct PositionSaid<'a> {
    /// Its given value.
    pub value: Option<GivenValue>,
    /// True if the search stops there.
    pub stopped: bool,
    /// The user's text.
    pub note: Option<&'a str>,
}

impl<'a> TreeReport<'a> {
    /// The user's directives on a position.
    pub fn said(&self, node: NodeId) -> PositionSaid<'a> {
        let graph = self.growth().graph();
        let note = self.notes.get(&node).copied();
        PositionSaid { value: graph.given(node), stopped: graph.is_stopped(node), note }
    }

    /// The end of the game in a position: by the rules, by tables, or by the user's value.
    pub fn end(&self, node: NodeId) -> Option<&'static str> {
        EndOfLine::of(self.growth().graph(), node).map(EndOfLine::name)
    }

    /// Tables' result of a position for its side to move.
    pub fn known(&self, node: NodeId) -> Option<TableEnd> {
        self.growth().graph().known(node)
    }

    /// Tables' result behind a move, in words, for the side that plays it.
    pub fn known_words(&self, node: NodeId) -> Option<&'static str> {
        self.known(node).map(|known| known.turned().words())
    }

    /// The user's directives on a move and on the position behind it, in words, without notes; and the
    /// trap that it sets.
    pub fn marks(&self, shown: Shown<'_>) -> Vec<String> {
        let growth = self.growth();
        shown.marks(growth).into_iter().chain(shown.trap(self.tree)).collect()
    }
}

/// A note on one line.
pub fn note_line(said: PositionSaid<'_>) -> Option<String> {
    said.note.map(one_line).filter(|note| !note.is_empty())
}
