//! The error of a failed command, and its exit code.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anstyle::AnsiColor;

use deepanalyze_core::secrets::{SecretFileError, read_secret};
use deepanalyze_engine::{EngineError, Reason};
use deepanalyze_games::GameSetError;
use deepanalyze_runner::{RunEnd, RunError};
use deepanalyze_store::StoreError;
use deepanalyze_view::DirectError;

use super::printable::message;
use super::printer::Printer;

/// Exit codes, as the manual has them.
pub const FAILURE: u8 = 1;
pub const USAGE: u8 = 2;
pub const NOT_SETTLED: u8 = 3;
pub const INTERRUPTED: u8 = 130;

/// The exit code of a run: whether some of it failed, and whether it fell short where the user wants to know.
pub fn exit_code(ending: RunEnd, has_failed: bool, is_short: bool) -> ExitCode {
    match ending {
        RunEnd::Interrupted => ExitCode::from(INTERRUPTED),
        _ if has_failed => ExitCode::from(FAILURE),
        _ if is_short => ExitCode::from(NOT_SETTLED),
        _ => ExitCode::SUCCESS,
    }
}

/// Hint for an engine that does not speak UCI.
const UCI_BY_HAND: &str = "start it by hand and type `uci`: a UCI engine lists its options and says `uciok`; \
                           some need a flag, like `gnuchess --uci`";

/// A message, what caused it, and what the user can do about it.
#[derive(Debug)]
pub struct CliError {
    code: u8,
    messages: Vec<String>,
    /// Errors beside this one.
    others: Vec<String>,
    hint: Option<String>,
    /// There is nothing to say: the reader has closed the pipe, or the user has ended the command.
    silent: bool,
}

impl CliError {
    /// Something went wrong; exit code 1.
    pub fn failure(error: &dyn Error) -> CliError {
        let mut messages = vec![error.to_string()];
        let mut source = error.source();
        while let Some(error) = source {
            let message = error.to_string();
            // Transparent errors repeat what is above them.
            if !messages.iter().any(|known| known.contains(&message)) {
                messages.push(message);
            }
            source = error.source();
        }
        CliError { messages, ..CliError::missing("") }
    }

    /// Something not found; exit code 1.
    pub fn missing(message: impl Into<String>) -> CliError {
        CliError {
            code: FAILURE,
            messages: vec![message.into()],
            others: Vec::new(),
            hint: None,
            silent: false,
        }
    }

    /// Several things are wrong at once, each an error of its own; exit code 1.
    pub fn several(messages: Vec<String>) -> CliError {
        let mut messages = messages.into_iter();
        let first = CliError::missing(messages.next().unwrap_or_default());
        CliError { others: messages.collect(), ..first }
    }

    /// The command does not make sense; exit code 2.
    pub fn usage(message: impl Into<String>) -> CliError {
        CliError { code: USAGE, ..CliError::missing(message) }
    }

    /// The user has ended the command early; exit code 130, and no message.
    pub fn interrupted() -> CliError {
        CliError { code: INTERRUPTED, silent: true, ..CliError::missing("") }
    }

    /// This error as one of the command line.
    pub fn in_usage(self) -> CliError {
        self.in_status(USAGE)
    }

    /// This error with another exit code.
    pub fn in_status(self, code: u8) -> CliError {
        CliError { code, ..self }
    }

    /// Says first what the error is about.
    pub fn about(mut self, what: &str) -> CliError {
        if let Some(first) = self.messages.first_mut() {
            *first = format!("{what}: {first}");
        }
        self
    }

    /// Another error beside this one; what can be done about that one comes first.
    pub fn and(self, other: CliError) -> CliError {
        let others = [self.others, vec![other.messages.join(": ")], other.others].concat();
        CliError { others, hint: other.hint, ..self }
    }

    /// Adds what the user can do.
    pub fn hint(self, hint: impl Into<String>) -> CliError {
        self.maybe_hint(Some(hint.into()))
    }

    /// Adds what the user can do, if anything.
    pub fn maybe_hint(mut self, hint: Option<String>) -> CliError {
        self.hint = hint.or(self.hint);
        self
    }

