//! One running engine that has introduced itself and taken its options.

use std::time::{Duration, Instant};

use super::adapter::Line;
use super::choice::{Choice, NoAnswer, exceeds, falls_short};
use super::commands;
use super::deadline::{Step, Watch};
use super::error::{EngineError, Reason};
use super::option::{Offers, Setting};
use super::process::{Heard, Process, Stop};
use super::profile::Limit;
use super::program::Program;
use super::search::{Answer, Search};

const STARTUP: &str = "startup";

/// How an engine is to be started.
pub(super) struct Setup<'a> {
    pub(super) program: &'a Program,
    /// As the user wrote them.
    pub(super) options: &'a [(String, String)],
    /// For `uciok` and `readyok`.
    pub(super) patience: Duration,
    pub(super) stop: &'a Stop,
}

/// How a search is to be made.
pub(super) struct Order<'a> {
    pub(super) search: &'a Search,
    pub(super) limit: Limit,
    /// Lines of `MultiPV`; with 1, `searchmoves` leaves the excluded moves out.
    pub(super) lines: usize,
    pub(super) keep_hash: bool,
}

/// Why a search has no answer.
pub(super) enum Failure {
    /// An excluded move came back.
    Excluded(EngineError),
    /// The engine was lost since its last search: it never came to this one.
    Idle(EngineError),
    /// Anything else.
    Error(EngineError),
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        Failure::Error(error)
    }
}

/// A running engine.
pub(super) struct Instance {
    process: Process,
    name: String,
    offers: Offers,
    /// The user's options, as the engine spells them.
    set: Vec<Setting>,
    patience: Duration,
    lines: usize,
    /// `isready` without its `readyok` yet.
    unanswered: u32,
    /// Whether it has answered a search.
    proven: bool,
}

impl Instance {
    /// Starts the program, and sets its options.
    ///
    /// Errors name the engine as far as it is known: its program until it said its name.
    pub(super) fn start(setup: &Setup<'_>) -> Result<Instance, EngineError> {
        let mut instance = Instance {
            process: Process::start(setup.program, setup.stop)?,
            name: setup.program.name.clone(),
            offers: Offers::default(),
            set: Vec::new(),
            patience: setup.patience,
            lines: 1,
            unanswered: 0,
            proven: false,
        };
        instance.introduce()?;
        instance.set_options(setup.options)?;
        instance.synchronise("", STARTUP)?;
        Ok(instance)
    }

    /// What it calls itself.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The user's options, as the engine spells them.
    pub(super) fn set(&self) -> &[Setting] {
        &self.set
    }

    /// The greatest `MultiPV`.
    pub(super) fn multipv(&self) -> u64 {
        self.offers.multipv()
    }

    /// An error of this engine.
    pub(super) fn error(&self, reason: Reason) -> EngineError {
        EngineError::new(&self.name, reason)
    }

    /// Asks it to leave, with a short grace.
    pub(super) fn quit(&mut self) {
        self.process.quit();
    }

    fn introduce(&mut self) -> Result<(), EngineError> {
        let until = Instant::now() + self.patience;
        self.send("uci\n", STARTUP)?;
        loop {
            match self.hear(until, STARTUP, "no uciok")? {
                Line::Name(name) => self.name = name,
                Line::Option(offer) => self.offers.add(offer),
                Line::UciOk => return Ok(()),
                _ => {}
            }
        }
    }

    fn set_options(&mut self, asked: &[(String, String)]) -> Result<(), EngineError> {
        self.set = self.offers.accept(asked).map_err(|why| self.error(Reason::Option(why)))?;
        let fixed = self.offers.fixed(&self.set);
        let text: String = fixed
            .iter()
            .chain(&self.set)
            .map(|(name, value)| commands::set_option(name, value.as_deref()))
            .collect();
        self.send(&text, STARTUP)
    }

    /// Sends commands, and waits until they are done: what the engine says after that is about what
    /// is sent after that.
    fn synchronise(&mut self, text: &str, during: &str) -> Result<(), EngineError> {
        let until = Instant::now() + self.patience;
        self.send(&format!("{text}isready\n"), during)?;
        self.unanswered += 1;
        while self.unanswered > 0 {
            if self.hear(until, during, "no readyok")? == Line::ReadyOk {
                self.unanswered -= 1;
            }
        }
        Ok(())
    }

    /// Makes one search. After an error the engine is in an unknown state: drop it.
    pub(super) fn search(
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
        let mut choice = Choice::new(order.search, order.lines);
        loop {
            match self.next_line(watch, during)? {
                Some(Line::Info(info)) => {
                    choice.add(info);
                    self.check_limit(order.limit, choice.nodes())?;
                }
                Some(Line::BestMove { best, said }) => {
                    let answer = choice.answer(best, &said, start.elapsed());
                    return self.judge(order, during, answer);
                }
                _ => {}
            }
        }
    }

    /// The next line of a search, if one comes before there is something to do.
    fn next_line(&mut self, watch: &mut Watch, during: &str) -> Result<Option<Line>, EngineError> {
        let until = match watch.step(Instant::now()) {
            Step::Listen(until) => until,
            Step::Probe => {
                watch.asked();
                self.unanswered += 1;
                self.send("isready\n", during)?;
                return Ok(None);
            }
            Step::GiveUp(missing, after) => return Err(self.hung(during, missing, after)),
        };
        match self.process.hear(until) {
            Heard::Line(Line::ReadyOk) => {
                self.unanswered = self.unanswered.saturating_sub(1);
                watch.answered(Instant::now());
                Ok(None)
            }
            Heard::Line(line) => {
                watch.heard(Instant::now());
                Ok(Some(line))
            }
            Heard::Silence => Ok(None),
            Heard::Closed => Err(self.exited(during)),
            Heard::Stopped => Err(self.error(Reason::Stopped)),
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

    fn send(&mut self, text: &str, during: &str) -> Result<(), EngineError> {
        if self.process.send(text) {
            return Ok(());
        }
        Err(self.exited(during))
    }

    fn hear(
        &mut self,
        until: Instant,
        during: &str,
        missing: &'static str,
    ) -> Result<Line, EngineError> {
        match self.process.hear(Some(until)) {
            Heard::Line(line) => Ok(line),
            Heard::Silence => Err(self.hung(during, missing, self.patience)),
            Heard::Closed => Err(self.exited(during)),
            Heard::Stopped => Err(self.error(Reason::Stopped)),
        }
    }

    fn hung(&self, during: &str, missing: &'static str, after: Duration) -> EngineError {
        self.error(Reason::Hung { during: during.to_owned(), missing, after })
    }

    fn exited(&mut self, during: &str) -> EngineError {
        let (how, said) = self.process.post_mortem();
        self.error(Reason::Exited { during: during.to_owned(), how, said })
    }
}
