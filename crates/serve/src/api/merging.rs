//! Merging other databases. The file comes with the request: none is named here.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use serde::{Deserialize, Serialize};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;
use tokio::sync::{Notify, watch};

use crate::background::NotWritten;
use crate::connections::ended;
use crate::events::{NewsKind, NewsMessage};
use crate::guard::{NotAdmitted, SQLITE, is_kind, most_bytes};
use crate::server::App;
use crate::uploads::UploadFolder;
use deepanalyze_core::printable::is_unprintable;
use deepanalyze_engine::StopSignal;
use deepanalyze_store::now;

use super::error::ApiError;
use super::json::{FromQuery, content_type, response};

/// The error of a cancelled merge, for the page.
const CANCELLED: &str = "cancelled";
const KEPT: &str = "answers that were added before stay; merging the same file again adds the rest";

/// A database that was sent.
#[derive(Debug)]
pub struct Upload {
    folder: UploadFolder,
    name: String,
    is_trusted: bool,
}

impl Upload {
    /// Its full path, of which no part comes from a request.
    pub fn file(&self) -> PathBuf {
        self.folder.file()
    }

    /// Its name, for people alone.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// True if none of it is searched again.
    pub fn is_trusted(&self) -> bool {
        self.is_trusted
    }
}

/// Merges other databases.
pub trait Merging: fmt::Debug + Send + Sync {
    /// Merges a database, and returns lines about the result; `None` if `cancelled` disconnects
    /// before: merged data is kept.
    ///
    /// # Errors
    ///
    /// If it is refused; then nothing was merged, or merged data is kept.
    fn merge(
        &self,
        upload: &Upload,
        cancelled: &StopSignal,
    ) -> Result<Option<Vec<String>>, MergeRefused>;
}

/// The reason why a database is not merged, and a hint.
#[derive(Debug)]
pub struct MergeRefused {
    /// The error.
    pub error: String,
    /// A hint for the user.
    pub hint: Option<String>,
}

/// Databases sent since the server's start; one at a time is received and merged.
#[derive(Debug, Default)]
pub struct Merges {
    known: Mutex<MergesKnown>,
    /// Notified whenever one is over.
    over: Notify,
}

#[derive(Debug, Default)]
struct MergesKnown {
    all: Vec<Merge>,
    last_id: u64,
    /// Cancels the last one, if running.
    cancel: Option<watch::Sender<bool>>,
}

/// A database that was merged, or is being.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Merge {
    /// Its number, by which it is cancelled.
    id: u64,
    name: String,
    #[serde(flatten)]
    state: MergeState,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase", tag = "state")]
enum MergeState {
    /// It is received, checked and merged.
    Running,
    Done {
        /// Lines about the result.
        lines: Vec<String>,
    },
    Failed {
        /// Why it has failed; `cancelled` if it was.
        error: String,
        hint: Option<String>,
    },
}

/// The running merge's place. Dropped before it is over, it leaves nothing in the list.
struct RunningMerge {
    app: Arc<App>,
    id: u64,
    cancelled: watch::Receiver<bool>,
}

impl RunningMerge {
    /// Takes the place, unless another one has it.
    fn begin(app: &Arc<App>, name: &str) -> Result<RunningMerge, ApiError> {
        let mut known = app.merges.lock();
        if known.cancel.is_some() {
            return Err(ApiError::conflict("another database is being merged"));
        }
        let (cancel, cancelled) = watch::channel(false);
        known.last_id += 1;
        let id = known.last_id;
        known.cancel = Some(cancel);
        known.all.push(Merge { id, name: name.to_owned(), state: MergeState::Running });
        Ok(RunningMerge { app: Arc::clone(app), id, cancelled })
    }

    /// Waits until it is cancelled, or the server ends.
    async fn cancelled(&self) {
        let (mut cancelled, mut end) = (self.cancelled.clone(), self.app.end.clone());
        tokio::select! {
            _ = cancelled.wait_for(|cancelled| *cancelled) => {}
            () = ended(&mut end) => {}
        }
    }

