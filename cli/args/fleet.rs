//! `--fleet`: how a fleet is reached, and how it is used.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::args::engines::EngineArgs;
use crate::error::CliError;
use deepanalyze_core::reading::{MIB, read_file};
use deepanalyze_core::secrets::{FLEET_LOGIN, read_secret};
use deepanalyze_engine::{EngineError, EngineSource, Engines, Pool, Settings};
use deepanalyze_fleet::{
    Access, FleetEngines, FleetError, FleetPlan, GrowerCommand, GrowerEvent, Link, Login, Tls,
    Token, engine_token, grower_link, listen,
};
use deepanalyze_report::count;

use super::workers_engine::{Wanted, is_not_here, workers_engine};

/// For how long workers are listened to: each gives a sign every two seconds.
const LISTEN: Duration = Duration::from_secs(5);

/// The longest file of certificates, in bytes: that of all authorities of a system has a few hundred thousand.
const LONGEST_CERTIFICATE: u64 = 16 * MIB;

/// A connection to the fleet's server.
type GrowerLink = Link<GrowerCommand, GrowerEvent>;

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
            Some(path) => Some(secret(path)?),
            None => std::env::var(FLEET_LOGIN).ok().map(|text| text.trim().to_owned()),
        };
        let login = text.as_deref().filter(|text| !text.is_empty()).map_or(Login::Open, login_of);
        let own = self.fleet_cert.clone().zip(self.fleet_key.clone());
        let tls = Tls { authority: self.fleet_ca.clone(), own };
        for path in [&tls.authority, &self.fleet_cert, &self.fleet_key].into_iter().flatten() {
            check_certificate(path)?;
        }
        // Nobody else may read a key.
        self.fleet_key.as_deref().map(secret).transpose()?;
        Ok(Access::new(url).map_err(fleet_error)?.with(login, tls))
    }
}

/// Whoever reads it later reads it whole.
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

fn secret(path: &Path) -> Result<String, CliError> {
    let read = read_secret(path).map_err(|error| {
        CliError::failure(&error)
            .hint(format!("`chmod 600 {}` keeps it to yourself", path.display()))
    })?;
    read.ok_or_else(|| CliError::missing(format!("there is no {}", path.display())))
}

/// What kind of credentials a text is.
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

/// Whether a fleet searches, too.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Fleet")]
pub struct FleetArgs {
    /// Let workers search, too: the address of their NATS server ("nats://host:4222")
    ///
    /// On each of the other computers: `deepanalyze worker --fleet nats://host:4222`, with the same engine
    /// and options. Workers may come and go.
    #[arg(long, value_name = "URL")]
    fleet: Option<String>,
    /// Give one search in so many to two workers and compare their answers; 0 compares none
    #[arg(long, value_name = "N", default_value_t = 100, requires = "fleet")]
    fleet_compare: u32,
    #[command(flatten)]
    access: AccessArgs,
}

/// A fleet that was chosen, and how it is reached.
#[derive(Debug)]
pub struct ChosenFleet {
    access: Access,
    one_in: u32,
    searches_here: bool,
    wanted: Wanted,
}

impl FleetArgs {
    /// Whether there is one.
    pub fn is_asked(&self) -> bool {
        self.fleet.is_some()
    }

    /// The engines of this computer, as they are to be started, and the fleet, where there is one.
    pub fn choose(&self, engine: &EngineArgs) -> Result<(Settings, Option<ChosenFleet>), CliError> {
        let Some(url) = &self.fleet else { return Ok((engine.settings()?, None)) };
        let searches_here = engine.engines() != Some(0);
        let access = self.access.access(url)?;
        let settings = engine.settings_beside_fleet()?;
        let command = settings.sources.first().map(|source| source.command.clone());
        let wanted = Wanted {
            command: command.unwrap_or_default(),
            options: settings.options.clone(),
            limit: settings.limit,
        };
        let fleet = ChosenFleet { access, one_in: self.fleet_compare, searches_here, wanted };
        Ok((settings, Some(fleet)))
    }
}

/// What the engines of this computer do beside a fleet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// They search, too.
    Search,
    /// One of them compares answers of workers with its own.
    Compare,
    /// There are none.
    Nothing,
}

/// Who makes a run's searches.
#[derive(Debug)]
pub struct Searchers {
    /// The engines of this computer.
    pub sources: Vec<EngineSource>,
    /// What they do beside a fleet, where there is one.
    pub fleet: Option<Part>,
}

/// `2 processes`, `2 processes and a fleet`.
impl fmt::Display for Searchers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let processes: usize = self.sources.iter().map(|source| source.engines).sum();
        let processes = count(processes as u64, "process");
        match self.fleet {
            None => write!(f, "{processes}"),
            Some(Part::Search) => write!(f, "{processes} and a fleet"),
            Some(Part::Compare) => write!(f, "a fleet ({processes} here to compare)"),
            Some(Part::Nothing) => write!(f, "a fleet"),
        }
    }
}

impl ChosenFleet {
    /// What the engines of this computer do, where there are any.
    pub fn part_of_this_computer(&self, has_engine: bool) -> Part {
        match (self.searches_here, has_engine) {
            (true, _) => Part::Search,
            (false, true) => Part::Compare,
            (false, false) => Part::Nothing,
        }
    }

    /// All engines behind one seam.
    pub fn join(self, pool: Pool, database: &Path) -> Result<FleetEngines, CliError> {
        let (link, plan) = self.connect(engine_token(&pool), database)?;
        Ok(FleetEngines::new(plan, pool, link)?)
    }

    /// Those of workers alone: there is no such engine here.
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
        // The same command for the same database is the same grower: it goes on with what it has asked for.
        let place = [&*host, &*machine(), &*here, &*identity(database)].map(str::to_owned);
        let parts = place.iter().chain(&words).map(String::as_str);
        let grower = Token::digest(parts);
        let link = grower_link(self.access, grower.clone(), engine).map_err(fleet_error)?;
        let ChosenFleet { one_in, searches_here, .. } = self;
        Ok((link, FleetPlan { grower, name: host, searches_here, one_in }))
    }
}

/// The engines of this computer, and of a fleet where there is one; of that alone where all searches are left to
/// it and this computer does not have the engine.
pub fn all_engines(
    pool: Result<Pool, EngineError>,
    fleet: Option<ChosenFleet>,
    database: &Path,
) -> Result<Box<dyn Engines + Send>, CliError> {
    Ok(match (pool, fleet) {
        (Ok(pool), Some(fleet)) => Box::new(fleet.join(pool, database)?),
        (Err(error), Some(fleet)) if !fleet.searches_here && is_not_here(&error) => {
            Box::new(fleet.join_workers(database)?)
        }
        (pool, _) => Box::new(pool?),
    })
}

/// What tells this computer from others of its name, where it says so.
fn machine() -> String {
    std::fs::read_to_string("/etc/machine-id").unwrap_or_default().trim().to_owned()
}

/// What tells a database from others at the same place of other computers.
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

/// What this computer is called.
pub fn host() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    if name.is_empty() { "a computer".to_owned() } else { name }
}

/// What is wrong with a fleet, and what helps.
pub fn fleet_error(error: FleetError) -> CliError {
    let told = CliError::failure(&error);
    match error {
        FleetError::Address { .. } => told.hint(
            "an address is like nats://host:4222; credentials go into a file for --fleet-login",
        ),
        FleetError::Refused { .. } | FleetError::Credentials(_) => {
            told.hint("credentials come from --fleet-login or DEEPANALYZE_FLEET_LOGIN")
        }
        _ => told,
    }
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
