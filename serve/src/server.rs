//! The server: everything put together, and its end.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request, header};
use axum::response::{IntoResponse, Response};
use crossbeam_channel::Receiver;
use tokio::sync::watch;
use tower::ServiceExt;

use deepanalyze_runner::{ControlReceiver, Runner};
use deepanalyze_store::StoreError;

use super::apart::Apart;
use super::api::{ApiError, engines_object, root_object, router};
use super::app::{App, Defaults};
use super::connections;
use super::events::Events;
use super::guard::{Claims, Entry, Guard, Refusal, Token, in_address};
use super::own_addresses::own_addresses;
use super::reading::Reading;
use super::roots::{Roots, Saying};
use super::trees::Trees;
use super::undo::UndoStacks;
use super::writer::Writer;

/// Threads that look things up beside the one that answers.
const BESIDE: usize = 4;

/// How long changes that wait may take at the end.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What a page of the server may do: nothing but what comes from the server itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data:; font-src 'self'; manifest-src 'self'; \
                      frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// Leads to the page.
const WELCOME: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>deepanalyze</title>\
                       <meta http-equiv=\"refresh\" content=\"0;url=/\"><a href=\"/\">deepanalyze</a></html>\n";

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Address {
        /// Which.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system gives no thread, no randomness, or the like.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ServeError {
    /// Whether somebody else has the port.
    pub fn is_taken(&self) -> bool {
        matches!(self, ServeError::Address { source, .. } if source.kind() == io::ErrorKind::AddrInUse)
    }
}

/// An address that is listened on; nobody is answered yet.
#[derive(Debug)]
pub struct Door {
    listener: TcpListener,
    address: SocketAddr,
    guard: Guard,
    token: Token,
    hosts: Vec<String>,
}

impl Door {
    /// Listens on an address; further names by which it may be called are `hosts`. The token is kept in a
    /// file, so that open pages outlive the server.
    ///
    /// # Errors
    ///
    /// [`ServeError::Address`] where that cannot be, as where the port is taken.
    pub fn open(
        address: SocketAddr,
        hosts: Vec<String>,
        token_file: &Path,
    ) -> Result<Door, ServeError> {
        let failed = |source| ServeError::Address { address, source };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let token = Token::kept_in(token_file)?;
        let guard = Guard::new(address, &hosts, token.clone());
        Ok(Door { listener, address, guard, token, hosts })
    }

    /// What opens the page, for the user.
    pub fn url(&self) -> String {
        self.url_with(&self.token)
    }

    /// What opens the page once.
    ///
    /// # Errors
    ///
    /// Where the system has no randomness.
    pub fn url_once(&self) -> io::Result<String> {
        Ok(self.url_with(&self.guard.open_once()?))
    }

    /// The same for other devices of the network, where they can reach it: one for each address of this computer.
    pub fn urls_from_outside(&self) -> Vec<String> {
        let ip = self.address.ip();
        let ips = match ip {
            ip if ip.is_loopback() => Vec::new(),
            ip if ip.is_unspecified() => own_addresses(ip.is_ipv6()),
            ip => vec![ip],
        };
        ips.into_iter()
            .map(|ip| self.url_of(&self.with_port(&in_address(ip)), &self.token))
            .collect()
    }

    /// Whether others than this computer can come in.
    pub fn is_open_to_others(&self) -> bool {
        !self.address.ip().is_loopback()
    }

    /// The port that is listened on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    fn url_with(&self, token: &Token) -> String {
        let ip = self.address.ip();
        let named = self.hosts.first().filter(|_| ip.is_unspecified());
        let host = match named {
            Some(name) if name.contains(':') => name.clone(),
            Some(name) => self.with_port(name),
            None if ip.is_unspecified() => self.with_port("127.0.0.1"),
            None => self.with_port(&in_address(ip)),
        };
        self.url_of(&host, token)
    }

    fn with_port(&self, host: &str) -> String {
        format!("{host}:{}", self.port())
    }

    fn url_of(&self, host: &str, token: &Token) -> String {
        format!("http://{host}/?token={}", token.word())
    }
}

