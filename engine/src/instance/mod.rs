//! One running engine that has introduced itself and taken its options.

mod searching;

use std::convert::Infallible;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use super::Settings;
use super::error::{EngineError, Reason};
use super::process::{FromEngine, Process, Program, Stop};
use super::uci::{EngineLine, Offers, Setting, UciMessage, set_option};

pub(super) use searching::{SearchFailure, SearchOrder};

/// A running engine.
pub(super) struct Instance {
    process: Process,
    program: Program,
    /// What it calls itself; its program until it has said so.
    pub(super) name: String,
    /// What it offers.
    pub(super) offers: Offers,
    /// The user's options, as the engine spells them.
    pub(super) set: Vec<Setting>,
    patience: Duration,
    lines: usize,
    /// `isready` without its `readyok` yet.
    unanswered: u32,
    /// Whether it has answered a search.
    proven: bool,
    /// What it is doing, for errors: `startup`, `go depth 18`.
    during: String,
}

impl Instance {
    /// Starts the program, and sets its options.
    ///
    /// Errors name the engine as far as it is known: its program until it said its name.
    pub(super) fn start(
        program: &Program,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<Instance, EngineError> {
        let mut instance = Instance {
            process: Process::start(program, stop)?,
            program: program.clone(),
            name: program.name.clone(),
            offers: Offers::default(),
            set: Vec::new(),
            patience: settings.hang.startup,
            lines: 1,
            unanswered: 0,
            proven: false,
            during: "startup".to_owned(),
        };
        instance.introduce()?;
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

    /// Asks it to leave, with a short grace.
    pub(super) fn quit(&mut self) {
        self.process.quit();
    }

    /// Sends commands, and waits until they are done: what the engine says after that is about what
    /// is sent after that.
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

    /// What comes next, until a moment or until a search is abandoned.
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
        self.error(Reason::Hung { during: self.during.clone(), missing, after })
    }

    fn floods(&self, bound: String) -> EngineError {
        self.error(Reason::Floods { during: self.during.clone(), bound })
    }

    /// What was heard is the end of the engine, or of the pool.
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
