//! The fleet's commands in a build without the feature `fleet`.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use crate::args::engines::EngineArgs;
use crate::error::CliError;
use crate::starting::AllEngines;
use deepanalyze_engine::{EngineError, Pool, Settings};

const MISSING: &str = "this build was made without fleet support";
const HINT: &str = "`cargo install --path . --features fleet` builds one with it";

/// The option of other builds, which are refused.
#[derive(Debug, Clone, clap::Args)]
pub struct NoFleetArgs {
    #[arg(long, hide = true, value_name = "URL", value_parser = refuse)]
    fleet: Option<String>,
}

/// The commands of other builds, which take anything.
#[derive(Debug, clap::Args)]
#[command(hide = true, disable_help_flag = true)]
pub struct NoWorkerArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

/// No fleet is ever chosen.
#[derive(Debug)]
pub enum NoFleet {}

fn refuse(text: &str) -> Result<String, String> {
    if text == "no" { Ok(text.to_owned()) } else { Err(format!("{MISSING}; {HINT}")) }
}

/// Refuses the command.
pub fn worker(_: &NoWorkerArgs) -> Result<ExitCode, CliError> {
    Err(CliError::usage(MISSING).hint(HINT))
}

pub use {
    NoFleetArgs as FleetArgs, NoWorkerArgs as StatusArgs, NoWorkerArgs as WorkerArgs,
    worker as status,
};

impl NoFleet {
    /// All engines behind one seam.
    pub fn join(
        self,
        _: Result<Pool, EngineError>,
        _: &Path,
        _: &str,
    ) -> Result<(AllEngines, String), CliError> {
        match self {}
    }
}

impl NoFleetArgs {
    /// The engines of this computer.
    pub fn choose(&self, engine: &EngineArgs) -> Result<(Settings, Option<NoFleet>), CliError> {
        Ok((engine.settings()?, None))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Grow {
        #[command(flatten)]
        _args: NoFleetArgs,
    }

    #[derive(Debug, Parser)]
    struct Worker {
        #[command(flatten)]
        args: NoWorkerArgs,
    }

    #[test]
    fn who_wants_a_fleet_is_told_how_to_get_one() {
        let told = |said: String| {
            assert!(said.contains("without fleet support") && said.contains(HINT), "{said}")
        };
        told(Grow::try_parse_from(["grow", "--fleet", "nats://x"]).unwrap_err().to_string());
        let any =
            Worker::try_parse_from(["worker", "--fleet", "nats://x", "-q", "--help"]).unwrap();
        told(worker(&any.args).unwrap_err().to_string());
    }
}
