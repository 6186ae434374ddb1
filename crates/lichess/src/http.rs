//! Requests over HTTP: bounded in time and size, with bodies that may last. Lichess as seen by the
//! provider: the site, where the engine is registered, and the broker, which hands out work.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{Method, Request, Response};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::api::{
    Acquire, Addresses, BoardJob, CHESS, Engine, EngineForm, LichessId, POLL, Registration,
};

use super::api::{LONGEST_ANSWER, REQUEST};
use super::error::LichessError;

/// Time limit of connecting.
const CONNECT: Duration = Duration::from_secs(10);
/// Most bytes under way in a connection: a slow reader is to get new lines, not waiting ones.
const ON_ITS_WAY: usize = 16 * 1024;

type Sent = UnsyncBoxBody<Bytes, Infallible>;

/// A client; its connections are kept for the next request.
#[derive(Debug, Clone)]
pub struct Http {
    client: Client<HttpsConnector<HttpConnector>, Sent>,
}

/// A successful answer.
#[derive(Debug)]
pub struct HttpReply {
    host: String,
    /// The HTTP status, from 200 to 299.
    pub status: u16,
    body: Bytes,
}

impl HttpReply {
    /// The body as JSON.
    ///
    /// # Errors
    ///
    /// [`LichessError::Garbage`] if it is none, or another.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, LichessError> {
        serde_json::from_slice(&self.body)
            .map_err(|why| LichessError::Garbage { host: self.host.clone(), why: why.to_string() })
    }
}

/// A body that comes in pieces until its sender ends.
struct Pieces(mpsc::Receiver<String>);

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece.into()))))
    }
}

impl Default for Http {
    /// A client that has no connection yet.
    fn default() -> Http {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT));
        tcp.set_keepalive(Some(REQUEST));
        tcp.set_send_buffer_size(Some(ON_ITS_WAY));
        let tls = HttpsConnectorBuilder::new().with_webpki_roots().https_or_http();
        let mut client = Client::builder(TokioExecutor::new());
        client.pool_timer(TokioTimer::new()).http1_max_buf_size(ON_ITS_WAY);
        Http { client: client.build(tls.enable_http1().wrap_connector(tcp)) }
    }
}

impl Http {
    /// Sends JSON, or a question without a body, and reads the answer.
    ///
    /// # Errors
    ///
    /// Any failure of the request.
    pub async fn ask(
        &self,
        method: Method,
        address: &str,
        token: Option<&str>,
        json: Option<&impl Serialize>,
        within: Duration,
    ) -> Result<HttpReply, LichessError> {
        let kind = json.map(|_| "application/json");
        // The JSON has only words and numbers.
        let body = json.and_then(|json| serde_json::to_vec(json).ok()).unwrap_or_default();
        let request = request((method, address), token, kind, Full::from(body).boxed_unsync())?;
        let host = host_of(address);
        let silent = |_| LichessError::Silent { host, after: within };
        timeout(within, self.send(request, address)).await.map_err(silent)?
    }

    /// Sends text in pieces until they end, or the server has enough and answers.
    ///
    /// # Errors
    ///
    /// Any failure of the request.
    pub async fn stream(
        &self,
        address: &str,
        pieces: mpsc::Receiver<String>,
    ) -> Result<HttpReply, LichessError> {
        let body = Pieces(pieces).boxed_unsync();
        let request = request((Method::POST, address), None, Some("text/plain"), body)?;
        self.send(request, address).await
    }

    async fn send(&self, request: Request<Sent>, address: &str) -> Result<HttpReply, LichessError> {
        let unreachable = |why: String| LichessError::Unreachable { host: host_of(address), why };
        let response = self.client.request(request).await;
        let response = response.map_err(|error| unreachable(with_causes(&error)))?;
        let host = host_of(address);
        let silent = |_| LichessError::Silent { host: host_of(address), after: REQUEST };
        timeout(REQUEST, read(host, response)).await.map_err(silent)?
    }
}

/// The first and the deepest of the causes: those between repeat them.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}

fn host_of(address: &str) -> String {
    let uri = address.parse::<hyper::Uri>().ok();
    let host = uri.as_ref().and_then(|uri| uri.authority());
    host.map_or_else(|| address.to_owned(), ToString::to_string)
}

