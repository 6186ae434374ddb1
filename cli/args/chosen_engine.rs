//! Which engine a command takes where none is named: the configured one, an installed Stockfish, the
//! built-in one.

use crate::args::sources::{EngineCommand, parse_engine};
use crate::config::{Config, Key};
use crate::error::CliError;
use deepanalyze_core::quoting;
use deepanalyze_engine::is_installed;

/// What asks for the built-in engine.
pub const BUILTIN: &str = "builtin";

/// The engine that is looked for where none is named.
const STOCKFISH: &str = "stockfish";

/// Where the engine comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The command line names it.
    Named,
    /// The configuration names it.
    Configured,
    /// Nobody names one, and Stockfish is installed.
    Installed,
    /// Nobody names one, and there is none.
    Builtin,
}

/// The engine's command lines, their origin, and the options that the configuration has for it.
#[derive(Debug)]
pub struct ChosenEngine {
    pub commands: Vec<EngineCommand>,
    pub origin: Origin,
    /// Of an engine that the command line names the configuration knows nothing.
    pub options: Vec<(String, String)>,
}

impl ChosenEngine {
    /// Chooses; `named` is what the command line has.
    ///
    /// # Errors
    ///
    /// Where the configuration cannot be read.
    pub fn new(named: &[EngineCommand]) -> Result<ChosenEngine, CliError> {
        let config = Config::load()?;
        let configured = config.texts(Key::Engine).iter().map(|text| parse_engine(text));
        let configured: Vec<EngineCommand> =
            configured.collect::<Result<_, _>>().map_err(CliError::usage)?;
        let (commands, origin) = match (named.is_empty(), configured.is_empty(), installed()) {
            (false, _, _) => (named.to_vec(), Origin::Named),
            (_, false, _) => (configured, Origin::Configured),
            (_, _, Some(name)) => (vec![EngineCommand::new(name.to_owned())], Origin::Installed),
            _ => (vec![EngineCommand::new(BUILTIN.to_owned())], Origin::Builtin),
        };
        let options = match origin {
            Origin::Named => Vec::new(),
            _ => options_of(&config)?,
        };
        let builtin = builtin_command()?;
        let commands = commands.into_iter().map(|command| command.replacing(BUILTIN, &builtin));
        Ok(ChosenEngine { commands: commands.collect(), origin, options })
    }

    /// Which engine was taken although nobody named it, and how to take the other.
    pub fn note(&self) -> Option<&'static str> {
        match self.origin {
            Origin::Named | Origin::Configured => None,
            Origin::Installed => Some(
                "note: using the installed Stockfish; --engine builtin uses the built-in engine",
            ),
            Origin::Builtin => {
                Some("note: using the built-in engine; --engine CMD uses another, like Stockfish")
            }
        }
    }
}

/// Stockfish, where it is installed.
pub fn installed() -> Option<&'static str> {
    Some(STOCKFISH).filter(|name| is_installed(name))
}

fn options_of(config: &Config) -> Result<Vec<(String, String)>, CliError> {
    let options = config.texts(Key::Options).iter();
    options.map(|text| super::engines::parse_option(text).map_err(CliError::usage)).collect()
}

/// The built-in engine is this program, as a process of its own.
pub fn builtin_command() -> Result<String, CliError> {
    let program = std::env::current_exe()?;
    Ok(quoting::join([&*program.to_string_lossy(), "engine"]))
}
