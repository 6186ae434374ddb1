//! Databases that come to the page: `deepanalyze merge` takes them over, in a process of its own. Whatever a file has in it,
//! the server goes on.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::args::engines::EngineCommand;
use deepanalyze_core::printable::printable;
use deepanalyze_engine::{StopSignal, run_leashed};
use deepanalyze_serve::{MergeRefused, Merging, Upload};

/// Takes over what other databases have.
#[derive(Debug)]
pub struct MergeCommand {
    /// The database that takes.
    pub database: PathBuf,
    /// The engines that search answers again; none for those that the command finds itself.
    pub engines: Vec<EngineCommand>,
    /// Number of processes of engines without a number, if given.
    pub processes: Option<u16>,
}

impl MergeCommand {
    /// The command, in the server's own directory: engines and settings are found there as they are by the server itself.
    fn command(&self, upload: &Upload) -> std::io::Result<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["merge", "--quiet", "--db"]).arg(std::path::absolute(&self.database)?);
        for engine in &self.engines {
            command.arg("--engine").arg(engine.to_string());
        }
        let are_numbered =
            !self.engines.is_empty() && self.engines.iter().all(EngineCommand::has_number);
        if let Some(processes) = self.processes.filter(|n| *n > 0 && !are_numbered) {
            command.arg("--engines").arg(processes.to_string());
        }
        command.args(upload.is_trusted().then_some("--trust"));
        command.arg(format!("--as={}", upload.name())).arg("--").arg(upload.file());
        Ok(command)
    }

    /// Output of the command for the sender of the file: it names no folder of this computer.
    fn told(&self, text: &[u8], upload: &Upload) -> String {
        let text = String::from_utf8_lossy(text);
        let without = |text: String, path: &Path, name: &str| {
            text.replace(&*printable(&path.display().to_string()), name)
        };
        let text = without(text.into_owned(), &upload.file(), upload.name());
        let name = self.database.file_name().unwrap_or_default().to_string_lossy();
        let paths = [std::path::absolute(&self.database), self.database.canonicalize()];
        paths.into_iter().flatten().fold(text, |text, path| without(text, &path, &name))
    }
}

impl Merging for MergeCommand {
    fn merge(
        &self,
        upload: &Upload,
        cancelled: &StopSignal,
    ) -> Result<Option<Vec<String>>, MergeRefused> {
        let failed = |error: std::io::Error| MergeRefused { error: error.to_string(), hint: None };
        let command = self.command(upload).map_err(failed)?;
        let Some(output) = run_leashed(command, cancelled).map_err(failed)? else {
            return Ok(None);
        };
        let Output { status, stdout, stderr } = output;
        if status.success() {
            let text = self.told(&stdout, upload);
            return Ok(Some(text.lines().map(|line| line.trim().to_owned()).collect()));
        }
        match self.told(&stderr, upload) {
            told if told.trim().is_empty() => Err(refused(&status.to_string())),
            told => Err(refused(&told)),
        }
    }
}

/// Error and hint in the output of a failed command.
fn refused(told: &str) -> MergeRefused {
    let said =
        |what: &str| told.lines().find_map(|line| line.strip_prefix(what)).map(str::to_owned);
    let error = said("error: ").unwrap_or_else(|| told.trim().to_owned());
    MergeRefused { error, hint: said("hint: ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_says_of_its_failure_is_told_apart() {
        let told = refused("warning: it is hot\nerror: a.db is no database\nhint: another one\n");
        assert_eq!(told.error, "a.db is no database");
        assert_eq!(told.hint.as_deref(), Some("another one"));
        assert_eq!(refused("killed\n").error, "killed");
    }
}