/// What is served.
#[derive(Debug)]
pub struct Serving {
    /// The database, which is there.
    pub path: PathBuf,
    /// How many engine processes there may be.
    pub engines: usize,
    /// Of new roots.
    pub defaults: Defaults,
    /// What is grown.
    pub agenda: Runner,
}

/// Answers requests until somebody wants the end; then the runs are ended, too, and what they were answered is
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
    let agenda = serving.agenda.clone();
    let Door { listener, guard, .. } = door;
    let (app, all_written) = app(guard, serving, ended.clone())?;
    let ending = end_when_told(control.clone(), end, agenda)?;
    let router = router(Arc::clone(&app));
    let answer = move |request| answer(Arc::clone(&app), router.clone(), request);
    is_ready();
    runtime.block_on(async move {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        connections::serve(listener, answer, ended).await;
        Ok::<_, io::Error>(())
    })?;
    // Whoever still looks something up is left alone; a change that is being written is not.
    runtime.shutdown_background();
    let _ = all_written.recv_timeout(LAST_WORDS);
    let _ = ending.join();
    Ok(())
}

/// Everything but connections; and what tells that all changes are written.
fn app(
    guard: Guard,
    serving: Serving,
    end: watch::Receiver<bool>,
) -> Result<(Arc<App>, Receiver<Infallible>), ServeError> {
    let Serving { path, engines, defaults, agenda } = serving;
    let instance = Token::random()?.word().chars().take(12).collect();
    let events = Events::new(instance);
    let trees = Trees::new(&path, events.clone());
    let (undo, reading) = (UndoStacks::default(), Reading::default());
    let (writer, all_written) = Writer::start()?;
    let saying = Saying { root: root_object, engines: engines_object };
    let roots = Roots::start(&path, agenda.clone(), (events.clone(), trees.clone()), saying)?;
    let app = App {
        path,
        engines,
        defaults,
        guard,
        agenda,
        roots,
        trees,
        reading,
        writer,
        apart: Apart::default(),
        undo,
        events,
        end,
    };
    Ok((Arc::new(app), all_written))
}

/// Ends the server and the runs, side by side, once somebody says so.
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

/// Lets a request in or not, and has it answered.
async fn answer(app: Arc<App>, router: Router, request: Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let is_api = parts.uri.path().starts_with("/api");
    let claims = Claims::of(&parts, app.guard.cookie_name());
    let mut response = match app.guard.check(&claims, Instant::now()) {
        Ok(Entry::Known) => {
            let request = Request::from_parts(parts, body);
            router.oneshot(request).await.unwrap_or_else(|never| match never {})
        }
        Ok(Entry::ByAddress) => welcome(&app.guard),
        Err(refusal) => refused(refusal, is_api),
    };
    secure(&mut response, is_api);
    response
}

/// The token of the address becomes a cookie, and leaves the address. A redirection would not do: where the
/// visitor comes from a page of another site, browsers send it on without the cookie.
fn welcome(guard: &Guard) -> Response {
    let mut response = axum::response::Html(WELCOME).into_response();
    if let Ok(cookie) = HeaderValue::from_str(&guard.set_cookie()) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

fn refused(refusal: Refusal, is_api: bool) -> Response {
    if is_api {
        let hint = refusal.hint().map(str::to_owned);
        return ApiError::new(refusal.status(), refusal).hint(hint).into_response();
    }
    let hint = refusal.hint().map(|hint| format!("\n{hint}\n")).unwrap_or_default();
    (refusal.status(), format!("deepanalyze: {refusal}\n{hint}")).into_response()
}

/// What every answer says to browsers.
fn secure(response: &mut Response, is_api: bool) {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_api || !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}
