//! Why a request is not let in.

use axum::http::StatusCode;

/// Why a request is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is addressed to somebody else.
    #[error("this server does not go by that name")]
    Host,
    /// It has no token, or a wrong one.
    #[error("the token is missing or wrong")]
    NoToken,
    /// It comes from a page of somebody else's.
    #[error("changes are taken from this server's own page, or from scripts with the token")]
    Origin,
    /// Its body is no JSON.
    #[error("the body must be JSON (Content-Type: application/json)")]
    NotJson,
    /// Its body is too large.
    #[error("the body is too large: at most {} bytes", .0)]
    TooLarge(u64),
    /// There have been too many.
    #[error("too many requests")]
    TooMany,
}

impl Refusal {
    /// What HTTP calls it.
    pub fn status(self) -> StatusCode {
        match self {
            Refusal::Host | Refusal::Origin => StatusCode::FORBIDDEN,
            Refusal::NoToken => StatusCode::UNAUTHORIZED,
            Refusal::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Refusal::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Refusal::TooMany => StatusCode::TOO_MANY_REQUESTS,
        }
    }

    /// What the user can do.
    pub fn hint(self) -> Option<&'static str> {
        match self {
            Refusal::Host => Some("`deepanalyze serve --host NAME` adds a name"),
            Refusal::NoToken => Some(
                "open the address that `deepanalyze serve` has printed; scripts send its token as \
                 \"Authorization: Bearer TOKEN\"",
            ),
            Refusal::Origin => Some("scripts send the token as \"Authorization: Bearer TOKEN\""),
            Refusal::TooMany => Some("wait a second"),
            Refusal::NotJson | Refusal::TooLarge(_) => None,
        }
    }
}
