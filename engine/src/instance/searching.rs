//! How an engine makes one search.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use crate::deadline::{HangWatch, WatchStep};
use crate::error::{EngineError, Reason};
use crate::process::FromEngine;
use crate::uci::{
    EngineLine, NoAnswer, PrintedLines, UciMessage, exceeds, falls_short, go, position, set_option,
};
use deepanalyze_core::search::{Answer, Limit, Search};

use super::Instance;

/// Who wakes up so much too late was stopped meanwhile.
const LATE: Duration = Duration::from_secs(2);

/// How long an engine that is told to stop has for its move, before it is replaced.
const PATIENCE: Duration = Duration::from_secs(1);

/// How a search is to be made.
pub struct SearchOrder<'a> {
    pub search: &'a Search,
    pub limit: Limit,
    /// Lines of `MultiPV`; with 1, `searchmoves` leaves the excluded moves out.
    pub lines: usize,
    pub keep_hash: bool,
    /// Disconnects when nobody wants the answer any more.
    pub abandoned: &'a Receiver<Infallible>,
}

/// Why a search has no answer.
pub enum SearchFailure {
    /// Nobody wants the answer any more; the engine has stopped, and is free.
    Abandoned,
    /// An excluded move came back.
    Excluded(EngineError),
    /// It was searching, and hangs.
    Hung(EngineError),
    /// The engine was lost since its last search: it never came to this one.
    Untouched(EngineError),
    /// No attempt will help. The engine may be searching.
    Hopeless(EngineError),
    /// Anything else.
    Error(EngineError),
}

impl From<EngineError> for SearchFailure {
    fn from(error: EngineError) -> SearchFailure {
        SearchFailure::Error(error)
    }
}

impl Instance {
    /// Makes one search. After an error the engine is in an unknown
    /// state: drop it.
    pub fn search(
        &mut self,
        order: &SearchOrder<'_>,
        watch: &mut HangWatch,
    ) -> Result<Answer, SearchFailure> {
        self.during = format!("go {}", order.limit);
        let preparation = self.preparation(order);
        self.synchronise(preparation).map_err(|error| match self.proven {
            true if error.reason != Reason::Stopped => SearchFailure::Untouched(error),
            _ => SearchFailure::Error(error),
        })?;
        self.lines = order.lines;
        let only = match order.lines {
            1 if !order.search.excluded.is_empty() => order.search.allowed(),
            _ => Vec::new(),
        };
        self.send(&[position(&order.search.position), go(order.limit, &only)])?;
        let start = Instant::now();
        watch.begin(start);
        let answer = self.listen(order, watch, start)?;
        self.proven = true;
        Ok(answer)
    }

    fn preparation(&self, order: &SearchOrder<'_>) -> Vec<UciMessage> {
        let lines = order.lines.to_string();
        let multipv = (self.lines != order.lines).then(|| set_option("MultiPV", Some(&lines)));
        let new_game = (!order.keep_hash).then_some(UciMessage::UciNewGame);
        multipv.into_iter().chain(new_game).collect()
    }

    fn listen(
        &mut self,
        order: &SearchOrder<'_>,
        watch: &mut HangWatch,
        start: Instant,
    ) -> Result<Answer, SearchFailure> {
        let mut printed = PrintedLines::new(order.search, order.lines);
        loop {
            match self.next_line(order, watch)? {
                Some(EngineLine::Info(info)) => {
                    watch.deepened(info.depth.unwrap_or(0), Instant::now());
                    printed.add(info);
                    if exceeds(order.limit, printed.nodes()) {
                        return Err(self.limit_ignored(order.limit, printed.nodes()));
                    }
                }
                Some(EngineLine::BestMove { best, said }) => {
                    let answer = printed.answer(best, &said, start.elapsed());
                    return self.judge(order, answer);
                }
                _ => {}
            }
        }
    }

    /// The next line of a search, if one comes before there is something to do.
    fn next_line(
        &mut self,
        order: &SearchOrder<'_>,
        watch: &mut HangWatch,
    ) -> Result<Option<EngineLine>, SearchFailure> {
        let before = Instant::now();
        let until = match watch.step(before) {
            WatchStep::Listen(until) => until,
            WatchStep::Probe => {
                watch.asked();
                self.unanswered += 1;
                self.send(&[UciMessage::IsReady])?;
                return Ok(None);
            }
            WatchStep::GiveUp(missing, after) => {
                return Err(SearchFailure::Hung(self.hung(missing, after)));
            }
        };
        let heard = self.receive(until, Some(order.abandoned));
        let now = Instant::now();
        if let Some(late) = until.and_then(|until| before.max(until).checked_add(LATE)) {
            watch.missed(now.saturating_duration_since(late));
        }
        match heard {
            FromEngine::Line(line) => {
                match line {
                    EngineLine::ReadyOk => watch.answered(now),
                    _ => watch.heard(now),
                }
                Ok(Some(line))
            }
            FromEngine::Silence => Ok(None),
            FromEngine::Abandoned => Err(self.stop()),
            heard => Err(self.lost(heard).into()),
        }
    }

    /// Stops the search, and throws away what comes of it.
    fn stop(&mut self) -> SearchFailure {
        let until = Instant::now() + PATIENCE;
        let mut heard = self.send(&[UciMessage::Stop]).map(|()| EngineLine::Other);
        loop {
            match heard {
                Ok(EngineLine::BestMove { .. }) => return SearchFailure::Abandoned,
                Ok(_) => heard = self.hear(until, "no bestmove after stop"),
                Err(error) => return SearchFailure::Error(error),
            }
        }
    }

    fn judge(
        &self,
        order: &SearchOrder<'_>,
        answer: Result<Answer, NoAnswer>,
    ) -> Result<Answer, SearchFailure> {
        let lied = |what| self.error(Reason::Lied { during: self.during.clone(), what });
        let answer = answer.map_err(|none| match none {
            NoAnswer::Lie(what) => SearchFailure::Error(lied(what)),
            NoAnswer::Excluded(m) => {
                SearchFailure::Excluded(lied(format!("the excluded move {m}")))
            }
        })?;
        let moves = order.search.allowed().len();
        match falls_short(order.limit, &answer, moves) {
            true => Err(self.limit_ignored(order.limit, answer.nodes)),
            false => Ok(answer),
        }
    }

    fn limit_ignored(&self, limit: Limit, nodes: u64) -> SearchFailure {
        self.error(Reason::LimitIgnored { limit, nodes }).into()
    }
}
