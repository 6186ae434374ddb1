//! The usage line of an error. clap's own names every option that was given or has a value from the environment, as
//! if all of them were needed.

use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error};

/// The error with the usage of its command as `--help` has it.
pub fn of_command(mut error: Error, command: &Command) -> Error {
    let Some(ContextValue::StyledStr(told)) = error.get(ContextKind::Usage) else { return error };
    let told = told.to_string();
    let mut root = command.clone();
    root.build();
    // `Usage: deepanalyze direct include …`
    let usage = usage_of(&mut root, &mut told.split_whitespace().skip(2));
    error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
    error
}

/// Of the subcommand that these words begin with, or of the command itself.
fn usage_of<'a>(command: &mut Command, words: &mut impl Iterator<Item = &'a str>) -> StyledStr {
    if let Some(below) = words.next().and_then(|word| command.find_subcommand_mut(word)) {
        return usage_of(below, words);
    }
    command.render_usage()
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::*;

    #[test]
    fn the_usage_is_that_of_the_command_and_no_option_that_has_a_value_is_said_to_be_needed() {
        let with_value = Arg::new("db").long("db").default_value("x");
        let command = Command::new("program").subcommand(
            Command::new("direct").subcommand(
                Command::new("include")
                    .arg(with_value)
                    .arg(Arg::new("side").long("side").required(true))
                    .arg(Arg::new("line").required(true)),
            ),
        );
        let error = |args: &[&str]| {
            let words = ["program"].iter().chain(args);
            let error = command.clone().try_get_matches_from(words).unwrap_err();
            of_command(error, &command).to_string()
        };
        for args in [
            &["direct", "include", "--db", "y"][..],
            &["direct", "include", "--side", "white"],
            &["direct", "include", "--sid", "white"],
        ] {
            let said = error(args);
            let usage = "Usage: program direct include [OPTIONS] --side <side> <line>\n";
            assert!(said.contains(usage), "{args:?}: {said}");
        }
    }
}
