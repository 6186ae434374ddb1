//! Which of the lines that an engine printed is its answer.

mod places;
#[cfg(test)]
mod tests;

use std::time::Duration;

use shakmaty::uci::UciMove;

use places::Places;

use deepanalyze_core::chess::Score;
use deepanalyze_core::search::{Answer, Search};

use super::adapter::Info;

/// Gathers the lines of one search.
pub struct PrintedLines<'a> {
    search: &'a Search,
    /// How many lines were asked for: 1 is the plain way, more is `MultiPV`.
    lines: usize,
    /// The lines, where several were asked for.
    places: Places,
    /// The last exact line of place 1.
    exact: Option<Info>,
    /// The last line of place 1 that has moves, bound or not.
    last: Option<Info>,
    bounds: bool,
    nodes: u64,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// The engine gave an excluded move: it ignores `searchmoves`, or lies.
    Excluded(UciMove),
    /// What is wrong with the answer.
    Lie(String),
}

impl<'a> PrintedLines<'a> {
    pub fn new(search: &'a Search, lines: usize) -> PrintedLines<'a> {
        PrintedLines {
            search,
            lines,
            places: Places::new(lines),
            exact: None,
            last: None,
            bounds: false,
            nodes: 0,
        }
    }

    /// The nodes reported so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Takes one info line.
    pub fn add(&mut self, info: Info) {
        self.nodes = self.nodes.max(info.nodes.unwrap_or(0));
        if info.score.is_none() {
            return;
        }
        self.bounds |= info.exact().is_none();
        if self.lines > 1 {
            self.places.add(self.search, info);
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

    /// `bestmove`, where it is a legal move.
    fn checked(&self, best: Option<UciMove>, said: &str) -> Result<UciMove, NoAnswer> {
        let legal = best.and_then(|best| self.search.legal(best));
        legal.ok_or_else(|| NoAnswer::Lie(not_a_move(said)))
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
    pub fn answer(
        self,
        best: Option<UciMove>,
        said: &str,
        time: Duration,
    ) -> Result<Answer, NoAnswer> {
        let best = self.checked(best, said)?;
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
        let best = self.places.complete().iter().find_map(|info| {
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
