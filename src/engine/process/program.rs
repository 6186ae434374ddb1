//! From a command line to a program that can be started.

use std::path::{Path, PathBuf};

use crate::engine::error::{EngineError, Reason};

/// Debian installs engines here, and PATH need not have it.
const GAMES: &str = "/usr/games";

/// A program with its arguments.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// The name as the user wrote it, for messages.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) arguments: Vec<String>,
    /// The whole command line.
    pub(crate) command: String,
    /// The same, where there are several and messages must say which.
    place: Option<String>,
}

impl Program {
    /// Splits a command line as a shell does, and finds its program on PATH or in /usr/games.
    ///
    /// With `several` command lines, errors name this one.
    pub(crate) fn find(command: &str, several: bool) -> Result<Program, EngineError> {
        let refused = || EngineError::new(command, Reason::Command);
        let mut words = shlex::split(command).ok_or_else(refused)?.into_iter();
        let name = words.next().filter(|w| !w.is_empty()).ok_or_else(refused)?;
        let path = locate(&name).ok_or_else(|| EngineError::new(&name, missing(&name)))?;
        let place = several.then(|| command.to_owned());
        let (arguments, command) = (words.collect(), command.to_owned());
        Ok(Program { name, path, arguments, command, place })
    }

    /// An error of this program's engine that goes by its program's name.
    pub(crate) fn error(&self, reason: Reason) -> EngineError {
        self.error_of(&self.name, reason)
    }

    /// An error of this program's engine that has said its name.
    pub(crate) fn error_of(&self, engine: &str, reason: Reason) -> EngineError {
        EngineError { command: self.place.clone(), ..EngineError::new(engine, reason) }
    }
}

/// A name with a slash is a path, any other is looked up.
fn locate(name: &str) -> Option<PathBuf> {
    let written = Path::new(name);
    if written.components().count() > 1 || written.is_absolute() {
        return runnable(written);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .filter(|dir| !dir.as_os_str().is_empty())
        .chain(std::iter::once(PathBuf::from(GAMES)))
        .find_map(|dir| runnable(&dir.join(name)))
}

/// Why a name could not be located: a path may lead to something that does not run.
fn missing(name: &str) -> Reason {
    let written = Path::new(name);
    match written.metadata() {
        Ok(_) if written.components().count() < 2 => Reason::NotFound,
        Ok(data) if data.is_dir() => Reason::Spawn("it is a folder".to_owned()),
        Ok(_) => Reason::Spawn("it is not executable".to_owned()),
        Err(_) => Reason::NotFound,
    }
}

/// The path, where there is a file that may be run.
#[cfg(unix)]
fn runnable(path: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let data = path.metadata().ok()?;
    (data.is_file() && data.permissions().mode() & 0o111 != 0).then(|| path.to_owned())
}

/// The path, or the path with the extension of programs.
#[cfg(not(unix))]
fn runnable(path: &Path) -> Option<PathBuf> {
    [path.to_owned(), path.with_extension("exe")].into_iter().find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_engine_is_named_as_it_was_written() {
        let error = Program::find("no-such-engine --flag", false).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot start engine \"no-such-engine\": not found on PATH or in /usr/games"
        );
    }

    #[test]
    fn what_is_there_and_cannot_run_is_not_called_missing() {
        let folder = std::env::temp_dir();
        let error = Program::find(folder.to_str().unwrap(), false).unwrap_err();
        assert_eq!(error.reason, Reason::Spawn("it is a folder".to_owned()));
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let error = Program::find(source, false).unwrap_err();
        assert_eq!(error.reason, Reason::Spawn("it is not executable".to_owned()));
    }

    #[test]
    fn a_command_line_that_is_none_is_refused() {
        for command in ["", "  ", "\"open", "''"] {
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
