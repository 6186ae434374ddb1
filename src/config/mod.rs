//! `deepanalyze config`: what is configured, and where it comes from. It is the default of the command line: what is
//! written there, or in the environment, counts more.

mod file;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anstream::ColorChoice;
use clap::builder::{OsStr, Resettable};
use clap::{Arg, Args, Command, Subcommand, ValueEnum};

use crate::args::database::{DbArgs, VARIABLE};
use crate::args::engines::installed;
use deepanalyze_core::chess::FiftyMoves;

use super::error::CliError;
use super::help::commands;

pub use file::{Config, ConfigKey, path as config_path};

/// Show or change your settings
///
/// `deepanalyze config` shows every setting and where it comes from. Settings are kept in a file in your
/// configuration folder, which you may edit, too. Options on the command line come first, then
/// environment variables, then the file.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ConfigArgs {
    /// Print only the path of the file
    #[arg(long)]
    path: bool,
    #[command(subcommand)]
    action: Option<ConfigAction>,
}

#[derive(Debug, Subcommand)]
enum ConfigAction {
    /// Print one setting from the file
    Get {
        /// The setting
        key: ConfigKey,
    },
    /// Change a setting
    Set {
        /// The setting
        key: ConfigKey,
        /// Its value; engine, options and tables take several
        #[arg(required = true)]
        values: Vec<String>,
    },
    /// Remove a setting from the file, so that its default applies again
    Unset {
        /// The setting
        key: ConfigKey,
    },
}

impl ConfigArgs {
    /// True if the command does not need the contents of the file.
    pub fn is_path(&self) -> bool {
        self.path
    }
}

/// Runs the command.
pub fn run(args: &ConfigArgs) -> Result<ExitCode, CliError> {
    let mut out = crate::output::stdout();
    match &args.action {
        _ if args.path => writeln!(out, "{}", file::path()?.display())?,
        None => list(&mut out)?,
        Some(ConfigAction::Get { key }) => {
            let config = Config::load()?;
            let Some(entry) = config.get(*key) else {
                return Err(CliError::missing(format!("{} is not configured", key.name())));
            };
            for text in &entry.texts {
                writeln!(out, "{text}")?;
            }
        }
        Some(ConfigAction::Set { key, values }) => {
            key.check(values).map_err(|what| CliError::usage(format!("{} {what}", key.name())))?;
            if *key == ConfigKey::Tables
                && let Some(missing) = values.iter().find(|folder| !Path::new(folder).is_dir())
            {
                return Err(CliError::missing(format!("there is no folder {missing}")));
            }
            writeln!(out, "wrote {}", file::change(*key, Some(values))?.display())?;
        }
        Some(ConfigAction::Unset { key }) => {
            writeln!(out, "wrote {}", file::change(*key, None)?.display())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Every setting with its origin.
fn list(out: &mut dyn Write) -> Result<(), CliError> {
    let path = file::path()?;
    let config = Config::load()?;
    let none = if path.exists() { "" } else { " (there is none yet)" };
    writeln!(out, "file          {}{none}", path.display())?;
    for key in ConfigKey::value_variants().iter().copied() {
        let (value, origin) = setting(key, &config)?;
        writeln!(out, "{:13} {value}  ({origin})", key.name())?;
    }
    Ok(())
}

/// The value that counts where the command line says nothing, and its origin.
fn setting(key: ConfigKey, config: &Config) -> Result<(String, String), CliError> {
    if let Some((value, variable)) = of_environment(key) {
        return Ok((value, format!("from {variable}")));
    }
    if let Some(entry) = config.get(key) {
        return Ok((entry.texts.join(", "), format!("from line {} of the file", entry.line)));
    }
    Ok(match key {
        ConfigKey::Engine if installed().is_some() => {
            ("stockfish".to_owned(), "default: it is installed".to_owned())
        }
        ConfigKey::Engine => {
            ("builtin".to_owned(), "default: no Stockfish is installed".to_owned())
        }
        ConfigKey::Database => {
            (DbArgs::default_path()?.display().to_string(), "default".to_owned())
        }
        ConfigKey::Colours => ("auto".to_owned(), "default".to_owned()),
        ConfigKey::Fifty => (FiftyMoves::default().to_string(), "default".to_owned()),
        key => (built_in(key), "default".to_owned()),
    })
}

fn of_environment(key: ConfigKey) -> Option<(String, &'static str)> {
    match key {
        ConfigKey::Database => {
            let path = std::env::var_os(VARIABLE).filter(|path| !path.is_empty())?;
            Some((path.to_string_lossy().into_owned(), VARIABLE))
        }
        ConfigKey::Colours => {
            colours_of_environment().map(|(value, variable)| (value.to_owned(), variable))
        }
        _ => None,
    }
}

/// Default of an option on the command line, the same for every command that has it; empty without
/// one.
fn built_in(key: ConfigKey) -> String {
    let command = commands();
    let mut args = command.get_subcommands().flat_map(Command::get_arguments);
    let arg = args.find(|arg| key_of(arg) == Some(key));
    let value = arg.and_then(|arg| arg.get_default_values().first());
    value.map_or("none".to_owned(), |value| value.to_string_lossy().into_owned())
}

/// The command line whose options have the defaults of the configuration.
pub fn with_defaults(command: Command) -> Command {
    command.mut_args(default_of).mut_subcommands(with_defaults)
}

/// An option that a key of the file stands for.
fn key_of(arg: &Arg) -> Option<ConfigKey> {
    match arg.get_id().as_str() {
        "db" => Some(ConfigKey::Database),
        id if ["distance", "pov"].contains(&id) || id.starts_with("fleet") => {
            ConfigKey::of(&id.replace('_', "-"))
        }
        _ => None,
    }
}

fn default_of(arg: Arg) -> Arg {
    let key = key_of(&arg);
    // A variable that is set to nothing says nothing.
    let is_empty = arg.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
    let arg = if is_empty { arg.env(Resettable::<OsStr>::Reset) } else { arg };
    match key.map(|key| Config::loaded().texts(key)) {
        Some(texts) if !texts.is_empty() => {
            arg.required(false).default_values(texts.iter().map(OsStr::from))
        }
        _ => arg,
    }
}

/// The environment's setting for colours, and the variable it comes from.
fn colours_of_environment() -> Option<(&'static str, &'static str)> {
    let is_set = |name: &str, unless: &str| {
        std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != unless)
    };
    if is_set("NO_COLOR", "") {
        return Some(("never", "NO_COLOR"));
    }
    is_set("CLICOLOR_FORCE", "0").then_some(("always", "CLICOLOR_FORCE"))
}

/// Takes the colours of the configuration, unless the environment has an opinion.
pub fn set_colours() {
    let choice = match Config::loaded().text(ConfigKey::Colours) {
        _ if colours_of_environment().is_some() => return,
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => return,
    };
    choice.write_global();
}