    fn end(self, state: MergeState) {
        let mut known = self.app.merges.lock();
        known.all.last_mut().into_iter().for_each(|last| last.state = state.clone());
    }
}

impl Drop for RunningMerge {
    fn drop(&mut self) {
        let mut known = self.app.merges.lock();
        known.cancel = None;
        known.all.retain(|merge| merge.id != self.id || !merge.state.is_running());
        drop(known);
        self.app.merges.over.notify_waiters();
    }
}

impl MergeState {
    fn is_running(&self) -> bool {
        matches!(self, MergeState::Running)
    }
}

impl Merges {
    /// The last one first.
    fn all(&self) -> Vec<Merge> {
        self.lock().all.iter().rev().cloned().collect()
    }

    /// Cancels one, and waits for its end.
    async fn cancel(&self, id: u64) -> Result<(), ApiError> {
        let over = || ApiError::conflict("this merge is over");
        let missing = || ApiError::missing(format!("there is no merge {id}"));
        let state = |known: &MergesKnown| {
            let found = known.all.iter().find(|merge| merge.id == id);
            found.map(|merge| merge.state.is_running())
        };
        {
            let known = self.lock();
            if !state(&known).ok_or_else(missing)? {
                return Err(over());
            }
            known.cancel.iter().for_each(|cancel| _ = cancel.send_replace(true));
        }
        self.until(|known| state(known) != Some(true)).await;
        Ok(())
    }

    /// Waits until none is running.
    pub async fn all_over(&self) {
        self.until(|known| known.cancel.is_none()).await;
    }