    /// The error and its reason, in one line.
    pub fn message(&self) -> String {
        self.messages.join(": ")
    }

    /// The message, and a hint for the user, if any.
    pub fn into_words(self) -> (String, Option<String>) {
        (self.message(), self.hint)
    }

    /// Prints the error and gives the exit code.
    pub fn report(self) -> ExitCode {
        // A closed standard error cannot be reported.
        self.tell(|error| drop(writeln!(anstream::stderr(), "{error}")))
    }

    /// Prints the error through a printer, after the lines that wait there, and gives the exit
    /// code.
    pub fn report_to(self, printer: &Printer) -> ExitCode {
        self.tell(|error| printer.error(error.to_string()))
    }

    fn tell(self, tell: impl FnOnce(&CliError)) -> ExitCode {
        if !self.silent {
            tell(&self);
        }
        ExitCode::from(self.code)
    }
}

/// With colours, which are taken away where there are to be none.
impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bold = |colour: AnsiColor| colour.on_default().bold();
        let (red, cyan) = (bold(AnsiColor::Red), bold(AnsiColor::Cyan));
        write!(f, "{red}error:{red:#} {}", message(&self.messages.join("\n  caused by: ")))?;
        let mut others = self.others.iter().map(|other| message(other));
        others.try_for_each(|other| write!(f, "\n{red}error:{red:#} {other}"))?;
        let mut hint = self.hint.iter().map(|hint| message(hint));
        hint.try_for_each(|hint| write!(f, "\n{cyan}hint:{cyan:#} {hint}"))
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> CliError {
        match error.kind() {
            io::ErrorKind::BrokenPipe => {
                CliError { code: 0, silent: true, ..CliError::missing("") }
            }
            _ => CliError::failure(&error),
        }
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> CliError {
        let hint = error.hint().map(str::to_owned);
        CliError::failure(&error).maybe_hint(hint)
    }
}

impl From<GameSetError> for CliError {
    fn from(error: GameSetError) -> CliError {
        let hint = error.hint();
        CliError::failure(&error).maybe_hint(hint)
    }
}

impl From<SecretFileError> for CliError {
    fn from(error: SecretFileError) -> CliError {
        let hint = match &error {
            SecretFileError::Open { path } => {
                Some(format!("`chmod 600 {}` keeps it to yourself", path.display()))
            }
            SecretFileError::Io { .. } => None,
        };
        CliError::failure(&error).maybe_hint(hint)
    }
}

/// The secret of a file that must be there.
pub fn secret_of(path: &Path) -> Result<String, CliError> {
    read_secret(path)?.ok_or_else(|| CliError::missing(format!("there is no {}", path.display())))
}

impl From<DirectError> for CliError {
    fn from(error: DirectError) -> CliError {
        let hint = match &error {
            DirectError::Nothing(_) => Some(
                "`deepanalyze direct list`, with the same position, shows all directives"
                    .to_owned(),
            ),
            other => other.hint(),
        };
        let told = CliError::failure(&error).maybe_hint(hint);
        if error.is_usage() { told.in_usage() } else { told }
    }
}

impl From<EngineError> for CliError {
    fn from(error: EngineError) -> CliError {
        let hint = match &error.reason {
            Reason::Command | Reason::NotFound => Some(
                "--engine takes a program with its arguments: \"stockfish\", \"ssh host stockfish\"",
            ),
            Reason::Exited { during, .. } | Reason::Hung { during, .. }
                if during == "startup" && error.engine.ends_with("ssh") =>
            {
                Some("ssh must not ask for anything: try it by hand with `-o BatchMode=yes`")
            }
            Reason::Exited { during, .. } | Reason::Hung { during, .. } if during == "startup" => {
                Some(if error.engine.ends_with("gnuchess") {
                    "GNU Chess speaks UCI only with a flag: --engine \"gnuchess --uci\""
                } else {
                    UCI_BY_HAND
                })
            }
            Reason::OtherName { .. } | Reason::OtherOptions(_) => {
                Some("install the same build everywhere; --option sets a default that differs")
            }
            // Options that the program sets itself do not depend on the engine.
            Reason::Option(why) if why.contains("the program sets it") => None,
            Reason::Option(_) => Some("start it by hand and type `uci`: it lists its options"),
            _ => None,
        };
        CliError::failure(&error).maybe_hint(hint.map(str::to_owned))
    }
}

