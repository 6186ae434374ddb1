//! Databases that come to the page: `deepanalyze merge` takes them over, in a process of its own. Whatever a file has in it,
//! the server goes on.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::args::engines::EngineCommand;
use deepanalyze_serve::{MergeRefused, Merging};

/// Takes over what other databases have.
#[derive(Debug)]
pub struct MergeCommand {
    /// The database that takes.
    pub database: PathBuf,
    /// The engines that search answers again; none for those that the command finds itself.
    pub engines: Vec<EngineCommand>,
}

impl MergeCommand {
    fn output(&self, file: &Path, is_trusted: bool) -> std::io::Result<Output> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["merge", "--quiet", "--db"]).arg(std::path::absolute(&self.database)?);
        for engine in &self.engines {
            command.arg("--engine").arg(engine.to_string());
        }
        command.args(is_trusted.then_some("--trust")).arg("--");
        // Its folder says nothing to those who have sent it.
        command.args(file.file_name());
        command.current_dir(file.parent().unwrap_or(Path::new(".")));
        command.stdin(Stdio::null()).output()
    }
}

impl Merging for MergeCommand {
    fn merge(&self, file: &Path, is_trusted: bool) -> Result<Vec<String>, MergeRefused> {
        let failed = |error: std::io::Error| MergeRefused { error: error.to_string(), hint: None };
        let output = self.output(file, is_trusted).map_err(failed)?;
        if output.status.success() {
            let text = String::from_utf8_lossy(&output.stdout);
            return Ok(text.lines().map(|line| line.trim().to_owned()).collect());
        }
        Err(refused(&String::from_utf8_lossy(&output.stderr)))
    }
}

/// What a command that has failed says of it.
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
