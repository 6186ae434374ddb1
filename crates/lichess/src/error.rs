//! Why Lichess does not do what it is asked.

use std::time::Duration;

use deepanalyze_core::printable::printable;

use super::api::TOO_MANY;

/// Why Lichess does not do what it is asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LichessError {
    /// No secret may be sent there.
    #[error("{0:?} is no address that begins with https://")]
    Address(String),
    /// A word that cannot be sent.
    #[error("{0} has letters that no token has")]
    Word(&'static str),
    /// There is no connection, or it was lost.
    #[error("{host} cannot be reached: {why}")]
    Unreachable {
        /// Who.
        host: String,
        /// What the system says.
        why: String,
    },
    /// It has not answered.
    #[error("{host} has not answered in {} seconds", after.as_secs())]
    Silent {
        /// Who.
        host: String,
        /// After so long.
        after: Duration,
    },
    /// It has answered by a refusal.
    #[error("{host} answers {status}{}", in_brackets(text))]
    Status {
        /// Who.
        host: String,
        /// The number of HTTP.
        status: u16,
        /// What it says.
        text: String,
        /// When to ask again, where it says so.
        after: Option<Duration>,
    },
    /// Its answer cannot be understood.
    #[error("what {host} answers cannot be understood: {why}")]
    Garbage {
        /// Who.
        host: String,
        /// What is wrong with it.
        why: String,
    },
}

/// What a server says beside a number, as a part of a line.
fn in_brackets(text: &str) -> String {
    const LONGEST: usize = 200;
    let clean: String = printable(text).chars().take(LONGEST).collect();
    let clean = clean.trim();
    let is_told = !clean.is_empty() && !clean.starts_with('<');
    if is_told { format!(" ({clean})") } else { String::new() }
}

impl LichessError {
    /// Whether the same may be taken later. What a wrong token or a changed protocol brings is not; whatever
    /// networks and busy servers bring is.
    pub fn may_pass(&self) -> bool {
        match self {
            LichessError::Address(_) | LichessError::Word(_) => false,
            LichessError::Status { status, .. } => {
                !matches!(status, 400 | 401 | 403 | 405 | 409..=428)
            }
            _ => true,
        }
    }

    /// The number of HTTP.
    pub fn status(&self) -> Option<u16> {
        match self {
            LichessError::Status { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// How long it wants to be left alone.
    pub fn wants_rest(&self) -> Option<Duration> {
        match self {
            LichessError::Status { status: 429, after, .. } => Some(after.unwrap_or(TOO_MANY)),
            LichessError::Status { after, .. } => *after,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16, text: &str, after: Option<u64>) -> LichessError {
        let (host, text) = ("lichess.org".to_owned(), text.to_owned());
        LichessError::Status { host, status, text, after: after.map(Duration::from_secs) }
    }

    #[test]
    fn what_may_pass_is_tried_again_and_what_may_not_is_not() {
        let passing = [302, 404, 408, 429, 500, 502, 503, 504];
        let lasting = [400, 401, 403, 405, 409, 410, 413, 415, 422];
        assert!(passing.iter().all(|number| status(*number, "", None).may_pass()));
        assert!(!lasting.iter().any(|number| status(*number, "", None).may_pass()));
    }

    #[test]
    fn too_many_requests_want_a_minute_unless_they_say_otherwise() {
        let rest =
            |number, after| status(number, "", after).wants_rest().map(|rest| rest.as_secs());
        assert_eq!(rest(429, None), Some(60));
        assert_eq!(rest(429, Some(7)), Some(7));
        assert_eq!(rest(503, Some(9)), Some(9));
        assert_eq!(rest(503, None), None);
    }

    #[test]
    fn what_a_server_says_becomes_a_line_and_its_pages_do_not() {
        let told = status(400, "invalid\nwork\u{1b}[31m", None).to_string();
        assert_eq!(told, "lichess.org answers 400 (invalid work [31m)");
        assert_eq!(status(502, "<html>…", None).to_string(), "lichess.org answers 502");
        assert!(status(400, &"x".repeat(100_000), None).to_string().len() < 300);
    }
}
