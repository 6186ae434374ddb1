//! What a search tells while it runs.

use std::time::Duration;

use crate::moves::Move;
use crate::table::Bound;

use super::Search;

/// One line of a search's report.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// The iteration.
    pub depth: i32,
    /// The greatest ply reached.
    pub seldepth: usize,
    /// The line's rank, from 1.
    pub multi_pv: usize,
    /// For the side to move.
    pub score: i32,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// Moves made.
    pub nodes: u64,
    /// Table entries of this search, in permille.
    pub permille: usize,
    /// Since the search began.
    pub time: Duration,
    /// The moves.
    pub line: &'a [Move],
}

/// Who listens to a search.
pub trait Listener {
    /// A line was found.
    fn line(&mut self, line: &Line<'_>);
    /// The lines that were told last are all that an iteration has.
    fn lines_are_told(&mut self) {}
    /// A root move begins to be searched, in a search that takes long.
    fn current_move(&mut self, depth: i32, m: Move, number: usize);
}

/// Nobody listens.
pub struct Silent;

impl Listener for Silent {
    fn line(&mut self, _: &Line<'_>) {}
    fn current_move(&mut self, _: i32, _: Move, _: usize) {}
}

/// Root moves and bounds are told only after this: before, they come too fast to be read.
const TALKATIVE_AFTER: Duration = Duration::from_millis(1000);

impl Search<'_> {
    /// Tells the lines found so far; `unsettled` is one whose score is a bound.
    pub(super) fn tell_lines(&mut self, count: usize, unsettled: Option<(usize, Bound)>) {
        let permille = self.memory.table.permille();
        let time = self.clock.elapsed();
        for (index, root) in self.root_moves.iter().take(count).enumerate() {
            let searched = root.score > -crate::score::INFINITE;
            let score = if searched { root.score } else { self.score_before(root.previous) };
            let bound = match unsettled {
                _ if root.known.is_some() => Bound::Exact,
                Some((at, bound)) if at == index => bound,
                _ => Bound::Exact,
            };
            self.listener.line(&Line {
                depth: if searched { self.root_depth } else { (self.root_depth - 1).max(1) },
                seldepth: root.seldepth,
                multi_pv: index + 1,
                score: root.told(score),
                bound,
                nodes: self.nodes,
                permille,
                time,
                line: &root.line,
            });
        }
    }

    /// The score of the iteration before; where the first was stopped before it had any, the static
    /// one.
    pub(super) fn score_before(&self, previous: i32) -> i32 {
        if previous.abs() < crate::score::INFINITE {
            return previous;
        }
        self.frames[0].evaluation
    }

    pub(super) fn is_talkative(&self) -> bool {
        self.clock.elapsed() >= TALKATIVE_AFTER
    }

    pub(super) fn tell_current_move(&mut self, m: Move, number: usize) {
        if self.is_talkative() {
            self.listener.current_move(self.root_depth, m, number);
        }
    }
}
