//! Admission. It is decided before a request is routed, from its claims alone.

mod claims;
mod hosts;
mod token;

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use axum::http::StatusCode;

pub use claims::{CameTo, Claims};
pub use hosts::{Hosts, in_address};
pub use token::{AccessToken, token_file};

/// Bytes of a body, of one that may hold a game, and of a PGN file.
const MOST: u64 = 1 << 20;
const MOST_OF_GAME: u64 = 8 << 20;
const MOST_OF_FILE: u64 = 64 << 20;
const MOST_OF_DATABASE: u64 = 64 << 30;
/// Paths for bodies with a game.
const WITH_GAME: [&str; 2] = ["/api/analyses", "/api/games"];
const WITH_FILE: &str = "/api/pgn";
pub const WITH_DATABASE: &str = "/api/merges";
/// Paths for files of games, below an analysis.
const GAMES_OF_ROOT: [&str; 2] = ["repertoire", "review"];
/// The type of a PGN file, which a form of a foreign page cannot send either.
const PGN: &str = "application/x-chess-pgn";
/// The type of a database.
pub const SQLITE: &str = "application/vnd.sqlite3";

/// Requests at once, and then a second, with the token, also in the address.
const RATE: (u32, u32) = (150, 50);
/// For requests without the token: they cannot use up the others'.
const STRANGERS: (u32, u32) = (50, 20);

/// The way of an admitted request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// With the cookie or the token.
    Known,
    /// With the printed address: the token becomes a cookie.
    ByAddress,
}

/// Decides on admission.
#[derive(Debug)]
pub struct Guard {
    hosts: Hosts,
    token: AccessToken,
    /// A token that opens the page once, for the program that starts the browser: its arguments are
    /// visible to others.
    once: Mutex<Option<AccessToken>>,
    cookie: String,
    rates: Mutex<Rates>,
}

#[derive(Debug)]
struct Rates {
    known: Rate,
    strangers: Rate,
}

/// A number at once, and a number a second.
#[derive(Debug, Clone, Copy)]
struct Rate {
    most: f64,
    per_second: f64,
    left: f64,
    at: Instant,
}

impl Rate {
    /// A fresh rate.
    fn new(most: u32, per_second: u32, now: Instant) -> Rate {
        let most = f64::from(most);
        Rate { most, per_second: f64::from(per_second), left: most, at: now }
    }

    /// Takes one; true if there was one left.
    fn take(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed * self.per_second).min(self.most);
        self.at = now.max(self.at);
        let is_left = self.left >= 1.0;
        if is_left {
            self.left -= 1.0;
        }
        is_left
    }
}

impl Guard {
    /// The guard of a server that listens on an address.
    pub fn new(address: SocketAddr, named: &[String], token: AccessToken) -> Guard {
        let now = Instant::now();
        let known = Rate::new(RATE.0, RATE.1, now);
        let strangers = Rate::new(STRANGERS.0, STRANGERS.1, now);
        Guard {
            hosts: Hosts::new(address, named),
            token,
            once: Mutex::default(),
            cookie: format!("deepanalyze_{}", address.port()),
            rates: Mutex::new(Rates { known, strangers }),
        }
    }

    /// The name of the cookie: each server on this host has its own.
    pub fn cookie_name(&self) -> &str {
        &self.cookie
    }

    /// The header that makes a browser known.
    pub fn set_cookie(&self) -> String {
        format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie, self.token.word())
    }

    /// A token that opens the page once.
    ///
    /// # Errors
    ///
    /// If the system has no randomness.
    pub fn open_once(&self) -> std::io::Result<AccessToken> {
        let word = AccessToken::random()?;
        *self.once.lock().unwrap_or_else(PoisonError::into_inner) = Some(word.clone());
        Ok(word)
    }

    /// Checks a request for admission.
    ///
    /// # Errors
    ///
    /// [`NotAdmitted`], the first reason found.
    pub fn check(&self, claims: &Claims<'_>, now: Instant) -> Result<Admission, NotAdmitted> {
        self.check_host(claims)?;
        let (is_known, opens) = (self.is_known(claims), self.opens(claims));
        self.check_rate(is_known || opens, now)?;
        if opens {
            return self.enter(claims);
        }
        if !is_known {
            return Err(NotAdmitted::NoToken);
        }
        self.check_origin(claims)?;
        check_body(claims)?;
        Ok(Admission::Known)
    }

    fn check_host(&self, claims: &Claims<'_>) -> Result<(), NotAdmitted> {
        let has = |host| self.hosts.has(host, claims.came_to);
        let (is_known, is_target) =
            (claims.host.is_some_and(has), claims.authority.is_none_or(has));
        if is_known && is_target && !claims.is_odd { Ok(()) } else { Err(NotAdmitted::Host) }
    }

    fn check_rate(&self, has_token: bool, now: Instant) -> Result<(), NotAdmitted> {
        let mut rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        let rate = if has_token { &mut rates.known } else { &mut rates.strangers };
        if rate.take(now) { Ok(()) } else { Err(NotAdmitted::TooMany) }
    }

    fn is_known(&self, claims: &Claims<'_>) -> bool {
        // A bearer takes precedence.
        claims.bearer.or(claims.cookie).is_some_and(|word| self.token.is(word))
    }

    /// True if it is a visit by a printed address. An outdated one is ignored: the cookie counts.
    fn opens(&self, claims: &Claims<'_>) -> bool {
        let once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        let is_right =
            |word| self.token.is(word) || once.as_ref().is_some_and(|once| once.is(word));
        claims.path == "/" && !claims.writes() && claims.query_token.is_some_and(is_right)
    }

    /// Admits a visit; a token for one use is spent.
    fn enter(&self, claims: &Claims<'_>) -> Result<Admission, NotAdmitted> {
        let word = claims.query_token.unwrap_or_default();
        let mut once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        let is_right = self.token.is(word) || once.take_if(|once| once.is(word)).is_some();
        if is_right { Ok(Admission::ByAddress) } else { Err(NotAdmitted::NoToken) }
    }

    fn check_origin(&self, claims: &Claims<'_>) -> Result<(), NotAdmitted> {
        let is_own = match claims.origin {
            _ if !claims.writes() => true,
            Some(origin) => self.hosts.is_own_origin(origin, claims.came_to),
            None => claims.bearer.is_some(),
        };
        if is_own { Ok(()) } else { Err(NotAdmitted::Origin) }
    }
}

