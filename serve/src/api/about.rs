//! The server itself: what it is, its engines, its page, its stream of events.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::app::App;
use crate::events::milliseconds;
use crate::page;
use deepanalyze_core::chess::fen_of;
use deepanalyze_core::search::Limit;
use deepanalyze_engine::{EngineMessage, EngineState, EngineStates};

use super::error::ApiError;
use super::json::{Asked, of_bytes, response};
use deepanalyze_report::NamedEngine;

/// What can be asked, and what is answered.
const OPENAPI: &str = include_str!("../../../assets/serve/openapi.json");

#[derive(Serialize)]
struct ServerObject<'a> {
    program: &'a str,
    instance: &'a str,
    engine: NamedEngine<'a>,
    engines: usize,
    distance: String,
    distance_white: String,
    distance_black: String,
    root_moves: u32,
    depth: u32,
    first_engine_depth: Option<u32>,
    limit: Limit,
    stages: bool,
    database: String,
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
        depth: defaults.depth,
        first_engine_depth: if let Limit::Depth(depth) = first { Some(depth) } else { None },
        limit: first,
        stages: defaults.schedule.has_stages(),
        database: database(&app),
    })
}

/// `GET /api/openapi.json`.
pub async fn openapi() -> Response {
    of_bytes(OPENAPI.as_bytes().to_vec(), "application/json")
}

/// `GET /api/engines`.
pub async fn engines(State(app): State<Arc<App>>) -> Response {
    // How fast they are is known from the last looks alone.
    let speed =
        app.events.look(|state| state.engines().get("nodes_per_second").and_then(Value::as_u64));
    let states = app.agenda.engines();
    let mut object = engines_object(&states, speed.unwrap_or_default());
    if let Some(object) = object.as_object_mut() {
        let messages: Vec<Value> = states.messages.iter().map(message_object).collect();
        object.insert("messages".to_owned(), json!(messages));
    }
    response(&object)
}

fn message_object(message: &EngineMessage) -> Value {
    json!({ "at": milliseconds(message.at), "text": message.text })
}

/// The engines without their messages, as an object.
pub fn engines_object(states: &EngineStates, nodes_per_second: u64) -> Value {
    let engines: Vec<Value> = states.engines.iter().map(engine_object).collect();
    json!({
        "engines": engines,
        "up": states.up,
        "searches": states.searches,
        "nodes": states.nodes,
        "nodes_per_second": nodes_per_second,
        "faults": states.faults,
    })
}

fn engine_object(state: &EngineState) -> Value {
    let searching = state.searching.as_ref().map(|searching| {
        json!({
            "id": searching.run.0,
            "fen": fen_of(&searching.position),
            "excluded": searching.excluded,
            "limit": searching.limit,
            "since": milliseconds(searching.since),
        })
    });
    json!({ "number": state.number, "searching": searching })
}

/// From which step on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventsAsked {
    after: Option<String>,
}

/// `GET /api/events`.
pub async fn events(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Asked(asked): Asked<EventsAsked>,
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
    page::file(name, known).unwrap_or_else(|| nothing_there().into_response())
}

/// What is nowhere.
pub fn nothing_there() -> ApiError {
    ApiError::missing("there is nothing there").hint(Some("/api/openapi.json lists all".to_owned()))
}