    async fn until(&self, is_so: impl Fn(&MergesKnown) -> bool) {
        loop {
            let over = self.over.notified();
            if is_so(&self.lock()) {
                return;
            }
            over.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, MergesKnown> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Options of a merge.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MergeAsked {
    /// The name of its file, by which it is known from then on (`deepanalyze list --sources`).
    name: String,
    /// True if nothing is searched again.
    #[serde(default)]
    trust: bool,
}

/// Databases sent to be merged.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Merges"))]
pub struct MergesObject {
    /// The last one first.
    merges: Vec<Merge>,
}

/// `GET /api/merges`.
pub async fn list(State(app): State<Arc<App>>) -> Response {
    response(&MergesObject { merges: app.merges.all() })
}

/// Time in which the rest of a refused file is still received and discarded: the sender hears no
/// answer before.
const REST: Duration = Duration::from_secs(2);

/// `POST /api/merges`: receives the file, and begins.
pub async fn begin(
    State(app): State<Arc<App>>,
    FromQuery(asked): FromQuery<MergeAsked>,
    request: Request,
) -> Result<Response, ApiError> {
    let is_database = content_type(&request).is_some_and(|kind| is_kind(kind, SQLITE));
    let most = most_bytes(request.uri().path());
    let mut body = request.into_body();
    let begun = if is_database {
        begin_with(&app, asked, &mut body, most).await
    } else {
        Err(ApiError::malformed(format!("the body must be the database, as {SQLITE}")))
    };
    if begun.is_err() {
        let rest = async { while let Some(Ok(_)) = body.frame().await {} };
        let _ = tokio::time::timeout(REST, rest).await;
    }
    begun?;
    Ok((StatusCode::ACCEPTED, list(State(app)).await).into_response())
}

async fn begin_with(
    app: &Arc<App>,
    asked: MergeAsked,
    body: &mut Body,
    most: u64,
) -> Result<(), ApiError> {
    let name = database_name(&asked.name)?.to_owned();
    let running = RunningMerge::begin(app, &name)?;
    let no_room = |error: std::io::Error| {
        ApiError::new(StatusCode::INSUFFICIENT_STORAGE, format!("the file cannot be kept: {error}"))
    };
    let folder = UploadFolder::beside(&app.path).map_err(no_room)?;
    let file = folder.file();
    tokio::select! {
        taken = take_in(body, most, &file) => taken?.map_err(no_room)?,
        () = running.cancelled() => return Err(ApiError::conflict(CANCELLED)),
    }
    tokio::spawn(merge(running, Upload { folder, name, is_trusted: asked.trust }));
    Ok(())
}

/// `DELETE /api/merges/{id}`: cancels a running one.
pub async fn cancel(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let missing = || ApiError::missing(format!("there is no merge {id}"));
    app.merges.cancel(id.parse().map_err(|_| missing())?).await?;
    Ok(list(State(app)).await)
}

/// The name of a database: no shell and no path takes it for something else.
fn database_name(name: &str) -> Result<&str, ApiError> {
    let is_plain = |c: char| !is_unprintable(c) && !"/\\:*?\"<>|".contains(c);
    let is_name = !name.trim().is_empty() && !name.starts_with(['.', '-']) && name.len() <= 200;
    if is_name && name.chars().all(is_plain) {
        return Ok(name);
    }
    Err(ApiError::malformed(format!("\"name\": invalid database name {name:?}")))
}

/// Between two pieces of an arriving file.
const PATIENCE: Duration = Duration::from_secs(30);
/// Least bytes a second of a file, after that time: a slower one would keep others waiting.
const SLOWEST: u64 = 64 << 10;

/// Writes the body of a request to a file.
async fn take_in(
    body: &mut Body,
    most: u64,
    path: &std::path::Path,
) -> Result<std::io::Result<()>, ApiError> {
    let mut file = match File::create(path).await {
        Ok(file) => file,
        Err(error) => return Ok(Err(error)),
    };
    let (mut bytes, began) = (0, Instant::now());
    let slow = || ApiError::new(StatusCode::REQUEST_TIMEOUT, "the file did not come in time");
    while let Some(frame) =
        tokio::time::timeout(PATIENCE, body.frame()).await.map_err(|_| slow())?
    {
        let frame = frame.map_err(|_| ApiError::malformed("the file cannot be read"))?;
        let Ok(piece) = frame.into_data() else { continue };
        bytes += piece.len() as u64;
        if bytes > most {
            let large = NotAdmitted::TooLarge(most);
            return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, large));
        }
        let expected = began.elapsed().saturating_sub(PATIENCE).as_secs().saturating_mul(SLOWEST);
        if bytes < expected {
            return Err(slow());
        }
        if let Err(error) = file.write_all(&piece).await {
            return Ok(Err(error));
        }
    }
    Ok(file.flush().await)
}

/// Merges a file, and announces the result.
async fn merge(running: RunningMerge, upload: Upload) {
    let (app, name) = (Arc::clone(&running.app), upload.name().to_owned());
    let merged = merge_unless_cancelled(&running, upload).await;
    app.roots.refresh().await;
    let failed = |error: String, hint| MergeState::Failed { error, hint };
    let state = match merged {
        Ok(Ok(Some(lines))) => MergeState::Done { lines },
        Ok(Ok(None)) => failed(CANCELLED.to_owned(), Some(KEPT.to_owned())),
        Ok(Err(MergeRefused { error, hint })) => failed(error, hint),
        Err(error) => failed(error.to_string(), None),
    };
    let text = match &state {
        MergeState::Done { lines } => lines.first().cloned().unwrap_or_default(),
        MergeState::Failed { error, .. } => format!("{name} was not merged: {error}"),
        MergeState::Running => String::new(),
    };
    running.end(state);
    let message = NewsMessage { id: None, at: now(), kind: NewsKind::Merge, text };
    app.events.change(|events| events.tell(message));
}

/// Lines about a merge, or why there was none.
type Merged = Result<Option<Vec<String>>, MergeRefused>;

/// Merges a file in a thread of its own, until it is cancelled; then the thread has ended, too.
async fn merge_unless_cancelled(
    running: &RunningMerge,
    upload: Upload,
) -> Result<Merged, NotWritten> {
    let merging = Arc::clone(&running.app.merging);
    let (goes_on, cancelled) = crossbeam_channel::bounded(0);
    let merged = running.app.background.in_own_thread(move || merging.merge(&upload, &cancelled));
    tokio::pin!(merged);
    tokio::select! {
        merged = &mut merged => return merged,
        () = running.cancelled() => drop::<crossbeam_channel::Sender<Infallible>>(goes_on),
    }
    merged.await
}