/// The greatest body size there, in bytes.
pub fn most_bytes(path: &str) -> u64 {
    match path {
        path if takes_file(path) => MOST_OF_FILE,
        WITH_DATABASE => MOST_OF_DATABASE,
        path if WITH_GAME.contains(&path) => MOST_OF_GAME,
        _ => MOST,
    }
}

/// True if a file of games is sent there as it is.
fn takes_file(path: &str) -> bool {
    let of_root = || path.strip_prefix("/api/analyses/").and_then(|rest| rest.split_once('/'));
    path == WITH_FILE || of_root().is_some_and(|(_, what)| GAMES_OF_ROOT.contains(&what))
}

fn check_body(claims: &Claims<'_>) -> Result<(), NotAdmitted> {
    let takes_body = claims.writes() && claims.method != "DELETE";
    let is_file = |kind| takes_file(claims.path) && is_kind(kind, PGN);
    let is_database = |kind| claims.path == WITH_DATABASE && is_kind(kind, SQLITE);
    let is_readable = |kind| is_json(kind) || is_file(kind) || is_database(kind);
    if (takes_body || claims.has_body) && !claims.content_type.is_some_and(is_readable) {
        return Err(NotAdmitted::NotJson);
    }
    match claims.content_length {
        Some(length) if length > most_bytes(claims.path) => {
            Err(NotAdmitted::TooLarge(most_bytes(claims.path)))
        }
        _ => Ok(()),
    }
}

/// A form of a foreign page can send text, but not this.
pub fn is_json(content_type: &str) -> bool {
    is_kind(content_type, "application/json")
}

/// True if a body's declared type is of a kind.
pub fn is_kind(content_type: &str, kind: &str) -> bool {
    let said = content_type.split(';').next().unwrap_or_default();
    said.trim().eq_ignore_ascii_case(kind)
}

/// Reason why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAdmitted {
    /// It is addressed to another host.
    #[error("unknown host name")]
    Host,
    /// It has no token, or a wrong one.
    #[error("the token is missing or wrong")]
    NoToken,
    /// It comes from a foreign page.
    #[error("changes are taken from this server's own page, or from scripts with the token")]
    Origin,
    /// Its body is not JSON.
    #[error("the body must be JSON (Content-Type: application/json)")]
    NotJson,
    /// Its body is too large.
    #[error("the body is too large: at most {} bytes", .0)]
    TooLarge(u64),
    /// Too many requests.
    #[error("too many requests")]
    TooMany,
}

impl NotAdmitted {
    /// Its HTTP status.
    pub fn status(self) -> StatusCode {
        match self {
            NotAdmitted::Host | NotAdmitted::Origin => StatusCode::FORBIDDEN,
            NotAdmitted::NoToken => StatusCode::UNAUTHORIZED,
            NotAdmitted::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            NotAdmitted::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            NotAdmitted::TooMany => StatusCode::TOO_MANY_REQUESTS,
        }
    }

    /// A hint for the user.
    pub fn hint(self) -> Option<&'static str> {
        match self {
            NotAdmitted::Host => Some("`deepanalyze serve --host NAME` adds a name"),
            NotAdmitted::NoToken => Some(
                "open the address that `deepanalyze serve` has printed; scripts send its token as \
                 \"Authorization: Bearer TOKEN\"",
            ),
            NotAdmitted::Origin => {
                Some("scripts send the token as \"Authorization: Bearer TOKEN\"")
            }
            NotAdmitted::TooMany => Some("wait a second"),
            NotAdmitted::NotJson | NotAdmitted::TooLarge(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
