//! Reports of a running search.

use std::time::Duration;

use crate::moves::Move;
use crate::score::{INFINITE, permille, to_uci};
use crate::table::BoundKind;
use deepanalyze_core::uci::Info;

use super::Searcher;

/// Receiver of a search's reports.
pub trait Listener {
    /// Called for each line found.
    fn line(&mut self, line: &Info<'_, Move>);
    /// Called after the last line of an iteration.
    fn lines_are_told(&mut self) {}
    /// Called for each root move that a long search begins.
    fn current_move(&mut self, depth: i32, m: Move, number: usize);
}

/// Ignores all reports.
pub struct Silent;

impl Listener for Silent {
    fn line(&mut self, _: &Info<'_, Move>) {}
    fn current_move(&mut self, _: i32, _: Move, _: usize) {}
}

/// Root moves and bounds are reported only after this: before, they come too fast to be read.
const TALKATIVE_AFTER: Duration = Duration::from_millis(1000);

impl Searcher<'_> {
    /// Reports the lines found so far; `unsettled` is one whose score is a bound.
    pub(super) fn tell_lines(&mut self, count: usize, unsettled: Option<(usize, BoundKind)>) {
        let hashfull = self.table.permille();
        let time = self.clock.elapsed();
        for (index, root) in self.root_moves.iter().take(count).enumerate() {
            let searched = root.score > -INFINITE;
            let score = if searched { root.score } else { self.score_before(root.previous) };
            let score = root.told(score);
            let bound = match unsettled {
                Some((at, bound)) if at == index && root.known.is_none() => bound.word(),
                _ => None,
            };
            let depth = if searched { self.root_depth } else { (self.root_depth - 1).max(1) };
            self.listener.line(&Info {
                depth: depth as u32,
                seldepth: root.seldepth as u32,
                multipv: index + 1,
                score: to_uci(score),
                bound,
                wdl: self.told_phase.map(|phase| permille(score, phase)),
                nodes: self.all_nodes(),
                hashfull,
                time,
                pv: &root.line,
            });
        }
    }

    /// The score of the iteration before; if the first was stopped before it had any, the static
    /// one.
    pub(super) fn score_before(&self, previous: i32) -> i32 {
        if previous.abs() < INFINITE {
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
