//! Which of the lines that an engine printed is its answer.

use std::time::Duration;

use shakmaty::uci::UciMove;

use super::adapter::Info;
use super::profile::Limit;
use super::search::{Answer, Search};
use crate::chess::Score;

/// Gathers the lines of one search.
pub(super) struct Choice<'a> {
    search: &'a Search,
    /// How many lines were asked for: 1 is the plain way, more is `MultiPV`.
    lines: usize,
    /// The deepest iteration so far, by place.
    iteration: Vec<Option<Info>>,
    depth: u32,
    /// The lines of the last iteration that was complete: all places, exact, different moves.
    complete: Vec<Info>,
    /// The last exact line of place 1.
    exact: Option<Info>,
    /// The last line of place 1 that has moves, bound or not.
    last: Option<Info>,
    bounds: bool,
    nodes: u64,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// The engine gave an excluded move: it ignores `searchmoves`, or lies.
    Excluded(UciMove),
    /// What is wrong with the answer.
    Lie(String),
}

impl<'a> Choice<'a> {
    pub(super) fn new(search: &'a Search, lines: usize) -> Choice<'a> {
        Choice {
            search,
            lines,
            iteration: Vec::new(),
            depth: 0,
            complete: Vec::new(),
            exact: None,
            last: None,
            bounds: false,
            nodes: 0,
        }
    }

    /// The nodes reported so far.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Takes one info line.
    pub(super) fn add(&mut self, info: Info) {
        self.nodes = self.nodes.max(info.nodes.unwrap_or(0));
        if info.score.is_none() {
            return;
        }
        self.bounds |= info.exact().is_none();
        if self.lines > 1 {
            self.add_place(info);
        } else if info.multipv.unwrap_or(1) == 1 && !self.starts_excluded(&info) {
            if info.exact().is_some() {
                self.exact = Some(info.clone());
            }
            if !info.pv.is_empty() {
                self.last = Some(info);
            }
        }
    }

    fn starts_excluded(&self, info: &Info) -> bool {
        info.pv
            .first()
            .and_then(|first| self.search.legal(*first))
            .is_some_and(|first| self.search.excluded.contains(&first))
    }

    /// A line of several. An engine repeats the places it has not come to with the line of the
    /// iteration before, so lines of a lesser depth change nothing.
    fn add_place(&mut self, info: Info) {
        let depth = info.depth.unwrap_or(0);
        let place = usize::try_from(info.multipv.unwrap_or(1)).unwrap_or(usize::MAX);
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
        if let Some(complete) = self.complete_iteration() {
            self.complete = complete;
        }
    }

    fn complete_iteration(&self) -> Option<Vec<Info>> {
        let lines: Vec<Info> = self.iteration.iter().cloned().collect::<Option<_>>()?;
        let mut moves: Vec<UciMove> = lines
            .iter()
            .filter(|info| info.exact().is_some())
            .filter_map(|info| self.search.legal(*info.pv.first()?))
            .collect();
        moves.sort_by_key(ToString::to_string);
        moves.dedup();
        (moves.len() == self.lines).then_some(lines)
    }

    /// The answer, now that `bestmove` was said.
    ///
    /// The plain way: the move is `bestmove`, the score the last exact one of place 1. Where that one
    /// belongs to another move, the engine changed its mind in an iteration that its limit cut short
    /// (Stockfish under `go nodes`: a `lowerbound` line with the new move comes last): the new move is
    /// worth at least as much, and nothing better is known of it.
    ///
    /// With several lines: the best-placed move that is not excluded, whatever `bestmove` says
    /// (Glaurung contradicts itself).
    pub(super) fn answer(
        self,
        best: Option<UciMove>,
        said: &str,
        time: Duration,
    ) -> Result<Answer, NoAnswer> {
        let legal = best.and_then(|best| self.search.legal(best));
        let Some(best) = legal else {
            return Err(NoAnswer::Lie(not_a_move(said)));
        };
        if self.lines > 1 {
            return self.best_place(time);
        }
        if self.search.excluded.contains(&best) {
            return Err(NoAnswer::Excluded(best));
        }
        let Some((info, score)) = scored(self.exact.as_ref()) else {
            return Err(NoAnswer::Lie(self.no_score()));
        };
        let pv = [Some(info), self.last.as_ref()]
            .into_iter()
            .flatten()
            .map(|info| self.search.legal_prefix(&info.pv))
            .find(|pv| pv.first() == Some(&best))
            .unwrap_or_else(|| vec![best]);
        Ok(self.of_line(info, score, pv, best, time))
    }

    fn best_place(self, time: Duration) -> Result<Answer, NoAnswer> {
        let best = self.complete.iter().find_map(|info| {
            let pv = self.search.legal_prefix(&info.pv);
            let best = *pv.first()?;
            let free = !self.search.excluded.contains(&best);
            free.then_some((info, info.exact()?, pv, best))
        });
        match best {
            Some((info, score, pv, best)) => Ok(self.of_line(info, score, pv, best, time)),
            None => Err(NoAnswer::Lie(self.no_score())),
        }
    }

    fn no_score(&self) -> String {
        match (self.bounds, self.lines) {
            (true, 1) => "bounds only, no exact score,".to_owned(),
            (false, 1) => "no score before bestmove".to_owned(),
            (_, lines) => format!("no complete list of {lines} lines"),
        }
    }

    fn of_line(
        &self,
        info: &Info,
        score: Score,
        pv: Vec<UciMove>,
        best: UciMove,
        time: Duration,
    ) -> Answer {
        let depth = info.depth.unwrap_or(0);
        Answer {
            best,
            score,
            depth,
            seldepth: info.seldepth.unwrap_or(depth),
            nodes: self.nodes,
            time,
            pv,
        }
    }
}

fn scored(info: Option<&Info>) -> Option<(&Info, Score)> {
    let info = info?;
    Some((info, info.exact()?))
}

fn not_a_move(said: &str) -> String {
    match said {
        "" => "no move".to_owned(),
        "(none)" | "0000" | "NULL" | "none" => format!("no move ({said})"),
        _ => format!("the illegal move {:?}", said.chars().take(20).collect::<String>()),
    }
}

/// Whether the nodes reported say that the engine does not keep to `go nodes`.
///
/// Engines look at their limit every so often, some every 30,000 nodes and more; GNU Chess and
/// Toga never do.
pub(super) fn exceeds(limit: Limit, nodes: u64) -> bool {
    match limit {
        Limit::Depth(_) => false,
        Limit::Nodes(asked) => nodes > asked.saturating_mul(5).saturating_add(500_000),
    }
}

/// Whether an answer took so few nodes that the engine cannot have tried: Ethereal takes any number
/// of nodes for 6. A mate, a single move or a dead draw end a search early, too.
pub(super) fn falls_short(limit: Limit, answer: &Answer, moves: usize) -> bool {
    let Limit::Nodes(asked) = limit else {
        return false;
    };
    let early = matches!(answer.score, Score::Mate(_)) || moves <= 1 || answer.depth >= 10;
    !early && answer.nodes > 0 && answer.nodes < asked / 10
}
