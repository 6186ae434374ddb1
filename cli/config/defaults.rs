//! The configuration as defaults of the command line: what is written there, or in the environment, counts
//! more.

use anstream::ColorChoice;
use clap::builder::{OsStr, Resettable};
use clap::{Arg, Command};

use super::file::Config;
use super::key::Key;

/// The command line whose options have the defaults of the configuration.
pub fn with_defaults(command: Command, config: &Config) -> Command {
    command
        .mut_args(|arg| default_of(arg, config))
        .mut_subcommands(|command| with_defaults(command, config))
}

/// An option that a key of the file stands for.
pub fn key_of(arg: &Arg) -> Option<Key> {
    match arg.get_id().as_str() {
        "db" => Some(Key::Database),
        "distance" => Some(Key::Distance),
        "tables" => Some(Key::Tables),
        "fifty" => Some(Key::Fifty),
        "pov" => Some(Key::Pov),
        _ => None,
    }
}

fn default_of(arg: Arg, config: &Config) -> Arg {
    let key = key_of(&arg);
    // A variable that is set to nothing says nothing.
    let is_empty = arg.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
    let arg = if is_empty { arg.env(Resettable::<OsStr>::Reset) } else { arg };
    match key.map(|key| config.texts(key)) {
        Some(texts) if !texts.is_empty() => arg.default_values(texts.iter().map(OsStr::from)),
        _ => arg,
    }
}

/// What the environment says of colours, and which variable does.
pub fn colours_of_environment() -> Option<(&'static str, &'static str)> {
    let is_set = |name: &str, unless: &str| {
        std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != unless)
    };
    if is_set("NO_COLOR", "") {
        return Some(("never", "NO_COLOR"));
    }
    is_set("CLICOLOR_FORCE", "0").then_some(("always", "CLICOLOR_FORCE"))
}

/// Takes the colours of the configuration, unless the environment has an opinion.
pub fn set_colours(config: &Config) {
    let choice = match config.text(Key::Colours) {
        _ if colours_of_environment().is_some() => return,
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => return,
    };
    choice.write_global();
}
