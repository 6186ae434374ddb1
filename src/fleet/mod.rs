//! Searches by other computers: `--fleet`, `deepanalyze worker` and `deepanalyze fleet`.

mod worker;
mod workers_engine;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Arg;

use crate::args::engines::EngineArgs;
use crate::args::report::ReportFormat;
use crate::error::{CliError, secret_of};
use crate::output::Output;
use crate::starting::AllEngines;
use deepanalyze_core::reading::{MIB, read_file};
use deepanalyze_core::secrets::FLEET_LOGIN;
use deepanalyze_engine::{EngineError, Pool, Settings};
use deepanalyze_fleet::{
    Access, FleetEngines, FleetError, FleetPlan, FleetReport, GrowerCommand, GrowerEvent, Link,
    Login, Tls, Token, engine_token, grower_link, listen,
};

use workers_engine::{is_not_here, workers_engine};

pub use worker::{WorkerArgs, worker};

/// For how long workers are listened to: each gives a sign every two seconds.
const LISTEN: Duration = Duration::from_secs(5);

/// A connection to the fleet's server.
type GrowerLink = Link<GrowerCommand, GrowerEvent>;

/// Options of a fleet that searches, too.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Fleet", mut_args(hidden))]
pub struct FleetArgs {
    /// Let workers search, too: the address of their NATS server; "no" for none
    #[arg(long, value_name = "URL")]
    fleet: Option<String>,
    /// Give one search in N to two workers and compare their answers; 0 compares none
    #[arg(long, value_name = "N", default_value_t = 100)]
    fleet_compare: u32,
    #[command(flatten)]
    access: AccessArgs,
}

/// The options of a fleet are settings; on a command line they are taken, and not told.
fn hidden(arg: Arg) -> Arg {
    let is_fleets = arg.get_id().as_str().starts_with("fleet");
    if is_fleets { arg.hide(true) } else { arg }
}

/// A fleet that was chosen, and how it is reached.
#[derive(Debug)]
pub struct ChosenFleet {
    access: Access,
    one_in: u32,
    searches_here: bool,
    /// The engine as the user named it.
    wanted: Settings,
}

impl FleetArgs {
    /// The engines of this computer, as they are to be started, and the fleet, where there is one.
    pub fn choose(&self, engine: &EngineArgs) -> Result<(Settings, Option<ChosenFleet>), CliError> {
        let Some(url) = self.fleet.as_ref().filter(|url| *url != "no") else {
            return Ok((engine.settings()?, None));
        };
        let searches_here = engine.engines != Some(0);
        let access = self.access.access(url)?;
        if engine.keep_hash {
            return Err(CliError::usage("--keep-hash cannot be used with a fleet").hint(
                "a kept hash depends on all earlier searches, and each worker makes others",
            ));
        }
        // One process says what is right, where it is not to search, too.
        let settings = engine.settings_of(engine.engines.map(|engines| engines.max(1)))?;
        let wanted = settings.clone();
        let fleet = ChosenFleet { access, one_in: self.fleet_compare, searches_here, wanted };
        Ok((settings, Some(fleet)))
    }
}

impl ChosenFleet {
    /// All engines behind one seam, and who searches, in words; workers alone where all searches are left to them and
    /// this computer does not have the engine.
    pub fn join(
        self,
        pool: Result<Pool, EngineError>,
        database: &Path,
        processes: &str,
    ) -> Result<(AllEngines, String), CliError> {
        let words = if self.searches_here {
            format!("{processes} and a fleet")
        } else {
            format!("a fleet ({processes} here to compare)")
        };
        let pool = match pool {
            Err(error) if !self.searches_here && is_not_here(&error) => {
                return Ok((Box::new(self.join_workers(database)?), "a fleet".to_owned()));
            }
            pool => pool?,
        };
        let (link, plan) = self.connect(engine_token(&pool), database)?;
        Ok((Box::new(FleetEngines::new(plan, pool, link)?), words))
    }

    /// The engines of workers alone, as this computer does not have the engine.
    fn join_workers(self, database: &Path) -> Result<FleetEngines, CliError> {
        let seen = listen(&self.access, LISTEN).map_err(fleet_error)?;
        let (profile, engine) = workers_engine(&seen, &self.wanted)?;
        let (link, plan) = self.connect(engine.clone(), database)?;
        Ok(FleetEngines::of_workers_alone(plan, (profile, engine), link)?)
    }

    fn connect(self, engine: Token, database: &Path) -> Result<(GrowerLink, FleetPlan), CliError> {
        let words: Vec<String> = std::env::args().collect();
        let here = std::env::current_dir()?.to_string_lossy().into_owned();
        let host = host();
        // One command for one database is always one grower, which continues with its
        // requests.
        let place = [&*host, &*machine(), &*here, &*identity(database)].map(str::to_owned);
        let parts = place.iter().chain(&words).map(String::as_str);
        let grower = Token::digest(parts);
        let link = grower_link(self.access, grower.clone(), engine).map_err(fleet_error)?;
        let ChosenFleet { one_in, searches_here, .. } = self;
        Ok((link, FleetPlan { grower, name: host, searches_here, one_in }))
    }
}

/// Identifier of this computer, to tell it from others of the same name; empty if unknown.
fn machine() -> String {
    std::fs::read_to_string("/etc/machine-id").unwrap_or_default().trim().to_owned()
}

/// Identifier of a database, to tell it from one at the same path of another computer.
fn identity(database: &Path) -> String {
    let path = std::path::absolute(database).unwrap_or_else(|_| database.to_owned());
    #[cfg(unix)]
    let file = {
        use std::os::unix::fs::MetadataExt;
        std::fs::metadata(&path).map_or(0, |file| file.ino())
    };
    #[cfg(not(unix))]
    let file = 0;
    format!("{}:{file}", path.display())
}

