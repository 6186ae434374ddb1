//! A request's claims, as far as the checks need them.

use std::net::SocketAddr;

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method, header};

/// The address of this computer that a request's connection came to.
#[derive(Debug, Clone, Copy)]
pub struct CameTo(pub SocketAddr);

/// The claims of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Claims<'a> {
    /// `GET`.
    pub method: &'a str,
    /// The path, without the query.
    pub path: &'a str,
    /// The host in its target; browsers send none.
    pub authority: Option<&'a str>,
    /// Its one `Host`.
    pub host: Option<&'a str>,
    /// Its one `Origin`.
    pub origin: Option<&'a str>,
    /// True if it has several of them, or one that is no text.
    pub is_odd: bool,
    /// The word behind `Authorization: Bearer`.
    pub bearer: Option<&'a str>,
    /// The server's cookie.
    pub cookie: Option<&'a str>,
    /// The word in its target.
    pub query_token: Option<&'a str>,
    /// Its content type.
    pub content_type: Option<&'a str>,
    /// Its declared length of the body, in bytes.
    pub content_length: Option<u64>,
    /// True if it has a body.
    pub has_body: bool,
    /// The address of this computer that its connection came to: no claim.
    pub came_to: Option<SocketAddr>,
}

impl<'a> Claims<'a> {
    /// Claims of a request; the cookie is the one of this name.
    pub fn of(parts: &'a Parts, cookie: &str) -> Claims<'a> {
        let headers = &parts.headers;
        let content_length = one(headers, &header::CONTENT_LENGTH).and_then(|n| n.parse().ok());
        let is_chunked = headers.contains_key(header::TRANSFER_ENCODING);
        let odd = |name| headers.contains_key(name) && one(headers, name).is_none();
        Claims {
            method: parts.method.as_str(),
            path: parts.uri.path(),
            authority: parts.uri.authority().map(|authority| authority.as_str()),
            host: one(headers, &header::HOST),
            origin: one(headers, &header::ORIGIN),
            is_odd: [header::HOST, header::ORIGIN, header::AUTHORIZATION, header::CONTENT_TYPE]
                .iter()
                .any(odd),
            bearer: one(headers, &header::AUTHORIZATION).and_then(bearer),
            cookie: cookie_of(headers, cookie),
            query_token: parts.uri.query().and_then(query_token),
            content_type: one(headers, &header::CONTENT_TYPE),
            content_length,
            came_to: parts.extensions.get().map(|CameTo(address)| *address),
            has_body: is_chunked || content_length.is_some_and(|length| length > 0),
        }
    }

    /// True if it may change something.
    pub fn writes(&self) -> bool {
        ![Method::GET.as_str(), Method::HEAD.as_str()].contains(&self.method)
    }
}

/// The value of a header that occurs once.
fn one<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, word) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| word.trim())
}

fn cookie_of<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(found, _)| found.trim() == name).map(|(_, value)| value.trim())
}

fn query_token(query: &str) -> Option<&str> {
    query.split('&').find_map(|pair| pair.strip_prefix("token="))
}
