//! Arguments that know whether the user has written them: what is configured is taken more leniently.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, Error, FromArgMatches, Id};

/// Arguments, and which of them stand on the command line.
#[derive(Debug, Clone)]
pub struct Sourced<T> {
    /// The arguments.
    pub args: T,
    written: Vec<Id>,
}

impl<T> Sourced<T> {
    /// Arguments that somebody has written.
    pub fn written(args: T, names: &[&'static str]) -> Sourced<T> {
        Sourced { args, written: names.iter().map(|name| Id::from(*name)).collect() }
    }

    /// Whether an argument stands on the command line; it has its value from the configuration, or none, otherwise.
    pub fn is_written(&self, name: &str) -> bool {
        self.written.iter().any(|id| id == name)
    }
}

impl<T: FromArgMatches> FromArgMatches for Sourced<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Sourced<T>, Error> {
        let is_written =
            |id: &&Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
        let written = matches.ids().filter(is_written).cloned().collect();
        Ok(Sourced { args: T::from_arg_matches(matches)?, written })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.args.update_from_arg_matches(matches)
    }
}

impl<T: clap::Args> clap::Args for Sourced<T> {
    fn group_id() -> Option<Id> {
        T::group_id()
    }

    fn augment_args(command: Command) -> Command {
        T::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        T::augment_args_for_update(command)
    }
}
