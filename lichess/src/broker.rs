//! Who hands out work, as the provider knows them.

use std::future::Future;

use hyper::Method;
use tokio::sync::mpsc;

use super::api::{Acquire, Addresses, Id, Job, POLL};
use super::error::LichessError;
use super::http::Http;

/// Blocks of lines, for as long as the answer lasts.
pub type Lines = mpsc::Receiver<String>;

/// Hands out work and takes the answers.
pub trait Broker: Send + Sync + 'static {
    /// Waits for work for a while; nothing where there was none.
    fn acquire(&self) -> impl Future<Output = Result<Option<Job>, LichessError>> + Send;

    /// Answers a job, until the lines end or the broker has enough.
    fn answer(
        &self,
        job: &Id,
        lines: Lines,
    ) -> impl Future<Output = Result<(), LichessError>> + Send;
}

/// The one of Lichess.
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
    async fn acquire(&self) -> Result<Option<Job>, LichessError> {
        let poll = Acquire { provider_secret: &self.secret };
        let address = self.addresses.work();
        let reply = self.http.ask((Method::POST, &address), None, Some(&poll), POLL).await?;
        if reply.status() == 200 { reply.json().map(Some) } else { Ok(None) }
    }

    async fn answer(&self, job: &Id, lines: Lines) -> Result<(), LichessError> {
        self.http.stream(&self.addresses.answer(job.as_str()), lines).await.map(drop)
    }
}
