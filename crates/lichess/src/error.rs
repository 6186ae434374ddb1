//! Errors of requests to Lichess.

use std::time::Duration;

use deepanalyze_core::printable::printable;

use super::api::TOO_MANY;

/// Reason why a request failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LichessError {
    /// No secret may be sent there.
    #[error("{0:?} is no address that begins with https://")]
    Address(String),
    /// A word that cannot be sent.
    #[error("{0} has letters that no token has")]
    Word(&'static str),
    /// No connection, or a lost one.
    #[error("{host} cannot be reached: {why}")]
    Unreachable {
        /// Host.
        host: String,
        /// The system's error.
        why: String,
    },
    /// It has not answered.
    #[error("{host} has not answered in {} seconds", after.as_secs())]
    Silent {
        /// Host.
        host: String,
        /// The wait.
        after: Duration,
    },
    /// It has refused.
    #[error("{host} answers {status}{}", in_brackets(text))]
    Status {
        /// Host.
        host: String,
        /// The HTTP status.
        status: u16,
        /// Its message.
        text: String,
        /// When to ask again, if given.
        after: Option<Duration>,
    },
    /// Its answer is not understood.
    #[error("what {host} answers cannot be understood: {why}")]
    Garbage {
        /// Host.
        host: String,
        /// The defect.
        why: String,
    },
}

/// A server's message beside a status, as a part of a line.
fn in_brackets(text: &str) -> String {
    const LONGEST: usize = 200;
    let clean: String = printable(text).chars().take(LONGEST).collect();
    let clean = clean.trim();
    let is_told = !clean.is_empty() && !clean.starts_with('<');
    if is_told { format!(" ({clean})") } else { String::new() }
}

impl LichessError {
    /// True if a retry may succeed: so for errors of networks and busy servers, but not of a wrong
    /// token or a changed protocol.
    pub fn may_pass(&self) -> bool {
        match self {
            LichessError::Address(_) | LichessError::Word(_) => false,
            LichessError::Status { status, .. } => {
                !matches!(status, 400 | 401 | 403 | 405 | 409..=428)
            }
            _ => true,
        }
    }

    /// The HTTP status.
    pub fn status(&self) -> Option<u16> {
        match self {
            LichessError::Status { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// The pause it asks for.
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
    fn passing_errors_are_retried_and_others_are_not() {
        let passing = [302, 404, 408, 429, 500, 502, 503, 504];
        let lasting = [400, 401, 403, 405, 409, 410, 413, 415, 422];
        assert!(passing.iter().all(|number| status(*number, "", None).may_pass()));
        assert!(!lasting.iter().any(|number| status(*number, "", None).may_pass()));
    }

    #[test]
    fn too_many_requests_wait_a_minute_unless_told() {
        let rest =
            |number, after| status(number, "", after).wants_rest().map(|rest| rest.as_secs());
        assert_eq!(rest(429, None), Some(60));
        assert_eq!(rest(429, Some(7)), Some(7));
        assert_eq!(rest(503, Some(9)), Some(9));
        assert_eq!(rest(503, None), None);
    }

    #[test]
    fn server_message_becomes_a_line_but_a_page_does_not() {
        let told = status(400, "invalid\nwork\u{1b}[31m", None).to_string();
        assert_eq!(told, "lichess.org answers 400 (invalid work [31m)");
        assert_eq!(status(502, "<html>…", None).to_string(), "lichess.org answers 502");
        assert!(status(400, &"x".repeat(100_000), None).to_string().len() < 300);
    }
}
