//! The address of the broker, the login there, and connection errors.

use std::path::PathBuf;

use async_nats::ConnectOptions;

/// The login at the broker.
#[derive(Clone, Default)]
pub enum Login {
    /// None: the broker admits anyone.
    #[default]
    Open,
    /// A user and a password.
    User(String, String),
    /// A token.
    Token(String),
    /// The seed of an NKey.
    Nkey(String),
    /// The contents of a credentials file.
    Credentials(String),
}

/// Prints no secrets.
impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Login::Open => "Open",
            Login::User(..) => "User",
            Login::Token(_) => "Token",
            Login::Nkey(_) => "Nkey",
            Login::Credentials(_) => "Credentials",
        })
    }
}

/// Certificates, if the system's do not do.
#[derive(Debug, Clone, Default)]
pub struct Tls {
    /// The authority of the broker's certificate, in PEM.
    pub authority: Option<PathBuf>,
    /// The client's certificate and key, in PEM.
    pub own: Option<(PathBuf, PathBuf)>,
}

/// The broker's address.
#[derive(Debug, Clone)]
pub struct Access {
    url: String,
    login: Login,
    tls: Tls,
}

impl Access {
    /// An address like `nats://host:4222`, or `tls://host:4222`.
    ///
    /// # Errors
    ///
    /// If it is invalid, or has a password in it.
    pub fn new(url: &str) -> Result<Access, FleetError> {
        let wrong = |why: &str| FleetError::Address { url: shown(url), why: why.to_owned() };
        let parsed: async_nats::ServerAddr =
            url.parse().map_err(|error: std::io::Error| wrong(&error.to_string()))?;
        if url.trim().is_empty() {
            return Err(wrong("it is empty"));
        }
        if parsed.has_user_pass() || url.contains('@') {
            return Err(wrong("anyone on this computer can read a password there"));
        }
        Ok(Access { url: url.to_owned(), login: Login::Open, tls: Tls::default() })
    }

    /// Adds a login and certificates.
    #[must_use]
    pub fn with(self, login: Login, tls: Tls) -> Access {
        Access { login, tls, ..self }
    }

    /// The address.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn options(&self) -> Result<ConnectOptions, FleetError> {
        let mut options = match self.login.clone() {
            Login::Open => ConnectOptions::new(),
            Login::User(user, password) => ConnectOptions::with_user_and_password(user, password),
            Login::Token(token) => ConnectOptions::with_token(token),
            Login::Nkey(seed) => ConnectOptions::with_nkey(seed),
            Login::Credentials(text) => ConnectOptions::with_credentials(&text)
                .map_err(|error| FleetError::Credentials(error.to_string()))?,
        };
        if let Some(authority) = &self.tls.authority {
            options = options.add_root_certificates(authority.clone());
        }
        if let Some((certificate, key)) = &self.tls.own {
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        // With certificates, the connection must be encrypted.
        let has_certificates = self.tls.authority.is_some() || self.tls.own.is_some();
        Ok(options.require_tls(self.url.starts_with("tls://") || has_certificates))
    }
}

/// An address without what may be a password.
fn shown(url: &str) -> String {
    match url.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}"),
        None => url.to_owned(),
    }
}

/// A fleet's connection error.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// Invalid address.
    #[error("invalid fleet address {url:?}: {why}")]
    Address {
        /// The address, without passwords.
        url: String,
        /// Its defect.
        why: String,
    },
    /// The credentials cannot be read.
    #[error("the credentials for the fleet cannot be used: {0}")]
    Credentials(String),
    /// The broker refuses the login.
    #[error("the fleet at {url} refuses the connection: {why}")]
    Refused {
        /// Its address.
        url: String,
        /// Its message.
        why: String,
    },
    /// The broker knows the login, but lacks a needed permission for it.
    #[error("the fleet at {url} does not permit this login to {what}")]
    Forbidden {
        /// Its address.
        url: String,
        /// `subscribe to "deepanalyze.worker.*"`.
        what: String,
    },
    /// The system gives no thread.
    #[error("cannot start a thread for the fleet: {0}")]
    Thread(#[source] std::io::Error),
    /// The connection's thread has ended by a fault of this program.
    #[error("the connection to the fleet has ended by a fault of this program")]
    Ended,
    /// The system has no randomness.
    #[error("cannot make up a name: {0}")]
    Random(#[source] std::io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_no_passwords() {
        assert!(Access::new("nats://host:4222").is_ok() && Access::new("tls://host").is_ok());
        for url in ["nats://me:secret@host", "nats://secret@host", "host:port:4222", "http://h", ""]
        {
            let error = Access::new(url).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn secrets_are_not_printed() {
        let login = Login::User("me".to_owned(), "secret".to_owned());
        let access = Access::new("nats://host").unwrap().with(login, Tls::default());
        assert!(!format!("{access:?}").contains("secret"));
    }
}
