//! JSON in and out, and queries.

use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::guard::{NotAdmitted, most_bytes};

use super::error::ApiError;

/// Time for a body to arrive, with a second more for each this many bytes of its greatest size.
const PATIENCE: Duration = Duration::from_secs(20);
const SLOWEST: u64 = 1 << 20;
/// Bodies arriving at once, half of all connections: slow ones leave room for others. MiB of them
/// kept together.
static BODIES: Semaphore = Semaphore::const_new(32);
static ROOM: Semaphore = Semaphore::const_new(256);
/// Time limit for reading a file of games.
const READING: Duration = Duration::from_mins(1);
/// Bytes of a piece of a long answer: none counts as sent before it is.
const PIECE: usize = 64 * 1024;

/// A value as JSON.
pub fn json_of(value: &impl Serialize) -> Vec<u8> {
    // Serialised types have only string keys.
    serde_json::to_vec(value).unwrap_or_default()
}

/// A value as an answer.
pub fn response(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(json) => of_bytes(json, "application/json"),
        Err(error) => {
            ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response()
        }
    }
}

/// Bytes as an answer.
pub fn of_bytes(bytes: Vec<u8>, kind: &'static str) -> Response {
    let length = bytes.len();
    let body = match length {
        0..=PIECE => Body::from(bytes),
        _ => Body::from_stream(stream::iter(pieces(bytes.into()))),
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_LENGTH, HeaderValue::from(length)),
    ];
    (headers, body).into_response()
}

fn pieces(mut bytes: Bytes) -> impl Iterator<Item = Result<Bytes, std::convert::Infallible>> {
    std::iter::from_fn(move || {
        let piece = bytes.split_to(bytes.len().min(PIECE));
        (!piece.is_empty()).then_some(Ok(piece))
    })
}

/// A body that is JSON of a form.
#[derive(Debug)]
pub struct Sent<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Sent<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Sent<T>, ApiError> {
        read_json(&bytes_of(request).await?).map(Sent)
    }
}

/// Reads a received body as JSON of a form.
///
/// # Errors
///
/// If it is none.
pub fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    // A struct would be read from an array, too.
    let is_object = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    if !is_object {
        return Err(ApiError::malformed("the body must be a JSON object"));
    }
    serde_json::from_slice(bytes).map_err(ApiError::malformed)
}

/// The declared content type of a request.
pub fn content_type(request: &Request) -> Option<&str> {
    request.headers().get(header::CONTENT_TYPE)?.to_str().ok()
}

/// A received body. It keeps its room among all until it is dropped.
#[derive(Debug)]
pub struct TakenIn {
    bytes: Bytes,
    _room: SemaphorePermit<'static>,
}

impl std::ops::Deref for TakenIn {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Receives a whole body.
///
/// # Errors
///
/// If it is too large, or late, or too many others arrive or are kept just now.
pub async fn bytes_of(request: Request) -> Result<TakenIn, ApiError> {
    let most = most_bytes(request.uri().path());
    let busy = |_| ApiError::new(StatusCode::TOO_MANY_REQUESTS, "too much is being sent at once");
    let _place = BODIES.try_acquire().map_err(busy)?;
    // A body without a declared length may be of the greatest size.
    let expected = request.body().size_hint().upper().unwrap_or(most).min(most);
    let wanted = u32::try_from(expected.div_ceil(1 << 20)).unwrap_or(u32::MAX);
    let room = ROOM.try_acquire_many(wanted).map_err(busy)?;
    let limit = usize::try_from(most).unwrap_or(usize::MAX);
    let patience = PATIENCE + Duration::from_secs(most / SLOWEST);
    let body = Limited::new(request.into_body(), limit).collect();
    let slow = |_| ApiError::new(StatusCode::REQUEST_TIMEOUT, "the body did not come in time");
    let collected = tokio::time::timeout(patience, body).await.map_err(slow)?;
    let collected = collected.map_err(|error| {
        if error.is::<LengthLimitError>() {
            ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, NotAdmitted::TooLarge(most))
        } else {
            ApiError::malformed("the body cannot be read")
        }
    })?;
    Ok(TakenIn { bytes: collected.to_bytes(), _room: room })
}

/// A foreign text that is read for [`READING`] at most.
///
/// # Errors
///
/// An error once the time is over.
pub fn in_time(text: &[u8]) -> impl BufRead {
    in_time_again(text)()
}

/// As [`in_time`], of a text that is read several times: all of it within that time.
pub fn in_time_again<'t>(text: &'t [u8]) -> impl Fn() -> BufReader<InTime<'t>> {
    let until = Instant::now() + READING;
    move || BufReader::new(InTime { text, until })
}

/// A text that is read until a moment.
#[derive(Debug)]
pub struct InTime<'t> {
    text: &'t [u8],
    until: Instant,
}

impl Read for InTime<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if Instant::now() < self.until {
            self.text.read(buffer)
        } else {
            Err(std::io::Error::new(ErrorKind::TimedOut, "reading it takes too long"))
        }
    }
}

/// A parsed query.
#[derive(Debug)]
pub struct FromQuery<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for FromQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<FromQuery<T>, ApiError> {
        let Query(asked) = Query::<T>::try_from_uri(&parts.uri)
            .map_err(|error| ApiError::malformed(error.body_text()))?;
        Ok(FromQuery(asked))
    }
}

/// The number of a root in a path.
#[derive(Debug, Clone, Copy)]
pub struct RootId(pub i64);

impl<S: Send + Sync> FromRequestParts<S> for RootId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<RootId, ApiError> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        let id = path.ok().and_then(|Path(id)| id.parse().ok());
        id.map(RootId).ok_or_else(|| ApiError::missing("the analysis does not exist"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_long_answer_is_whole() {
        for length in [0, 1, PIECE, PIECE + 1, 5 * PIECE - 1] {
            let bytes: Vec<u8> = (0..length).map(|n| (n % 251) as u8).collect();
            let answer = of_bytes(bytes.clone(), "text/plain");
            let sent = answer.into_body().collect().await.unwrap().to_bytes();
            assert_eq!(sent, bytes, "{length}");
        }
    }
}
