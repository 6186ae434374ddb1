//! `--engine` and `--engines`: which command lines, and how many processes of each.

use crate::error::CliError;
use deepanalyze_engine::EngineSource;

/// The most processes of one run.
const MOST: usize = 1024;

/// One `--engine`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineCommand {
    command: String,
    /// The number in front, if there is one.
    engines: Option<usize>,
}

/// Reads `CMD` or `N*CMD`. A command whose own name begins with digits and a star has no such form.
pub fn parse_engine(text: &str) -> Result<EngineCommand, String> {
    let number = text.split_once('*').map(|(number, command)| (number.trim(), command.trim()));
    let is_number = |number: &str| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    match number {
        Some((number, command)) if is_number(number) => {
            let engines = number.parse().ok().filter(|n| (1..=MOST).contains(n));
            let engines = engines.ok_or(format!("{number} processes: must be from 1 to {MOST}"))?;
            Ok(EngineCommand { command: command.to_owned(), engines: Some(engines) })
        }
        _ => Ok(EngineCommand { command: text.trim().to_owned(), engines: None }),
    }
}

/// How many processes of which command lines. A command without a number has as many as `--engines`
/// says; without that, a single command has one for each core, and several have one each, for it is
/// not known which of them are on this machine.
pub fn sources(
    commands: &[EngineCommand],
    each: Option<u16>,
) -> Result<Vec<EngineSource>, CliError> {
    if each.is_some() && commands.iter().all(|command| command.engines.is_some()) {
        return Err(CliError::usage("--engines has no effect: every --engine has a number"));
    }
    let default = match (each, commands.len()) {
        (Some(each), _) => usize::from(each),
        (None, 1) => std::thread::available_parallelism().map_or(1, usize::from),
        (None, _) => 1,
    };
    let sources: Vec<EngineSource> = commands
        .iter()
        .map(|EngineCommand { command, engines }| EngineSource {
            command: command.clone(),
            engines: engines.unwrap_or(default),
        })
        .collect();
    let all: usize = sources.iter().map(|source| source.engines).sum();
    if all > MOST {
        return Err(CliError::usage(format!(
            "{all} engine processes: at most {MOST} are possible"
        )));
    }
    Ok(sources)
}

/// As it is given to `--engine`.
impl std::fmt::Display for EngineCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.engines {
            Some(engines) => write!(f, "{engines}*{}", self.command),
            None => write!(f, "{}", self.command),
        }
    }
}

impl EngineCommand {
    /// The same with another command line where it is this one.
    pub fn replacing(self, command: &str, other: &str) -> EngineCommand {
        match self.command == command {
            true => EngineCommand { command: other.to_owned(), ..self },
            false => self,
        }
    }

    /// A command without a number.
    pub fn new(command: String) -> EngineCommand {
        EngineCommand { command, engines: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(commands: &[&str], each: Option<u16>) -> Result<Vec<usize>, CliError> {
        let commands: Vec<EngineCommand> =
            commands.iter().map(|text| parse_engine(text).unwrap()).collect();
        let sources = sources(&commands, each)?;
        Ok(sources.into_iter().map(|source| source.engines).collect())
    }

    #[test]
    fn a_number_and_a_star_in_front_are_no_part_of_the_command() {
        for text in ["8*ssh big stockfish", " 8 * ssh big stockfish"] {
            let command = parse_engine(text).unwrap();
            assert_eq!(command.command, "ssh big stockfish");
            assert_eq!(command.engines, Some(8));
        }
        for text in ["stockfish", "sh -c 'ls *'", "*", "my2*engine"] {
            assert_eq!(parse_engine(text).unwrap(), EngineCommand::new(text.to_owned()));
        }
        for text in ["0*stockfish", "1025*stockfish", "99999999999999999999*stockfish"] {
            assert!(parse_engine(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_command_without_a_number_has_as_many_as_engines_says() {
        assert_eq!(counts(&["a"], Some(3)).unwrap(), [3]);
        assert_eq!(counts(&["a", "8*b", "c"], Some(3)).unwrap(), [3, 8, 3]);
        assert_eq!(counts(&["a", "8*b"], None).unwrap(), [1, 8]);
        assert_eq!(counts(&["4*a"], None).unwrap(), [4]);
        let cores = std::thread::available_parallelism().unwrap().get();
        assert_eq!(counts(&["a"], None).unwrap(), [cores]);
    }

    #[test]
    fn numbers_that_contradict_each_other_or_are_too_many_are_refused() {
        assert!(counts(&["4*a"], Some(3)).is_err());
        assert!(counts(&["1000*a", "25*b"], None).is_err());
    }
}
