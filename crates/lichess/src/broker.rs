//! Lichess as seen by the provider: the site, where the engine is registered, and the broker, which
//! hands out work.

use std::future::Future;

use hyper::Method;
use tokio::sync::mpsc;

use super::api::{
    Acquire, Addresses, BoardJob, CHESS, Engine, EngineForm, LichessId, POLL, REQUEST, Registration,
};
use super::error::LichessError;
use super::http::Http;

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
        let reply = self.http.ask((Method::POST, &address), None, Some(&poll), POLL).await?;
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
    let list = http.ask((Method::GET, &all), token, none, REQUEST).await?;
    let known = list.json::<Vec<Engine>>()?.into_iter().find(|engine| engine.name == what.name);
    let form = EngineForm { registration: what, variants: [CHESS] };
    if let Some(engine) = known {
        let address = addresses.engine(engine.id.as_str());
        match http.ask((Method::PUT, &address), token, Some(&form), REQUEST).await {
            // It was deleted meanwhile.
            Err(error) if error.status() == Some(404) => {}
            result => return result.map(drop),
        }
    }
    http.ask((Method::POST, &all), token, Some(&form), REQUEST).await.map(drop)
}
