//! The lines of a search with `MultiPV`: by place and iteration.

use shakmaty::uci::UciMove;

use crate::uci::adapter::Info;
use deepanalyze_core::search::Search;

/// The lines of the deepest iteration so far, and of the last complete one.
pub(super) struct Places {
    /// How many lines were asked for.
    lines: usize,
    /// The deepest iteration so far, by place.
    iteration: Vec<Option<Info>>,
    depth: u32,
    /// The lines of the last iteration that was complete: all places, exact, different moves.
    complete: Vec<Info>,
}

impl Places {
    pub(super) fn new(lines: usize) -> Places {
        Places { lines, iteration: Vec::new(), depth: 0, complete: Vec::new() }
    }

    /// The lines of the last complete iteration, by place.
    pub(super) fn complete(&self) -> &[Info] {
        &self.complete
    }

    /// Takes a line with a score. An engine repeats the places it has not come to with the line of
    /// the iteration before, so lines of a lesser depth change nothing.
    pub(super) fn add(&mut self, search: &Search, info: Info) {
        let depth = info.depth.unwrap_or(0);
        let place = place_of(&info);
        if depth < self.depth || place == 0 || place > self.lines {
            return;
        }
        if depth > self.depth || self.iteration.is_empty() {
            self.depth = depth;
            self.iteration = vec![None; self.lines];
        }
        if let Some(slot) = self.iteration.get_mut(place - 1) {
            *slot = Some(info);
        }
        if let Some(complete) = different(search, &self.iteration) {
            self.complete = complete;
        }
    }
}

/// The place of a line, from 1.
fn place_of(info: &Info) -> usize {
    usize::try_from(info.multipv.unwrap_or(1)).unwrap_or(usize::MAX)
}

/// All lines, where all are there, exact, and begin with different legal moves.
fn different(search: &Search, lines: &[Option<Info>]) -> Option<Vec<Info>> {
    let lines: Vec<Info> = lines.iter().cloned().collect::<Option<_>>()?;
    let mut moves: Vec<UciMove> = lines
        .iter()
        .filter(|info| info.exact().is_some())
        .filter_map(|info| search.legal(*info.pv.first()?))
        .collect();
    moves.sort_by_key(ToString::to_string);
    moves.dedup();
    (moves.len() == lines.len()).then_some(lines)
}
