//! The server itself: properties, engines, page and stream of events.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use qrcode::{EcLevel, QrCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::roots::{EnginesObject, KnownGamesObject};
use crate::server::App;
use deepanalyze_core::chess::DrawValue;
use deepanalyze_core::search::Limit;
use deepanalyze_view::NamedEngine;

use super::error::ApiError;
use super::json::{FromQuery, of_bytes, response};

/// The contract of the API.
const OPENAPI: &str = include_str!("../../../../web/serve/openapi.json");

/// The server, its engine and the defaults of new analyses.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Server"))]
pub struct ServerObject<'a> {
    program: &'a str,
    /// Another one at each start.
    instance: &'a str,
    engine: NamedEngine<'a>,
    engines: usize,
    distance: String,
    distance_white: String,
    distance_black: String,
    root_moves: u32,
    /// The value of a draw, in centipawns for White.
    draw_value: DrawValue,
    depth: u32,
    first_engine_depth: Option<u32>,
    /// Of the first searches of a new analysis; with `stages` more follow.
    limit: Limit,
    stages: bool,
    /// The name of the file.
    database: String,
    /// The games that new analyses know (`serve --games`).
    games: Option<KnownGamesObject<'a>>,
}

/// The name of the database's file, without its folder.
pub fn database(app: &App) -> String {
    app.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// `GET /api/server`.
pub async fn server(State(app): State<Arc<App>>) -> Response {
    let (defaults, first) = (&app.defaults, app.defaults.schedule.first());
    response(&ServerObject {
        program: concat!("deepanalyze ", env!("CARGO_PKG_VERSION")),
        instance: app.events.instance(),
        engine: NamedEngine::without_limit(app.agenda.profile()),
        engines: app.engines,
        distance: defaults.breadth.white.to_string(),
        distance_white: defaults.breadth.white.to_string(),
        distance_black: defaults.breadth.black.to_string(),
        root_moves: defaults.breadth.least,
        draw_value: defaults.draw,
        depth: defaults.depth,
        first_engine_depth: if let Limit::Depth(depth) = first { Some(depth) } else { None },
        limit: first,
        stages: defaults.schedule.has_stages(),
        database: database(&app),
        games: app.agenda.games().map(|here| KnownGamesObject::of(&here.set, here.rules)),
    })
}

/// The page's addresses for other devices.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Addresses"))]
pub struct AddressesObject<'a> {
    addresses: Vec<AddressObject<'a>>,
}

/// An address of the page for other devices.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Address"))]
struct AddressObject<'a> {
    url: &'a str,
    /// Its QR code: rows of 0 and 1, where 1 is dark.
    code: Vec<String>,
}

/// `GET /api/addresses`.
pub async fn addresses(State(app): State<Arc<App>>) -> Response {
    let objects = app.addresses.iter().map(|url| AddressObject { url, code: code_of(url) });
    response(&AddressesObject { addresses: objects.collect() })
}

/// An address as a QR code; empty if it is too long.
fn code_of(url: &str) -> Vec<String> {
    let Ok(code) = QrCode::with_error_correction_level(url, EcLevel::L) else {
        return Vec::new();
    };
    let bit = |color: &qrcode::Color| if *color == qrcode::Color::Dark { '1' } else { '0' };
    code.to_colors().chunks(code.width()).map(|row| row.iter().map(bit).collect()).collect()
}

/// `GET /api/openapi.json`.
pub async fn openapi() -> Response {
    of_bytes(OPENAPI.as_bytes().to_vec(), "application/json")
}

/// `GET /api/engines`.
pub async fn engines(State(app): State<Arc<App>>) -> Response {
    // Their speed is known only from the last looks.
    let speed =
        app.events.look(|state| state.engines().get("nodes_per_second").and_then(Value::as_u64));
    let states = app.agenda.engines();
    let object = EnginesObject::of(&states, speed.unwrap_or_default());
    response(&object.with_messages(&states.messages))
}

/// The step to begin from.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EventsAsked {
    /// INSTANCE-STEP: the last one seen.
    after: Option<String>,
}

/// `GET /api/events`.
pub async fn events(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    FromQuery(asked): FromQuery<EventsAsked>,
) -> Result<Response, ApiError> {
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let after = last.or(asked.after.as_deref());
    let stream = app
        .events
        .stream(after, app.end.clone())
        .ok_or_else(|| ApiError::new(StatusCode::TOO_MANY_REQUESTS, "too many streams are open"))?;
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    Ok(([kind], Body::from_stream(stream)).into_response())
}

/// `GET /`, and the files of the page.
pub async fn page(headers: HeaderMap, uri: axum::http::Uri) -> Response {
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let name = match uri.path() {
        "/" => "index.html",
        path => path.strip_prefix('/').unwrap_or(path),
    };
    match file(name, known) {
        Some(file) => file,
        None => nothing_there().await.into_response(),
    }
}

/// Not found.
pub async fn nothing_there() -> ApiError {
    ApiError::missing("there is nothing there").hint(Some("/api/openapi.json lists all"))
}

/// The built page, which is part of the program: each file with its name and media type. Nothing
/// here reads the file system.
const PAGE: [(&str, &str, &[u8]); 5] = [
    (
        "index.html",
        "text/html; charset=utf-8",
        include_bytes!("../../../../web/serve/dist/index.html"),
    ),
    (
        "app.js",
        "text/javascript; charset=utf-8",
        include_bytes!("../../../../web/serve/dist/app.js"),
    ),
    ("app.css", "text/css; charset=utf-8", include_bytes!("../../../../web/serve/dist/app.css")),
    ("icon.svg", "image/svg+xml", include_bytes!("../../../../web/serve/dist/icon.svg")),
    (
        "manifest.webmanifest",
        "application/manifest+json",
        include_bytes!("../../../../web/serve/dist/manifest.webmanifest"),
    ),
];

/// A file of the page by its name; `None` if it has no such file.
fn file(name: &str, known: Option<&str>) -> Option<Response> {
    let (_, kind, contents) = PAGE.into_iter().find(|(known, ..)| *known == name)?;
    let tag = format!("\"{:08x}-{}\"", crc32fast::hash(contents), contents.len());
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::ETAG, HeaderValue::from_str(&tag).ok()?),
    ];
    if known == Some(&tag) {
        return Some((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    Some((headers, Body::from(contents)).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_there_and_what_is_beside_it_is_not() {
        for name in ["index.html", "app.js", "app.css", "icon.svg", "manifest.webmanifest"] {
            assert_eq!(file(name, None).unwrap().status(), StatusCode::OK, "{name}");
        }
        for name in [
            "",
            "/",
            "../openapi.json",
            "/etc/passwd",
            "index.html/..",
            "..%2fopenapi.json",
            "./index.html",
            "no.js",
        ] {
            assert!(file(name, None).is_none(), "{name}");
        }
    }

    #[test]
    fn a_file_that_is_known_is_not_sent_again() {
        let first = file("app.js", None).unwrap();
        let tag = first.headers().get(header::ETAG).unwrap().to_str().unwrap().to_owned();
        assert_eq!(file("app.js", Some(&tag)).unwrap().status(), StatusCode::NOT_MODIFIED);
        assert_eq!(file("app.css", Some(&tag)).unwrap().status(), StatusCode::OK);
    }
}
