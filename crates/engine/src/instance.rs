//! One running engine that has introduced itself and taken its options.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use shakmaty::Chess;

use super::Settings;
use super::deadline::{HangWatch, WatchStep};
use super::error::{EngineError, Reason, Silence};
use super::process::{FromEngine, Process, Program, StopSignal};
use super::uci::{
    EngineLine, NoAnswer, Offers, OptionValue, PrintedLines, SearchEnd, UciMessage, exceeds,
    falls_short, go, position, set_option,
};
use deepanalyze_core::chess::is_chess960;
use deepanalyze_core::search::{Answer, Limit, Search};

/// A wait this much too long was suspended.
const LATE: Duration = Duration::from_secs(2);

/// Time an engine has to answer `stop` before it is replaced.
const PATIENCE: Duration = Duration::from_secs(1);

/// The settings of one search.
pub(super) struct SearchOrder<'a> {
    pub(super) search: &'a Search,
    pub(super) end: SearchEnd,
    /// Lines of `MultiPV`; with 1, `searchmoves` leaves the excluded moves out.
    pub(super) lines: usize,
    pub(super) keep_hash: bool,
    /// Threads, as a multiple of those that are set.
    pub(super) threads: usize,
    /// Disconnects when the answer is no longer wanted.
    pub(super) abandoned: &'a Receiver<Infallible>,
    /// Called with each iteration, if set.
    pub(super) hears: Option<&'a dyn Fn(Answer)>,
}

/// Reason for no answer.
pub(super) enum SearchFailure {
    /// The answer is no longer wanted; the engine has stopped, and is free.
    Abandoned,
    /// An excluded move came back.
    Excluded(EngineError),
    /// It was searching, and hangs.
    Hung(EngineError),
    /// The engine was lost since its last search: it never began this one.
    Untouched(EngineError),
    /// No attempt will help. The engine may be searching.
    Hopeless(EngineError),
    /// Another error.
    Error(EngineError),
}

impl From<EngineError> for SearchFailure {
    fn from(error: EngineError) -> SearchFailure {
        SearchFailure::Error(error)
    }
}

/// A running engine.
pub(super) struct Instance {
    process: Process,
    program: Program,
    /// Its `id name`; its program until it has sent one.
    pub(super) name: String,
    /// Its options.
    pub(super) offers: Offers,
    /// The user's options, as the engine spells them.
    pub(super) set: Vec<OptionValue>,
    patience: Duration,
    lines: usize,
    /// Threads, as a multiple of those that are set.
    threads: usize,
    /// True if it castles as in Chess960.
    chess960: bool,
    /// `isready` without `readyok` yet.
    unanswered: u32,
    /// True if it has answered a search.
    proven: bool,
    /// Its activity, for errors: `startup`, `go depth 18`.
    during: String,
}

impl Instance {
    /// Starts the program, and sets its options.
    ///
    /// Errors name the engine by its program until it has sent its name.
    pub(super) fn start(
        program: &Program,
        settings: &Settings,
        stop: &StopSignal,
    ) -> Result<Instance, EngineError> {
        let mut instance = Instance {
            process: Process::start(program, stop)?,
            program: program.clone(),
            name: program.name.clone(),
            offers: Offers::default(),
            set: Vec::new(),
            patience: settings.hang.startup,
            lines: 1,
            threads: 1,
            chess960: false,
            unanswered: 0,
            proven: false,
            during: "startup".to_owned(),
        };
        instance.introduce()?;
        instance.chess960 = instance.offers.chess960().is_ok_and(|(_, is_on)| is_on);
        instance.set_options(&settings.options)?;
        instance.synchronise(Vec::new())?;
        Ok(instance)
    }

    fn introduce(&mut self) -> Result<(), EngineError> {
        let until = Instant::now() + self.patience;
        self.send(&[UciMessage::Uci])?;
        loop {
            match self.hear(until, "no uciok")? {
                EngineLine::Name(name) => self.name = name,
                EngineLine::Option(offer) => {
                    self.offers.add(offer).map_err(|bound| self.floods(bound))?;
                }
                EngineLine::UciOk => return Ok(()),
                _ => {}
            }
        }
    }

    fn set_options(&mut self, asked: &[(String, String)]) -> Result<(), EngineError> {
        self.set = self.offers.accept(asked).map_err(|why| self.error(Reason::Option(why)))?;
        let fixed = self.offers.fixed(&self.set);
        let options = fixed.iter().chain(&self.set);
        let messages: Vec<UciMessage> =
            options.map(|(name, value)| set_option(name, value.as_deref())).collect();
        self.send(&messages)
    }

    /// An error of this engine.
    pub(super) fn error(&self, reason: Reason) -> EngineError {
        self.program.error_of(&self.name, reason)
    }

    /// Asks it to quit, with a short grace.
    pub(super) fn quit(&mut self) {
        self.process.quit();
    }

    /// Sends commands, and waits until they are done: all later output is about later commands.
    fn synchronise(&mut self, mut messages: Vec<UciMessage>) -> Result<(), EngineError> {
        let until = Instant::now() + self.patience;
        messages.push(UciMessage::IsReady);
        self.send(&messages)?;
        self.unanswered += 1;
        while self.unanswered > 0 {
            self.hear(until, "no readyok")?;
        }
        Ok(())
    }

    fn send(&mut self, messages: &[UciMessage]) -> Result<(), EngineError> {
        if self.process.send(messages) {
            return Ok(());
        }
        Err(self.lost(FromEngine::Closed))
    }

