//! How a fleet is reached.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::{CliError, secret_of};
use deepanalyze_core::reading::{MIB, read_file};
use deepanalyze_core::secrets::FLEET_LOGIN;
use deepanalyze_fleet::{Access, FleetError, Login, Tls};

/// The longest file of certificates, in bytes: that of all authorities of a system has a few hundred thousand.
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
        // Nobody else may read a key.
        self.fleet_key.as_deref().map(secret_of).transpose()?;
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