/// True if trying the same engine again may help.
pub fn may_pass(reason: &Reason) -> bool {
    match reason {
        Reason::Exited { .. }
        | Reason::Hung { .. }
        | Reason::Spawn(_)
        | Reason::Floods { .. }
        | Reason::Lied { .. }
        | Reason::Remote { .. }
        | Reason::Stopped => true,
        Reason::GaveUp { last, .. } => may_pass(&last.reason),
        Reason::NoneStarts(errors) => errors.iter().any(|error| may_pass(&error.reason)),
        Reason::Command
        | Reason::NotFound
        | Reason::Option(_)
        | Reason::OtherName { .. }
        | Reason::SameAsFirst
        | Reason::OtherOptions(_)
        | Reason::LimitIgnored { .. }
        | Reason::NoAlternatives(_)
        | Reason::NothingToSearch(_) => false,
    }
}

impl From<RunError> for CliError {
    fn from(error: RunError) -> CliError {
        match error {
            RunError::Store(error) => error.into(),
            RunError::Engine(error) => {
                let may_pass = may_pass(&error.reason);
                let told = CliError::from(error);
                match (may_pass, told.hint.is_some()) {
                    (true, _) => told
                        .hint("all other answers are kept; the same command goes on from there"),
                    (false, true) => told,
                    (false, false) => told.hint(
                        "all answers are kept; the same command would fail again: another limit or another engine is needed",
                    ),
                }
            }
            RunError::Unsaved { error, save } => CliError::from(*error).and(save.into()),
            error @ RunError::Illegal(_) => {
                CliError::failure(&error).hint("`deepanalyze verify` shows what is damaged")
            }
            error @ (RunError::EnginesGone
            | RunError::Thread(_)
            | RunError::Tables(_)
            | RunError::Games(..)) => CliError::failure(&error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::search::Limit;

    #[test]
    fn what_fails_each_time_is_not_to_be_tried_again() {
        let told = |reason: Reason| {
            let error = EngineError { engine: "Some".to_owned(), command: None, reason };
            CliError::from(RunError::Engine(error)).into_words().1.unwrap_or_default()
        };
        let goes_on = "the same command goes on from there";
        let exited = || Reason::Exited {
            during: "go".to_owned(),
            how: "signal 9".to_owned(),
            said: Vec::new(),
        };
        assert!(told(exited()).contains(goes_on));
        let ignored = || Reason::LimitIgnored { limit: Limit::Nodes(20_000), nodes: 1 };
        let other = Reason::OtherName { expected: "Else".to_owned() };
        for reason in [ignored(), other, Reason::NoAlternatives("why".to_owned())] {
            let hint = told(reason);
            assert!(!hint.is_empty() && !hint.contains(goes_on), "{hint}");
        }
        let last =
            |reason| Box::new(EngineError { engine: "Some".to_owned(), command: None, reason });
        let gave_up =
            |reason| Reason::GaveUp { fen: "8".to_owned(), attempts: 3, last: last(reason) };
        assert!(told(gave_up(exited())).contains(goes_on));
        assert!(!told(gave_up(ignored())).contains(goes_on));
    }

    #[test]
    fn failed_engine_is_named_with_failed_database() {
        let error = EngineError {
            engine: "Some".to_owned(),
            command: None,
            reason: Reason::Option("no such option".to_owned()),
        };
        let (engine, error) = (error.to_string(), Box::new(RunError::Engine(error)));
        let save = StoreError::Missing("tree.db".into());
        let database = save.to_string();
        let text = CliError::from(RunError::Unsaved { error, save }).to_string();
        assert!(text.contains(&engine) && text.contains(&database), "{text}");
        assert!(!text.contains("all other answers are kept"), "{text}");
    }
}
