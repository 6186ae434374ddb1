//! The server: the state of handlers, its parts put together, and its end.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Request, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use tokio::sync::watch;
use tower::ServiceExt;

use deepanalyze_core::chess::DrawValue;
use deepanalyze_core::tree::{Breadth, PlayedRules};
use deepanalyze_runner::{ControlReceiver, Runner, Schedule};
use deepanalyze_store::{KeptGameSet, Patience, Store, StoreError};

use super::api::{ApiError, Merges, Merging, router};
use super::background::BackgroundWork;
use super::connections;
use super::door::{Door, ServeError};
use super::events::Events;
use super::guard::{AccessToken, Admission, Claims, Guard, NotAdmitted, WITH_DATABASE};
use super::roots::Roots;
use super::trees::Trees;
use super::undo::UndoStacks;
use super::uploads::clear_left;

/// Lookup threads beside the answering one.
const BESIDE: usize = 4;

/// Time for waiting changes at the end.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Time for an answer to a request, and the text if it is late: a change may go on.
const DEADLINE: Duration = Duration::from_mins(5);
const LATE: &str = "this takes too long; it may still be done";

/// The content policy of a page: nothing but what comes from the server itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data:; font-src 'self'; manifest-src 'self'; \
                      frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// Leads to the page.
const WELCOME: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>deepanalyze</title>\
                       <meta http-equiv=\"refresh\" content=\"0;url=/\"><a href=\"/\">deepanalyze</a></html>\n";

/// Default settings of new roots.
#[derive(Debug, Clone, PartialEq)]
pub struct Defaults {
    /// The move distances, and the least number of root moves.
    pub breadth: Breadth,
    /// The value of a draw.
    pub draw: DrawValue,
    /// Rules by which they follow the server's games, and these; `None` if there are
    /// none.
    pub games: Option<(PlayedRules, KeptGameSet)>,
    /// The depth to settle.
    pub depth: u32,
    /// Engine depths.
    pub schedule: Schedule,
}

/// The state of all handlers.
#[derive(Debug)]
pub struct App {
    /// The database.
    pub path: PathBuf,
    /// Greatest number of engine processes.
    pub engines: usize,
    /// The page's addresses for other devices.
    pub addresses: Vec<String>,
    /// For new roots.
    pub defaults: Defaults,
    /// Admission.
    pub guard: Guard,
    /// The runs.
    pub agenda: Runner,
    /// All roots as last seen.
    pub roots: Roots,
    /// Open trees.
    pub trees: Arc<Trees>,
    /// Changes of the database, and trees read for one answer.
    pub background: BackgroundWork,
    /// Changes that can be undone.
    pub undo: Arc<UndoStacks>,
    /// The events.
    pub events: Arc<Events>,
    /// Merges other databases.
    pub merging: Arc<dyn Merging>,
    /// Merges so far.
    pub merges: Merges,
    /// Held while adding or deleting a whole game.
    pub games: tokio::sync::Mutex<()>,
    /// True once the server is to end.
    pub end: watch::Receiver<bool>,
}

impl App {
    /// The database, opened to write; waits for a locked one until the server ends.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where it cannot be opened.
    pub fn store(&self) -> Result<Store, StoreError> {
        let end = self.end.clone();
        Store::open_with(&self.path, Patience::until(move || *end.borrow()))
    }
}

/// Parameters of the server.
#[derive(Debug)]
pub struct Serving {
    /// The database, which exists.
    pub path: PathBuf,
    /// Greatest number of engine processes.
    pub engines: usize,
    /// For new roots.
    pub defaults: Defaults,
    /// The runs.
    pub agenda: Runner,
    /// Merges other databases.
    pub merging: Arc<dyn Merging>,
}