    fn hear(&mut self, until: Instant, missing: &'static str) -> Result<EngineLine, EngineError> {
        match self.receive(Some(until), None) {
            FromEngine::Line(line) => Ok(line),
            FromEngine::Silence => Err(self.hung(missing, self.patience)),
            heard => Err(self.lost(heard)),
        }
    }

    /// The next line, until a moment or until the search is abandoned.
    fn receive(
        &mut self,
        until: Option<Instant>,
        abandoned: Option<&Receiver<Infallible>>,
    ) -> FromEngine {
        let heard = self.process.hear(until, abandoned);
        if matches!(heard, FromEngine::Line(EngineLine::ReadyOk)) {
            self.unanswered = self.unanswered.saturating_sub(1);
        }
        heard
    }

    fn hung(&self, missing: &'static str, after: Duration) -> EngineError {
        let silence = Box::new(Silence { missing, after, last: self.process.last_line() });
        self.error(Reason::Hung { during: self.during.clone(), silence })
    }

    fn floods(&self, bound: String) -> EngineError {
        self.error(Reason::Floods { during: self.during.clone(), bound })
    }

    /// The error of an engine or a pool that has ended.
    fn lost(&mut self, heard: FromEngine) -> EngineError {
        match heard {
            FromEngine::Closed => {
                let (how, said) = self.process.post_mortem();
                self.error(Reason::Exited { during: self.during.clone(), how, said })
            }
            FromEngine::Flood(bound) => self.floods(bound),
            _ => self.error(Reason::Stopped),
        }
    }
}

/// Making one search.
impl Instance {
    /// Makes one search. After an error the engine is in an unknown state: drop it.
    pub(super) fn search(
        &mut self,
        order: &SearchOrder<'_>,
        watch: &mut HangWatch,
    ) -> Result<Answer, SearchFailure> {
        self.during = format!("go {}", order.end);
        let preparation = self.preparation(order)?;
        self.synchronise(preparation).map_err(|error| match self.proven {
            true if error.reason != Reason::Stopped => SearchFailure::Untouched(error),
            _ => SearchFailure::Error(error),
        })?;
        (self.lines, self.threads) = (order.lines, order.threads);
        self.chess960 = is_chess960(&order.search.position);
        let only = match order.lines {
            1 if !order.search.excluded.is_empty() => order.search.allowed(),
            _ => Vec::new(),
        };
        self.send(&[position(&order.search.position), go(order.end, &only)])?;
        let start = Instant::now();
        watch.begin(start);
        let answer = self.listen(order, watch, start)?;
        self.proven = true;
        Ok(answer)
    }

    fn preparation(&self, order: &SearchOrder<'_>) -> Result<Vec<UciMessage>, SearchFailure> {
        let lines = order.lines.to_string();
        let multipv = (self.lines != order.lines).then(|| set_option("MultiPV", Some(&lines)));
        let threads = (self.threads != order.threads)
            .then(|| self.offers.threads(&self.set, order.threads))
            .flatten()
            .map(|(name, value)| set_option(&name, value.as_deref()));
        let rules = self.rules(&order.search.position)?;
        let new_game = (!order.keep_hash).then_some(UciMessage::UciNewGame);
        Ok(multipv.into_iter().chain(threads).chain(rules).chain(new_game).collect())
    }

    /// The castling option for a position. It depends on nothing else: so a position has the same
    /// answer whatever game it comes from.
    fn rules(&self, position: &Chess) -> Result<Option<UciMessage>, SearchFailure> {
        let wanted = is_chess960(position);
        if wanted == self.chess960 {
            return Ok(None);
        }
        let hopeless = |why| SearchFailure::Hopeless(self.error(Reason::Option(why)));
        let (name, _) = self.offers.chess960().map_err(hopeless)?;
        Ok(Some(set_option(name, Some(if wanted { "true" } else { "false" }))))
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
                    let is_deeper = info.exact().is_some();
                    printed.add(info);
                    if let Some(limit) =
                        order.end.limit().filter(|limit| exceeds(*limit, printed.nodes()))
                    {
                        return Err(self.limit_ignored(limit, printed.nodes()));
                    }
                    if let Some(hears) = order.hears.filter(|_| is_deeper) {
                        printed.so_far(start.elapsed()).into_iter().for_each(hears);
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

    /// The next line of a search; `None` if a step of the watch is due first.
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

    /// Stops the search, and discards its result.
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
        let lied =
            |what, last| self.error(Reason::Lied { during: self.during.clone(), what, last });
        let answer = answer.map_err(|none| match none {
            NoAnswer::Lie(what) => SearchFailure::Error(lied(what, Box::default())),
            NoAnswer::NoScore(what) => SearchFailure::Error(lied(what, self.process.last_line())),
            NoAnswer::Excluded(m) => {
                SearchFailure::Excluded(lied(format!("the excluded move {m}"), Box::default()))
            }
        })?;
        let moves = order.search.allowed().len();
        match order.end.limit().filter(|limit| falls_short(*limit, &answer, moves)) {
            Some(limit) => Err(self.limit_ignored(limit, answer.nodes)),
            None => Ok(answer),
        }
    }

    fn limit_ignored(&self, limit: Limit, nodes: u64) -> SearchFailure {
        self.error(Reason::LimitIgnored { limit, nodes }).into()
    }
}