/// Name of this computer.
fn host() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    if name.is_empty() { "a computer".to_owned() } else { name }
}

/// The longest file of certificates, in bytes; one with all authorities of a system has a few
/// hundred thousand.
const LONGEST_CERTIFICATE: u64 = 16 * MIB;

/// How a fleet is reached.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Fleet")]
pub struct AccessArgs {
    /// File with your credentials for the fleet [default: the variable DEEPANALYZE_FLEET_LOGIN]
    ///
    /// A NATS credentials file, the seed of an NKey, "user:password", or a token ("token:..." where there
    /// is a colon in it). Only you may be able to read the file.
    #[arg(long, value_name = "FILE")]
    fleet_login: Option<PathBuf>,
    /// Certificate authority of the fleet's server, in PEM
    #[arg(long, value_name = "FILE")]
    fleet_ca: Option<PathBuf>,
    /// Your certificate for the fleet's server, in PEM
    #[arg(long, value_name = "FILE", requires = "fleet_key")]
    fleet_cert: Option<PathBuf>,
    /// The key of that certificate
    #[arg(long, value_name = "FILE", requires = "fleet_cert")]
    fleet_key: Option<PathBuf>,
}

impl AccessArgs {
    /// How a fleet at this address is reached.
    pub fn access(&self, url: &str) -> Result<Access, CliError> {
        let text = match &self.fleet_login {
            Some(path) => Some(secret_of(path)?),
            None => std::env::var(FLEET_LOGIN).ok().map(|text| text.trim().to_owned()),
        };
        let login = text.as_deref().filter(|text| !text.is_empty()).map_or(Login::Open, login_of);
        let own = self.fleet_cert.clone().zip(self.fleet_key.clone());
        let tls = Tls { authority: self.fleet_ca.clone(), own };
        for path in [&tls.authority, &self.fleet_cert, &self.fleet_key].into_iter().flatten() {
            check_certificate(path)?;
        }
        // Only its owner may read a key.
        self.fleet_key.as_deref().map(secret_of).transpose()?;
        Ok(Access::new(url).map_err(fleet_error)?.with(login, tls))
    }
}

/// Checks that a file of certificates is a regular file that can be read, and not too long.
fn check_certificate(path: &Path) -> Result<(), CliError> {
    let wrong = |why: &dyn fmt::Display| {
        CliError::missing(format!("cannot read {}: {why}", path.display()))
    };
    // To open a pipe would wait for its other end.
    if !path.metadata().map_err(|error| wrong(&error))?.is_file() {
        return Err(wrong(&"it is not a regular file"));
    }
    read_file(path, LONGEST_CERTIFICATE).map_err(|error| wrong(&error))?;
    Ok(())
}

/// Kind of credentials in a text.
fn login_of(text: &str) -> Login {
    let is_seed =
        text.len() == 58 && text.starts_with("SU") && text.chars().all(char::is_alphanumeric);
    match text.split_once(':') {
        Some(("token", token)) => Login::Token(token.to_owned()),
        _ if text.starts_with("-----BEGIN NATS USER JWT") => Login::Credentials(text.to_owned()),
        _ if is_seed => Login::Nkey(text.to_owned()),
        Some((user, password)) => Login::User(user.to_owned(), password.to_owned()),
        None => Login::Token(text.to_owned()),
    }
}

/// The error of a fleet, with a hint.
pub fn fleet_error(error: FleetError) -> CliError {
    let told = CliError::failure(&error);
    match error {
        FleetError::Address { .. } => told.hint(
            "an address is like nats://host:4222; credentials go into a file for --fleet-login",
        ),
        FleetError::Refused { .. } | FleetError::Credentials(_) => {
            told.hint("credentials come from --fleet-login or DEEPANALYZE_FLEET_LOGIN")
        }
        FleetError::Forbidden { .. } => told.hint(
            "workers and growers need different rights; --fleet-login names another login (docs/fleet.md has the rights of both)",
        ),
        _ => told,
    }
}

/// Show the workers of a fleet, their speed, and the searches waiting
#[derive(Debug, clap::Args)]
pub struct StatusArgs {
    /// Address of the fleet's NATS server ("nats://host:4222")
    #[arg(long, value_name = "URL", help_heading = "Fleet")]
    fleet: String,
    #[command(flatten)]
    access: AccessArgs,
    /// Output format: a table or one JSON object
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// Everybody gives a sign of life every two seconds.
const GLANCE: Duration = Duration::from_millis(2500);

/// Runs the command.
pub fn status(args: &StatusArgs) -> Result<ExitCode, CliError> {
    let access = args.access.access(&args.fleet)?;
    let seen = listen(&access, GLANCE).map_err(fleet_error)?;
    let report = FleetReport::of(&seen);
    Output::stdout().write(|out| match args.format {
        ReportFormat::Json => writeln!(out, "{}", report.json()?),
        ReportFormat::Text => report.lines().iter().try_for_each(|line| writeln!(out, "{line}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_known_by_how_they_look() {
        let seed = format!("SU{}", "A".repeat(56));
        assert!(matches!(login_of(&seed), Login::Nkey(_)));
        assert!(matches!(login_of("-----BEGIN NATS USER JWT-----\nx"), Login::Credentials(_)));
        assert!(matches!(login_of("s3cr3t"), Login::Token(_)));
        let Login::Token(token) = login_of("token:a:b") else { panic!() };
        assert_eq!(token, "a:b");
        let Login::User(user, password) = login_of("me:a:b") else { panic!() };
        assert_eq!((&*user, &*password), ("me", "a:b"));
    }
}
