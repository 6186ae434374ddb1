//! One running engine that has introduced itself and taken its options.

mod searching;
mod startup;

use std::time::{Duration, Instant};

use super::error::{EngineError, Reason};
use super::process::{Heard, Process, Program};
use super::uci::{EngineLine, Offers, Setting};

pub(super) use searching::{Failure, Order};
pub(super) use startup::Setup;

/// A running engine.
pub(super) struct Instance {
    process: Process,
    program: Program,
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
    /// What it calls itself.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The user's options, as the engine spells them.
    pub(super) fn set(&self) -> &[Setting] {
        &self.set
    }

    /// What it offers.
    pub(super) fn offers(&self) -> &Offers {
        &self.offers
    }

    /// The greatest `MultiPV`.
    pub(super) fn multipv(&self) -> u64 {
        self.offers.multipv()
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
    fn synchronise(&mut self, text: &str, during: &str) -> Result<(), EngineError> {
        let until = Instant::now() + self.patience;
        self.send(&format!("{text}isready\n"), during)?;
        self.unanswered += 1;
        while self.unanswered > 0 {
            if self.hear(until, during, "no readyok")? == EngineLine::ReadyOk {
                self.unanswered -= 1;
            }
        }
        Ok(())
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
    ) -> Result<EngineLine, EngineError> {
        match self.process.hear(Some(until)) {
            Heard::Line(line) => Ok(line),
            Heard::Silence => Err(self.hung(during, missing, self.patience)),
            Heard::Closed => Err(self.exited(during)),
            Heard::Flood(bound) => Err(self.floods(during, bound)),
            Heard::Abandoned | Heard::Stopped => Err(self.error(Reason::Stopped)),
        }
    }

    fn hung(&self, during: &str, missing: &'static str, after: Duration) -> EngineError {
        self.error(Reason::Hung { during: during.to_owned(), missing, after })
    }

    fn floods(&self, during: &str, bound: String) -> EngineError {
        self.error(Reason::Floods { during: during.to_owned(), bound })
    }

    fn exited(&mut self, during: &str) -> EngineError {
        let (how, said) = self.process.post_mortem();
        self.error(Reason::Exited { during: during.to_owned(), how, said })
    }
}
