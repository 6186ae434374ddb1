//! Work that handlers hand on: none blocks the others.

use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use tokio::task::JoinError;

use crate::connections::kept_until_sent;
use crate::events::Object;
use crate::roots::RootFacts;
use crate::server::App;
use deepanalyze_core::chess::Game;
use deepanalyze_runner::RootEntry;
use deepanalyze_store::{AnalysisId, Store};

use super::error::ApiError;
use super::json::{RootId, of_bytes};

/// The root with a stage of this number.
///
/// # Errors
///
/// If there is none.
pub fn root_of(app: &App, id: RootId) -> Result<Arc<RootFacts>, ApiError> {
    app.roots.of(id.0).ok_or_else(|| ApiError::no_root(id.0))
}

/// The game of a root.
///
/// # Errors
///
/// If its moves are illegal.
pub fn game_of(root: &RootFacts) -> Result<&Game, ApiError> {
    root.listed.game.as_ref().ok_or_else(ApiError::unplayable)
}

/// Looks at the roots while no events are streamed, and looks are rare.
pub async fn refresh(app: &App) {
    if !app.events.is_heard() {
        app.roots.refresh().await;
    }
}

/// A root's object, by the number of its first stage.
///
/// # Errors
///
/// If it is gone.
pub fn told(app: &App, id: AnalysisId) -> Result<Object, ApiError> {
    app.events.look(|state| state.root(id.0)).ok_or_else(|| ApiError::no_root(id.0))
}

/// The root's entry on the agenda.
pub fn entry_of(app: &App, root: &RootFacts) -> Option<RootEntry> {
    app.agenda.entries().into_iter().find(|entry| root.has(entry.id))
}

/// Reads the database in a thread of its own: a large tree takes a while.
///
/// # Errors
///
/// Errors of `work`, or an unreadable database.
pub async fn beside<T: Send + 'static>(
    app: &Arc<App>,
    work: impl FnOnce(&Store) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let path = app.path.clone();
    let done = tokio::task::spawn_blocking(move || work(&Store::open_to_read(&path)?));
    done.await.map_err(failed)?
}

/// The error of a thread without an answer.
pub fn failed(_: JoinError) -> ApiError {
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "it has failed")
}

/// A report of a whole tree, of `searches`, read for this answer. It waits for room, which it takes
/// until the last of it is sent.
///
/// # Errors
///
/// As [`beside`].
pub async fn report(
    app: &Arc<App>,
    searches: u64,
    kind: &'static str,
    write: impl FnOnce(&Store) -> Result<Vec<u8>, ApiError> + Send + 'static,
) -> Result<Response, ApiError> {
    let path = app.path.clone();
    let read = app.background.reading(searches, move || write(&Store::open_to_read(&path)?));
    let (text, room) = read.await.map_err(failed)?;
    Ok(kept_until_sent(of_bytes(text?, kind), room))
}

/// An answer that browsers save as a file of this name.
pub fn as_file(mut answer: Response, name: &str) -> Response {
    if let Ok(name) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        answer.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    answer
}

/// Makes a change in the writing thread, and refreshes the roots.
///
/// # Errors
///
/// Errors of `change`, or too many changes wait.
pub async fn write<T: Send + 'static>(
    app: &Arc<App>,
    change: impl FnOnce(&App) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let owned = Arc::clone(app);
    let changed = app.background.in_turn(move || change(&owned)).await?;
    app.roots.refresh().await;
    changed
}

/// Makes a change that may wait for the end of a run, and refreshes the roots. Other changes go on
/// meanwhile.
///
/// # Errors
///
/// Errors of `change`, or too many changes wait.
pub async fn in_own_thread<T: Send + 'static>(
    app: &Arc<App>,
    change: impl FnOnce(&App) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let owned = Arc::clone(app);
    let changed = app.background.in_own_thread(move || change(&owned)).await?;
    app.roots.refresh().await;
    changed
}