/// Answers requests until the end is requested; then the runs are ended, too, and their answers are
/// kept.
///
/// # Errors
///
/// [`ServeError`] where the database cannot be read, or the system lacks something.
pub fn serve(
    door: Door,
    serving: Serving,
    control: &ControlReceiver,
    is_ready: impl FnOnce(),
) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(BESIDE)
        .build()?;
    let (end, ended) = watch::channel(false);
    let addresses = door.urls_from_outside();
    let Door { listener, guard, .. } = door;
    let Serving { path, engines, defaults, agenda, merging } = serving;
    let instance = AccessToken::random()?.word().chars().take(12).collect();
    let events = Arc::new(Events::new(instance));
    let trees = Arc::new(Trees::new(&path, Arc::clone(&events)));
    let (background, all_written) = BackgroundWork::start()?;
    let parts = (Arc::clone(&events), Arc::clone(&trees));
    let app = Arc::new(App {
        roots: Roots::start(&path, agenda.clone(), parts)?,
        path,
        engines,
        addresses,
        defaults,
        guard,
        agenda: agenda.clone(),
        trees,
        background,
        undo: Arc::default(),
        merging,
        merges: Merges::default(),
        games: tokio::sync::Mutex::default(),
        events,
        end: ended.clone(),
    });
    let ending = end_when_told(control.clone(), end, agenda)?;
    let router = router(Arc::clone(&app));
    clear_left(&app.path);
    let serving = Arc::clone(&app);
    let answer = move |request| answer(Arc::clone(&app), router.clone(), request);
    is_ready();
    runtime.block_on(async move {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        connections::serve(listener, answer, ended).await;
        // A merge ends with its processes, and its files are removed.
        let _ = tokio::time::timeout(LAST_WORDS, serving.merges.all_over()).await;
        Ok::<_, io::Error>(())
    })?;
    // Lookups are abandoned; a change that is being written is not.
    runtime.shutdown_background();
    let _ = all_written.recv_timeout(LAST_WORDS);
    let _ = ending.join();
    Ok(())
}

/// Ends the server and the runs, side by side, on request.
fn end_when_told(
    control: ControlReceiver,
    end: watch::Sender<bool>,
    agenda: Runner,
) -> io::Result<std::thread::JoinHandle<()>> {
    std::thread::Builder::new().name("end".to_owned()).spawn(move || {
        while !control.is_told_to_end() && control.wake().recv().is_ok() {}
        end.send_replace(true);
        agenda.end();
    })
}

/// Admits a request or not, and has it answered.
async fn answer(app: Arc<App>, router: Router, request: Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let is_api = parts.uri.path().starts_with("/api");
    let claims = Claims::of(&parts, app.guard.cookie_name());
    let mut response = match app.guard.check(&claims, Instant::now()) {
        Ok(Admission::Known) => {
            let takes_long = parts.uri.path() == WITH_DATABASE;
            let answer = router.oneshot(Request::from_parts(parts, body));
            let late = || ApiError::new(StatusCode::GATEWAY_TIMEOUT, LATE).into_response();
            // A database may take hours to arrive; its handler checks its speed.
            if takes_long {
                answer.await.unwrap_or_else(|never| match never {})
            } else {
                match tokio::time::timeout(DEADLINE, answer).await {
                    Ok(answered) => answered.unwrap_or_else(|never| match never {}),
                    Err(_) => late(),
                }
            }
        }
        Ok(Admission::ByAddress) => welcome(&app.guard),
        Err(refusal) => refused(refusal, is_api),
    };
    secure(&mut response, is_api);
    response
}

/// The token of the address becomes a cookie, and leaves the address. A redirection would not do:
/// if the visitor comes from a page of another site, browsers send it on without the cookie.
fn welcome(guard: &Guard) -> Response {
    let mut response = Html(WELCOME).into_response();
    if let Ok(cookie) = HeaderValue::from_str(&guard.set_cookie()) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

fn refused(refusal: NotAdmitted, is_api: bool) -> Response {
    if is_api {
        return ApiError::new(refusal.status(), refusal).hint(refusal.hint()).into_response();
    }
    let hint = refusal.hint().map(|hint| format!("\n{hint}\n")).unwrap_or_default();
    (refusal.status(), format!("deepanalyze: {refusal}\n{hint}")).into_response()
}

/// Sets every answer's security headers.
fn secure(response: &mut Response, is_api: bool) {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_api || !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}
