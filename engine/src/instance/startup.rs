//! How an engine is started: its process, its introduction, its options.

use std::time::{Duration, Instant};

use crate::error::{EngineError, Reason};
use crate::process::{Process, Program, Stop};
use crate::settings::Settings;
use crate::uci::{EngineLine, Offers, commands};

use super::Instance;

const STARTUP: &str = "startup";

/// How an engine is to be started.
pub(crate) struct Setup<'a> {
    program: &'a Program,
    /// As the user wrote them.
    options: &'a [(String, String)],
    /// For `uciok` and `readyok`.
    patience: Duration,
    stop: &'a Stop,
}

impl<'a> Setup<'a> {
    /// As the settings say.
    pub(crate) fn new(program: &'a Program, settings: &'a Settings, stop: &'a Stop) -> Setup<'a> {
        Setup { program, options: &settings.options, patience: settings.hang.startup, stop }
    }
}

impl Instance {
    /// Starts the program, and sets its options.
    ///
    /// Errors name the engine as far as it is known: its program until it said its name.
    pub(crate) fn start(setup: &Setup<'_>) -> Result<Instance, EngineError> {
        let mut instance = Instance {
            process: Process::start(setup.program, setup.stop)?,
            program: setup.program.clone(),
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

    fn introduce(&mut self) -> Result<(), EngineError> {
        let until = Instant::now() + self.patience;
        self.send("uci\n", STARTUP)?;
        loop {
            match self.hear(until, STARTUP, "no uciok")? {
                EngineLine::Name(name) => self.name = name,
                EngineLine::Option(offer) => {
                    self.offers.add(offer).map_err(|bound| self.floods(STARTUP, bound))?;
                }
                EngineLine::UciOk => return Ok(()),
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
}
