//! `deepanalyze config`: what is configured, and where it comes from.

mod defaults;
mod file;
mod key;

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Subcommand, ValueEnum};

use crate::args::chosen_engine::installed;
use crate::args::database::{DbArgs, VARIABLE};

use super::Cli;
use super::error::CliError;
use defaults::{colours_of_environment, key_of};

pub use defaults::{set_colours, with_defaults};
pub use file::Config;
pub use key::Key;

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
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print one setting from the file
    Get {
        /// The setting
        key: Key,
    },
    /// Change a setting
    Set {
        /// The setting
        key: Key,
        /// Its value; engine, options and tables take several
        #[arg(required = true)]
        values: Vec<String>,
    },
    /// Remove a setting from the file: the default holds again
    Unset {
        /// The setting
        key: Key,
    },
}

impl ConfigArgs {
    /// Whether the command does without what stands in the file.
    pub fn is_path(&self) -> bool {
        self.path
    }
}

/// Runs the command.
pub fn run(args: &ConfigArgs) -> Result<ExitCode, CliError> {
    let mut out = std::io::stdout().lock();
    match &args.action {
        _ if args.path => writeln!(out, "{}", file::path()?.display())?,
        None => list(&mut out)?,
        Some(Action::Get { key }) => {
            let config = Config::load()?;
            let Some(entry) = config.get(*key) else {
                return Err(CliError::missing(format!("{} is not configured", key.name())));
            };
            for text in &entry.texts {
                writeln!(out, "{text}")?;
            }
        }
        Some(Action::Set { key, values }) => {
            key.check(values).map_err(|what| CliError::usage(format!("{} {what}", key.name())))?;
            writeln!(out, "wrote {}", file::change(*key, Some(values))?.display())?;
        }
        Some(Action::Unset { key }) => {
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
    writeln!(out, "file      {}{none}", path.display())?;
    for key in Key::value_variants().iter().copied() {
        let (value, origin) = setting(key, &config)?;
        writeln!(out, "{:9} {value}  ({origin})", key.name())?;
    }
    Ok(())
}

/// The value that counts where the command line says nothing, and its origin.
fn setting(key: Key, config: &Config) -> Result<(String, String), CliError> {
    if let Some((value, variable)) = of_environment(key) {
        return Ok((value, format!("from {variable}")));
    }
    if let Some(entry) = config.get(key) {
        return Ok((entry.texts.join(", "), format!("from line {} of the file", entry.line)));
    }
    Ok(match key {
        Key::Engine if installed().is_some() => {
            ("stockfish".to_owned(), "default: it is installed".to_owned())
        }
        Key::Engine => ("builtin".to_owned(), "default: no Stockfish is installed".to_owned()),
        Key::Database => (DbArgs::default_path()?.display().to_string(), "default".to_owned()),
        Key::Options | Key::Tables => ("none".to_owned(), "default".to_owned()),
        Key::Colours => ("auto".to_owned(), "default".to_owned()),
        Key::Distance | Key::Fifty | Key::Pov => (default_of(key), "default".to_owned()),
    })
}

fn of_environment(key: Key) -> Option<(String, &'static str)> {
    match key {
        Key::Database => {
            let path = std::env::var_os(VARIABLE).filter(|path| !path.is_empty())?;
            Some((path.to_string_lossy().into_owned(), VARIABLE))
        }
        Key::Colours => {
            colours_of_environment().map(|(value, variable)| (value.to_owned(), variable))
        }
        _ => None,
    }
}

/// What the command line has as the default of an option, whichever command has it.
fn default_of(key: Key) -> String {
    let command = Cli::command();
    let mut args = command.get_subcommands().flat_map(clap::Command::get_arguments);
    let arg = args.find(|arg| key_of(arg) == Some(key));
    let values = arg.into_iter().flat_map(clap::Arg::get_default_values);
    values.map(|value| value.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
