//! From a command line to a program that can be started.

use std::path::{Path, PathBuf};

use crate::error::{EngineError, Reason};
use deepanalyze_core::quoting;

use super::system::{FOLDERS, runnable};

/// A program with its arguments.
#[derive(Debug, Clone)]
pub struct Program {
    /// The name as the user wrote it, for messages.
    pub name: String,
    pub path: PathBuf,
    pub arguments: Vec<String>,
    /// The whole command line.
    pub command: String,
    /// The command line if there are several, for messages.
    place: Option<String>,
}

impl Program {
    /// Splits a command line into words, and finds its program on PATH or where the system has
    /// engines.
    ///
    /// With `several` command lines, errors name this one.
    pub fn find(command: &str, several: bool) -> Result<Program, EngineError> {
        let refused = || EngineError::new(command, Reason::Command);
        let mut words = quoting::split(command).ok_or_else(refused)?.into_iter();
        let name = words.next().filter(|w| !w.is_empty()).ok_or_else(refused)?;
        let path = locate(&name).ok_or_else(|| EngineError::new(&name, missing(&name)))?;
        let place = several.then(|| command.to_owned());
        let (arguments, command) = (words.collect(), command.to_owned());
        Ok(Program { name, path, arguments, command, place })
    }

    /// An error of this program's engine, by the program's name.
    pub fn error(&self, reason: Reason) -> EngineError {
        self.error_of(&self.name, reason)
    }

    /// An error of this program's engine, by its own name.
    pub fn error_of(&self, engine: &str, reason: Reason) -> EngineError {
        EngineError { command: self.place.clone(), ..EngineError::new(engine, reason) }
    }
}

/// A name with a slash is a path, any other is looked up.
fn locate(name: &str) -> Option<PathBuf> {
    if is_path(name) {
        return runnable(Path::new(name));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .filter(|dir| !dir.as_os_str().is_empty())
        .chain(FOLDERS.iter().map(PathBuf::from))
        .find_map(|dir| runnable(&dir.join(name)))
}

/// Is a program of this name on PATH or where the system has engines?
pub fn is_installed(name: &str) -> bool {
    locate(name).is_some()
}

fn is_path(name: &str) -> bool {
    let written = Path::new(name);
    written.components().count() > 1 || written.is_absolute()
}

/// The places searched for a program of this name, for a message: "not found on PATH".
pub fn searched(name: &str) -> String {
    if is_path(name) {
        "no such file".to_owned()
    } else {
        FOLDERS
            .iter()
            .fold("not found on PATH".to_owned(), |text, folder| format!("{text} or in {folder}"))
    }
}

/// Why a name could not be located: a path may lead to something not runnable.
fn missing(name: &str) -> Reason {
    let written = Path::new(name);
    match written.metadata() {
        Ok(_) if !is_path(name) => Reason::NotFound,
        Ok(data) if data.is_dir() => Reason::Spawn("it is a folder".to_owned()),
        Ok(_) => Reason::Spawn("it is not executable".to_owned()),
        Err(_) => Reason::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_engine_is_named_as_it_was_written() {
        let error = |command| Program::find(command, false).unwrap_err().to_string();
        let place = if cfg!(windows) { "on PATH" } else { "on PATH or in /usr/games" };
        let looked_up = format!("cannot start engine \"no-such-engine\": not found {place}");
        assert_eq!(error("no-such-engine --flag"), looked_up);
        assert_eq!(error("./none here"), "cannot start engine \"./none\": no such file");
    }

    #[test]
    fn a_folder_is_not_called_missing() {
        let folder = std::env::temp_dir();
        let error = Program::find(folder.to_str().unwrap(), false).unwrap_err();
        assert_eq!(error.reason, Reason::Spawn("it is a folder".to_owned()));
    }

    /// Windows learns this only by trying.
    #[cfg(unix)]
    #[test]
    fn a_file_that_is_no_program_is_not_called_missing() {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let error = Program::find(source, false).unwrap_err();
        assert_eq!(error.reason, Reason::Spawn("it is not executable".to_owned()));
    }

    #[test]
    fn a_command_line_that_is_none_is_refused() {
        for command in ["", "  ", "\"open", "\"\""] {
            let error = Program::find(command, false).unwrap_err();
            assert_eq!(error.reason, Reason::Command, "{command:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn words_are_split_as_in_a_shell() {
        let program = Program::find("sh -c 'exec \"engine\"'", false).unwrap();
        assert!(program.path.ends_with("sh") && program.path.is_absolute());
        assert_eq!(program.arguments, ["-c", "exec \"engine\""]);
    }
}
