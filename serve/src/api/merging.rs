//! Taking over what another database has. The file comes with the request: none is named here.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tempfile::TempDir;
use tokio::fs::File;
use tokio::io::AsyncWriteExt;

use crate::events::NewsMessage;
use crate::guard::{NotAdmitted, SQLITE, is_kind, most_bytes};
use crate::server::App;
use deepanalyze_store::now;

use super::error::ApiError;
use super::json::{FromQuery, content_type, response};

/// Takes over what other databases have.
pub trait Merging: fmt::Debug + Send + Sync {
    /// Takes over what a database has, and tells in lines what has come of it. `is_trusted`: nothing of it is searched
    /// again.
    ///
    /// # Errors
    ///
    /// Where it is refused; nothing was taken then, or what was taken is kept.
    fn merge(&self, file: &Path, is_trusted: bool) -> Result<Vec<String>, MergeRefused>;
}

/// Why a database is not taken over, and what can be done.
#[derive(Debug)]
pub struct MergeRefused {
    /// What is wrong.
    pub error: String,
    /// What can be done.
    pub hint: Option<String>,
}

/// The databases that were taken over since the server has begun.
#[derive(Debug, Default)]
pub struct Merges(Mutex<Vec<Merge>>);

/// One of them, in words.
#[derive(Debug, Clone, Serialize)]
struct Merge {
    name: String,
    #[serde(flatten)]
    state: MergeState,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "lowercase", tag = "state")]
enum MergeState {
    /// It is read, checked and taken over.
    Running,
    Done {
        lines: Vec<String>,
    },
    Failed {
        error: String,
        hint: Option<String>,
    },
}

impl Merges {
    /// Whether none is under way.
    fn is_free(&self) -> Result<(), ApiError> {
        free(&self.lock())
    }

    /// Notes one that begins, unless another one is under way.
    fn begin(&self, name: &str) -> Result<(), ApiError> {
        let mut all = self.lock();
        free(&all)?;
        all.push(Merge { name: name.to_owned(), state: MergeState::Running });
        Ok(())
    }

    fn end(&self, state: MergeState) {
        self.lock().last_mut().into_iter().for_each(|last| last.state = state.clone());
    }

    /// The last one first.
    fn all(&self) -> Vec<Merge> {
        self.lock().iter().rev().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Merge>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn free(all: &[Merge]) -> Result<(), ApiError> {
    match all.last().map(|last| &last.state) {
        Some(MergeState::Running) => Err(ApiError::conflict("another database is being merged")),
        _ => Ok(()),
    }
}

/// How a database is to be taken over.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MergeAsked {
    /// The name of its file, and what it is called here.
    name: String,
    #[serde(default)]
    trust: bool,
}

/// `GET /api/merges`.
pub async fn list(State(app): State<Arc<App>>) -> Response {
    response(&json!({ "merges": app.merges.all() }))
}

/// `POST /api/merges`: takes the file in, and begins.
pub async fn begin(
    State(app): State<Arc<App>>,
    FromQuery(asked): FromQuery<MergeAsked>,
    request: Request,
) -> Result<Response, ApiError> {
    let name = file_name(&asked.name)?.to_owned();
    if !content_type(&request).is_some_and(|kind| is_kind(kind, SQLITE)) {
        return Err(ApiError::malformed(format!("the body must be the database, as {SQLITE}")));
    }
    app.merges.is_free()?;
    let no_room = |error: std::io::Error| {
        ApiError::new(StatusCode::INSUFFICIENT_STORAGE, format!("the file cannot be kept: {error}"))
    };
    // Beside the database: there is room for it, or for none of what it has.
    let here = app.path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let mut folder = tempfile::Builder::new();
    let folder = folder.prefix(".deepanalyze-merge-");
    let folder = folder.tempdir_in(here.unwrap_or(Path::new("."))).map_err(no_room)?;
    let file = folder.path().join(&name);
    take_in(request, &file).await?.map_err(no_room)?;
    app.merges.begin(&name)?;
    let merging = Arc::clone(&app);
    tokio::spawn(async move { merge(&merging, (folder, name), asked.trust).await });
    Ok((StatusCode::ACCEPTED, list(State(app)).await).into_response())
}

/// The name of a file in a folder of its own, which no shell and no path takes for something else.
fn file_name(name: &str) -> Result<&str, ApiError> {
    let is_plain = |c: char| !c.is_control() && !"/\\:*?\"<>|".contains(c);
    let is_name = !name.trim().is_empty() && !name.starts_with(['.', '-']) && name.len() <= 200;
    if is_name && name.chars().all(is_plain) {
        return Ok(name);
    }
    Err(ApiError::malformed(format!("\"name\": invalid database name {name:?}")))
}

/// Between two pieces of a file that comes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Writes the body of a request to a file.
async fn take_in(request: Request, path: &Path) -> Result<std::io::Result<()>, ApiError> {
    let most = most_bytes(request.uri().path());
    let mut file = match File::create(path).await {
        Ok(file) => file,
        Err(error) => return Ok(Err(error)),
    };
    let (mut body, mut bytes) = (request.into_body(), 0);
    let slow = |_| ApiError::new(StatusCode::REQUEST_TIMEOUT, "the file did not come in time");
    while let Some(frame) = tokio::time::timeout(PATIENCE, body.frame()).await.map_err(slow)? {
        let frame = frame.map_err(|_| ApiError::malformed("the file cannot be read"))?;
        let Ok(piece) = frame.into_data() else { continue };
        bytes += piece.len() as u64;
        if bytes > most {
            let large = NotAdmitted::TooLarge(most);
            return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, large));
        }
        if let Err(error) = file.write_all(&piece).await {
            return Ok(Err(error));
        }
    }
    Ok(file.flush().await)
}

/// Takes a file over, and tells everybody what has come of it.
async fn merge(app: &Arc<App>, (folder, name): (TempDir, String), is_trusted: bool) {
    let file = folder.path().join(&name);
    let merging = Arc::clone(&app.merging);
    let merged = app.background.apart(move || merging.merge(&file, is_trusted)).await;
    drop(folder);
    app.roots.refresh().await;
    let failed = |error: String, hint| MergeState::Failed { error, hint };
    let state = match merged {
        Ok(Ok(lines)) => MergeState::Done { lines },
        Ok(Err(MergeRefused { error, hint })) => failed(error, hint),
        Err(error) => failed(error.to_string(), None),
    };
    let text = match &state {
        MergeState::Done { lines } => lines.first().cloned().unwrap_or_default(),
        MergeState::Failed { error, .. } => format!("{name} was not merged: {error}"),
        MergeState::Running => String::new(),
    };
    app.merges.end(state);
    let message = NewsMessage { id: None, at: now(), kind: "merge", text };
    app.events.change(|events| events.tell(message));
}
