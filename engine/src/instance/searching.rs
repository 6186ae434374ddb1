//! How an engine makes one search.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use crate::deadline::{Watch, WatchStep};
use crate::error::{EngineError, Reason};
use crate::process::Heard;
use crate::uci::{EngineLine, NoAnswer, PrintedLines, commands, exceeds, falls_short};
use deepanalyze_core::search::{Answer, Limit, Search};

use super::Instance;

/// Who wakes up so much too late was stopped meanwhile.
const LATE: Duration = Duration::from_secs(2);

/// How long an engine that is told to stop has for its move, before it is replaced.
const PATIENCE: Duration = Duration::from_secs(1);

/// What comes next in a search.
enum Next {
    /// A line.
    Line(EngineLine),
    /// Nobody wants the answer any more.
    Abandoned,
    /// It was something else.
    Nothing,
}

/// How a search is to be made.
pub(crate) struct Order<'a> {
    pub(crate) search: &'a Search,
    pub(crate) limit: Limit,
    /// Lines of `MultiPV`; with 1, `searchmoves` leaves the excluded moves out.
    pub(crate) lines: usize,
    pub(crate) keep_hash: bool,
    /// Disconnects when nobody wants the answer any more.
    pub(crate) abandoned: &'a Receiver<Infallible>,
}

/// Why a search has no answer.
pub(crate) enum Failure {
    /// An excluded move came back.
    Excluded(EngineError),
    /// The engine was lost since its last search: it never came to this one.
    Idle(EngineError),
    /// It was searching, and hangs.
    Hung(EngineError),
    /// Nobody wants the answer any more; the engine has stopped.
    Abandoned,
    /// Anything else.
    Error(EngineError),
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        Failure::Error(error)
    }
}

impl Instance {
    /// Makes one search. After an error the engine is in an unknown state: drop it.
    pub(crate) fn search(
        &mut self,
        order: &Order<'_>,
        watch: &mut Watch,
    ) -> Result<Answer, Failure> {
        let during = format!("go {}", order.limit);
        let preparation = self.preparation(order);
        if let Err(error) = self.synchronise(&preparation, &during) {
            return Err(match self.proven && error.reason != Reason::Stopped {
                true => Failure::Idle(error),
                false => Failure::Error(error),
            });
        }
        self.lines = order.lines;
        let only = match order.lines {
            1 if !order.search.excluded.is_empty() => order.search.allowed(),
            _ => Vec::new(),
        };
        let position = commands::position(&order.search.position);
        let go = commands::go(order.limit, &only);
        self.send(&(position + &go), &during)?;
        let start = Instant::now();
        watch.begin(start);
        let answer = self.listen(order, watch, &during, start)?;
        self.proven = true;
        Ok(answer)
    }

    fn preparation(&self, order: &Order<'_>) -> String {
        let mut text = String::new();
        if self.lines != order.lines {
            let lines = order.lines.to_string();
            text += &commands::set_option("MultiPV", Some(&lines));
        }
        if !order.keep_hash {
            text += "ucinewgame\n";
        }
        text
    }

    fn listen(
        &mut self,
        order: &Order<'_>,
        watch: &mut Watch,
        during: &str,
        start: Instant,
    ) -> Result<Answer, Failure> {
        let mut choice = PrintedLines::new(order.search, order.lines);
        loop {
            match self.next_line(order, watch, during)? {
                Next::Abandoned => return self.stop(during),
                Next::Line(EngineLine::Info(info)) => {
                    watch.deepened(info.depth.unwrap_or(0), Instant::now());
                    choice.add(info);
                    self.check_limit(order.limit, choice.nodes())?;
                }
                Next::Line(EngineLine::BestMove { best, said }) => {
                    let answer = choice.answer(best, &said, start.elapsed());
                    return self.judge(order, during, answer);
                }
                Next::Line(_) | Next::Nothing => {}
            }
        }
    }

    /// Stops the search, and throws away what comes of it.
    fn stop(&mut self, during: &str) -> Result<Answer, Failure> {
        self.send("stop\n", during)?;
        let until = Instant::now() + PATIENCE;
        loop {
            match self.hear(until, during, "no bestmove after stop")? {
                EngineLine::BestMove { .. } => return Err(Failure::Abandoned),
                EngineLine::ReadyOk => self.unanswered = self.unanswered.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// The next line of a search, if one comes before there is something to do.
    fn next_line(
        &mut self,
        order: &Order<'_>,
        watch: &mut Watch,
        during: &str,
    ) -> Result<Next, Failure> {
        let before = Instant::now();
        let until = match watch.step(before) {
            WatchStep::Listen(until) => until,
            WatchStep::Probe => {
                watch.asked();
                self.unanswered += 1;
                self.send("isready\n", during)?;
                return Ok(Next::Nothing);
            }
            WatchStep::GiveUp(missing, after) => {
                return Err(Failure::Hung(self.hung(during, missing, after)));
            }
        };
        let heard = self.process.hear_unless(order.abandoned, until);
        if let Some(late) = until.and_then(|until| before.max(until).checked_add(LATE)) {
            watch.missed(Instant::now().saturating_duration_since(late));
        }
        match heard {
            Heard::Line(EngineLine::ReadyOk) => {
                self.unanswered = self.unanswered.saturating_sub(1);
                watch.answered(Instant::now());
                Ok(Next::Nothing)
            }
            Heard::Line(line) => {
                watch.heard(Instant::now());
                Ok(Next::Line(line))
            }
            Heard::Silence => Ok(Next::Nothing),
            Heard::Abandoned => Ok(Next::Abandoned),
            Heard::Closed => Err(self.exited(during).into()),
            Heard::Flood(bound) => Err(self.floods(during, bound).into()),
            Heard::Stopped => Err(self.error(Reason::Stopped).into()),
        }
    }

    fn judge(
        &self,
        order: &Order<'_>,
        during: &str,
        answer: Result<Answer, NoAnswer>,
    ) -> Result<Answer, Failure> {
        let lied = |what| self.error(Reason::Lied { during: during.to_owned(), what });
        match answer {
            Ok(answer) => {
                let moves = order.search.allowed().len();
                if falls_short(order.limit, &answer, moves) {
                    return Err(self.limit_ignored(order.limit, answer.nodes).into());
                }
                Ok(answer)
            }
            Err(NoAnswer::Lie(what)) => Err(lied(what).into()),
            Err(NoAnswer::Excluded(m)) => {
                Err(Failure::Excluded(lied(format!("the excluded move {m}"))))
            }
        }
    }

    fn check_limit(&self, limit: Limit, nodes: u64) -> Result<(), EngineError> {
        if exceeds(limit, nodes) {
            return Err(self.limit_ignored(limit, nodes));
        }
        Ok(())
    }

    fn limit_ignored(&self, limit: Limit, nodes: u64) -> EngineError {
        self.error(Reason::LimitIgnored { limit, nodes })
    }
}