fn request(
    (method, address): (Method, &str),
    token: Option<&str>,
    kind: Option<&'static str>,
    body: Sent,
) -> Result<Request<Sent>, LichessError> {
    let mut request = Request::builder()
        .method(method)
        .uri(address)
        .header(USER_AGENT, concat!("deepanalyze/", env!("CARGO_PKG_VERSION")));
    if let Some(kind) = kind {
        request = request.header(CONTENT_TYPE, kind);
    }
    if let Some(token) = token {
        let mut value = HeaderValue::from_str(&format!("Bearer {token}"))
            .map_err(|_| LichessError::Word("the token"))?;
        value.set_sensitive(true);
        request = request.header(AUTHORIZATION, value);
    }
    request.body(body).map_err(|_| LichessError::Address(address.to_owned()))
}

async fn read(host: String, response: Response<Incoming>) -> Result<HttpReply, LichessError> {
    let (head, body) = response.into_parts();
    let body = Limited::new(body, LONGEST_ANSWER).collect().await;
    let status = head.status.as_u16();
    if head.status.is_success() {
        let body =
            body.map_err(|why| LichessError::Garbage { host: host.clone(), why: why.to_string() })?;
        return Ok(HttpReply { host, status, body: body.to_bytes() });
    }
    let text = body.map(|body| words_of(&body.to_bytes())).unwrap_or_default();
    let after = head.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    Err(LichessError::Status { host, status, text, after: after.map(Duration::from_secs) })
}

/// A refusal's message: as text, or as in Lichess's `{"error": "…"}`.
fn words_of(body: &[u8]) -> String {
    #[derive(serde::Deserialize)]
    struct ErrorBody {
        error: String,
    }
    match serde_json::from_slice::<ErrorBody>(body) {
        Ok(said) => said.error,
        Err(_) => String::from_utf8_lossy(body).into_owned(),
    }
}

/// Blocks of lines, for as long as the answer lasts.
pub type Blocks = mpsc::Receiver<String>;

/// Hands out work and takes the answers.
pub trait Broker: Send + Sync + 'static {
    /// Waits for work for a while; `None` if there was none.
    fn acquire(&self) -> impl Future<Output = Result<Option<BoardJob>, LichessError>> + Send;

    /// Answers a job, until the blocks end or the broker has enough.
    fn answer(
        &self,
        job: &LichessId,
        blocks: Blocks,
    ) -> impl Future<Output = Result<(), LichessError>> + Send;
}

/// Lichess's broker.
#[derive(Debug)]
pub struct LichessBroker {
    http: Http,
    addresses: Addresses,
    secret: String,
}

impl LichessBroker {
    /// For the engines that were registered with a secret.
    pub fn new(http: Http, addresses: Addresses, secret: String) -> LichessBroker {
        LichessBroker { http, addresses, secret }
    }
}

impl Broker for LichessBroker {
    async fn acquire(&self) -> Result<Option<BoardJob>, LichessError> {
        let poll = Acquire { provider_secret: &self.secret };
        let address = self.addresses.work();
        let reply = self.http.ask(Method::POST, &address, None, Some(&poll), POLL).await?;
        if reply.status == 200 { reply.json().map(Some) } else { Ok(None) }
    }

    async fn answer(&self, job: &LichessId, blocks: Blocks) -> Result<(), LichessError> {
        self.http.stream(&self.addresses.answer(job.as_str()), blocks).await.map(drop)
    }
}

/// Registers an engine for the user of a token, or updates the one of that name.
///
/// # Errors
///
/// If Lichess does not take it: a passing error may be retried.
pub async fn register(
    http: &Http,
    addresses: &Addresses,
    token: &str,
    what: &Registration,
) -> Result<(), LichessError> {
    let (token, none) = (Some(token), None::<&()>);
    let all = addresses.engines();
    let list = http.ask(Method::GET, &all, token, none, REQUEST).await?;
    let known = list.json::<Vec<Engine>>()?.into_iter().find(|engine| engine.name == what.name);
    let form = EngineForm { registration: what, variants: [CHESS] };
    if let Some(engine) = known {
        let address = addresses.engine(engine.id.as_str());
        match http.ask(Method::PUT, &address, token, Some(&form), REQUEST).await {
            // It was deleted meanwhile.
            Err(error) if error.status() == Some(404) => {}
            result => return result.map(drop),
        }
    }
    http.ask(Method::POST, &all, token, Some(&form), REQUEST).await.map(drop)
}
