//! The provider: asks the broker for work, and does it.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::Sender;
use tokio::select;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

use deepanalyze_core::chess::Game;
use deepanalyze_report::{count, describe_root};

use super::analyst::Analyst;
use super::api::{BETWEEN_POLLS, Job};
use super::backoff::Backoff;
use super::broker::Broker;
use super::error::LichessError;
use super::question::{Question, Refusal};
use super::working::{Means, Working};

/// A broker that hands out work without end is asked no more often.
const BETWEEN_JOBS: Duration = Duration::from_millis(20);

/// What happens, for the user.
#[derive(Debug)]
pub enum Notice<'a> {
    /// Somebody looks at a position.
    Analysing(&'a Question),
    /// A job cannot be done.
    Refused(&'a Refusal),
    /// A position cannot be analysed now, and why.
    Failed(String),
    /// Lichess does not take what it is sent.
    NotTaken(&'a LichessError),
    /// Lichess does not answer; it is asked again after so long.
    Trouble(&'a LichessError, Duration),
    /// It answers again.
    Back,
}

/// For people.
impl fmt::Display for Notice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Analysing(question) => {
                let lines = count(u64::from(question.lines), "line");
                write!(f, "analysing {}, {lines}", describe_root(&question.game))
            }
            Notice::Refused(refusal) => write!(f, "not analysed: {refusal}"),
            Notice::Failed(why) => write!(f, "not analysed: {why}"),
            Notice::NotTaken(error) => write!(f, "what was found was not taken: {error}"),
            Notice::Trouble(error, wait) => {
                write!(f, "{error}; trying again in {} s", wait.as_secs().max(1))
            }
            Notice::Back => write!(f, "Lichess answers again"),
        }
    }
}

/// Who is told.
pub type Tell = Arc<dyn Fn(Notice<'_>) + Send + Sync>;

/// Asks the broker for work, and does it.
pub struct Provider<B, A> {
    means: Means<B, A>,
}

impl<B, A> fmt::Debug for Provider<B, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider").finish_non_exhaustive()
    }
}

impl<B: Broker, A: Analyst> Provider<B, A> {
    /// One that has done nothing yet. Games in whose positions somebody stays go to `stayed`.
    pub fn new(broker: B, analyst: A, tell: Tell, stayed: Option<Sender<Game>>) -> Provider<B, A> {
        let (broker, analyst) = (Arc::new(broker), Arc::new(analyst));
        Provider { means: Means { broker, analyst, tell, stayed } }
    }

    /// Works until it is told to end; what is under way is left then.
    ///
    /// # Errors
    ///
    /// Where the broker refuses for good.
    pub async fn run(self, end: impl Future<Output = ()>) -> Result<(), LichessError> {
        let (sender, mut jobs) = mpsc::channel(1);
        let means = self.means.clone();
        // Never broken off: a job that the broker has handed out would be lost.
        let mut poll = pin!(poll(&*means.broker, &means.tell, sender));
        let mut end = pin!(end);
        let mut working = Working::new(self.means);
        loop {
            select! {
                biased;
                () = &mut end => return Ok(()),
                Err(error) = &mut poll => return Err(error),
                Some(job) = jobs.recv() => working.begin(job),
                Some(()) = working.ended() => {}
            }
        }
    }
}

/// Asks for work again and again.
async fn poll(
    broker: &impl Broker,
    tell: &Tell,
    jobs: mpsc::Sender<Job>,
) -> Result<Infallible, LichessError> {
    let mut troubles = Troubles { backoff: Backoff::default(), told: None, tell };
    loop {
        let began = Instant::now();
        let acquired = broker.acquire().await;
        match acquired {
            Ok(job) => {
                troubles.are_over();
                let pause = if job.is_some() { BETWEEN_JOBS } else { BETWEEN_POLLS };
                if let Some(job) = job {
                    // The receiver lives as long as this does.
                    let _ = jobs.send(job).await;
                }
                sleep_until(began + pause).await;
            }
            Err(error) if error.may_pass() => sleep(troubles.come(&error)).await,
            Err(error) => return Err(error),
        }
    }
}

/// Does something that may fail for a while, again and again until it succeeds or fails for good.
///
/// # Errors
///
/// Where it fails for good.
pub async fn patiently<T, F: Future<Output = Result<T, LichessError>>>(
    tell: &Tell,
    mut attempt: impl FnMut() -> F,
) -> Result<T, LichessError> {
    let mut troubles = Troubles { backoff: Backoff::default(), told: None, tell };
    loop {
        match attempt().await {
            Err(error) if error.may_pass() => sleep(troubles.come(&error)).await,
            result => {
                troubles.are_over();
                return result;
            }
        }
    }
}

/// Failures in a row; each kind of them is told once.
struct Troubles<'a> {
    backoff: Backoff,
    told: Option<LichessError>,
    tell: &'a Tell,
}

impl Troubles<'_> {
    /// One more; says how long to wait.
    fn come(&mut self, error: &LichessError) -> Duration {
        let wait = self.backoff.failed(error.wants_rest());
        if self.told.as_ref() != Some(error) {
            (self.tell)(Notice::Trouble(error, wait));
            self.told = Some(error.clone());
        }
        wait
    }

    fn are_over(&mut self) {
        if self.backoff.succeeded() {
            self.told = None;
            (self.tell)(Notice::Back);
        }
    }
}

#[cfg(test)]
mod tests;
