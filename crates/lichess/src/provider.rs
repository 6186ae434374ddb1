//! The provider: asks the broker for work, and does it in jobs.

use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::Sender;
use tokio::select;
use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use deepanalyze_core::chess::Game;
use deepanalyze_runner::session::Report;
use deepanalyze_view::{count, describe_root};

use crate::api::{BoardWork, LichessId, REQUEST};
use crate::feed::feed;
use crate::question::{BoardQuestion, JobRefusal};

use super::api::{BETWEEN_POLLS, BoardJob};
use super::error::LichessError;
use super::http::Broker;

/// Pause between jobs, if a broker hands them out without end.
const BETWEEN_JOBS: Duration = Duration::from_millis(20);
/// The wait after the first failure.
const FIRST: Duration = Duration::from_secs(1);
/// The longest of the doubling waits.
const LONGEST: Duration = Duration::from_secs(60);
/// The longest wait that a server may ask for.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Asks the broker for work, and does it, until told to end; work under way is left then.
///
/// # Errors
///
/// If the broker refuses for good.
pub async fn provide<B: Broker>(
    means: Means<B>,
    end: impl Future<Output = ()>,
) -> Result<(), LichessError> {
    let means = Arc::new(means);
    let (sender, mut jobs) = mpsc::channel(1);
    // Never interrupted: a job already handed out would be lost.
    let mut poll = pin!(poll(&means.broker, &means.say, sender));
    let mut end = pin!(end);
    let mut working = Working::new(Arc::clone(&means));
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

/// Asks for work again and again.
async fn poll(
    broker: &impl Broker,
    say: &Say,
    jobs: mpsc::Sender<BoardJob>,
) -> Result<Infallible, LichessError> {
    let mut troubles = Troubles::new(say);
    loop {
        let began = Instant::now();
        let acquired = broker.acquire().await;
        match acquired {
            Ok(job) => {
                troubles.are_over();
                let pause = if job.is_some() { BETWEEN_JOBS } else { BETWEEN_POLLS };
                if let Some(job) = job {
                    // The receiver lives as long as this loop.
                    let _ = jobs.send(job).await;
                }
                sleep_until(began + pause).await;
            }
            Err(error) if error.may_pass() => sleep(troubles.come(&error)).await,
            Err(error) => return Err(error),
        }
    }
}

/// Retries an action that may fail for a while until it succeeds or fails for good.
///
/// # Errors
///
/// If it fails for good.
pub async fn patiently<T, F: Future<Output = Result<T, LichessError>>>(
    say: &Say,
    mut attempt: impl FnMut() -> F,
) -> Result<T, LichessError> {
    let mut troubles = Troubles::new(say);
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

/// Failures in a row, and the waits after them; each kind is reported once.
struct Troubles<'a> {
    failures: u32,
    told: Option<LichessError>,
    say: &'a Say,
}

impl Troubles<'_> {
    fn new(say: &Say) -> Troubles<'_> {
        Troubles { failures: 0, told: None, say }
    }

    /// Adds one; returns the wait.
    fn come(&mut self, error: &LichessError) -> Duration {
        let wait = wait(self.failures, error.wants_rest(), random_share());
        self.failures = self.failures.saturating_add(1);
        if self.told.as_ref() != Some(error) {
            (self.say)(format!("{error}; trying again in {} s", wait.as_secs().max(1)));
            self.told = Some(error.clone());
        }
        wait
    }

    fn are_over(&mut self) {
        if std::mem::take(&mut self.failures) > 0 {
            self.told = None;
            (self.say)("Lichess answers again".to_owned());
        }
    }
}

/// The wait after this many earlier failures: clients that fail together should not return
/// together, so a share (0 to 1) of its second half is left out. At least the wait asked for.
fn wait(failures: u32, wanted: Option<Duration>, share: f64) -> Duration {
    let whole = LONGEST.min(FIRST.saturating_mul(1_u32.checked_shl(failures).unwrap_or(u32::MAX)));
    let own = whole.mul_f64(1.0 - share.clamp(0.0, 1.0) / 2.0);
    match wanted {
        // All were told this wait.
        Some(wanted) => (wanted.min(PATIENCE) + FIRST.mul_f64(share)).max(own),
        None => own,
    }
}

fn random_share() -> f64 {
    // Without randomness all return together, which does this one no harm.
    getrandom::u32().map_or(0.0, |random| f64::from(random) / f64::from(u32::MAX))
}

/// The most at once; one more ends the oldest.
const MOST: usize = 4;
/// Time after which a user has not merely passed a position.
pub const STAY: Duration = Duration::from_secs(5);

/// Receives messages for the user.
pub type Say = Arc<dyn Fn(String) + Send + Sync>;

/// Begins a position, without blocking. Returns the reason if it cannot. Several may be analysed at
/// once.
pub type Analyse = Box<dyn Fn(&BoardQuestion) -> Result<BoardAnalysis, String> + Send + Sync>;

/// A position under analysis. Dropping it ends the analysis.
pub struct BoardAnalysis {
    /// The newest report, `None` at first. It ends when nothing is left to find.
    pub reports: watch::Receiver<Option<Arc<Report>>>,
    /// Ends the analysis when dropped.
    pub _stop: Box<dyn Send>,
}

/// Every job's means.
pub struct Means<B> {
    /// Hands out the jobs.
    pub broker: B,
    /// Analyses their positions.
    pub analyse: Analyse,
    /// Receives messages.
    pub say: Say,
    /// Receives positions at which users stay.
    pub stayed: Option<Sender<Game>>,
}

/// Jobs under way; dropping this ends them.
pub struct Working<B> {
    means: Arc<Means<B>>,
    tasks: JoinSet<()>,
    /// The oldest first.
    sessions: Vec<(String, AbortHandle)>,
}

impl<B: Broker> Working<B> {
    pub fn new(means: Arc<Means<B>>) -> Working<B> {
        Working { means, tasks: JoinSet::new(), sessions: Vec::new() }
    }

    /// Begins a job. It ends an earlier one of its board, and the oldest if too many.
    pub fn begin(&mut self, job: BoardJob) {
        let BoardJob { id, work } = job;
        let means = Arc::clone(&self.means);
        let work: BoardWork = match serde_json::from_value(work) {
            Ok(work) => work,
            Err(error) => {
                self.tasks.spawn(async move { means.refuse(&id, error.into()).await });
                return;
            }
        };
        let session = work.session_id.clone();
        self.make_room(&session);
        let task = self.tasks.spawn(async move { means.work(&id, &work).await });
        self.sessions.push((session, task));
    }

    /// Waits for the end of a job; `None` without any.
    pub async fn ended(&mut self) -> Option<()> {
        if let Err(error) = self.tasks.join_next().await?
            && error.is_panic()
        {
            tracing::error!(%error, "a job has failed");
        }
        self.sessions.retain(|(_, task)| !task.is_finished());
        Some(())
    }

    fn make_room(&mut self, session: &str) {
        self.sessions.retain(|(_, task)| !task.is_finished());
        let same = self.sessions.iter().position(|(other, _)| other == session);
        let surplus = (self.sessions.len() >= MOST).then_some(0);
        if let Some(place) = same.or(surplus) {
            self.sessions.remove(place).1.abort();
        }
    }
}

impl<B: Broker> Means<B> {
    async fn work(&self, id: &LichessId, work: &BoardWork) {
        let question = match BoardQuestion::of(work) {
            Ok(question) => question,
            Err(refusal) => return self.refuse(id, refusal).await,
        };
        let analysis = match (self.analyse)(&question) {
            Ok(analysis) => analysis,
            Err(why) => return self.refuse(id, JobRefusal::Failed(why)).await,
        };
        let lines = count(u64::from(question.lines), "line");
        (self.say)(format!("analysing {}, {lines}", describe_root(&question.game)));
        let (pieces, blocks) = mpsc::channel(1);
        let mut answer = std::pin::pin!(self.broker.answer(id, blocks));
        let result = select! {
            result = &mut answer => result,
            () = feed(analysis, &question, pieces) => {
                timeout(REQUEST, answer).await.unwrap_or(Ok(()))
            }
            () = self.stay(&question) => Ok(()),
        };
        self.say_of(result);
    }

    /// Notes a position at which the user stays; never returns.
    async fn stay(&self, question: &BoardQuestion) {
        if let Some(stayed) = &self.stayed {
            sleep(STAY).await;
            if stayed.try_send(question.game.clone()).is_err() {
                tracing::warn!("a position is not put on the agenda: too many wait");
            }
        }
        std::future::pending().await
    }

    /// Answers a job that cannot be done, to end its wait.
    async fn refuse(&self, id: &LichessId, refusal: JobRefusal) {
        (self.say)(format!("not analysed: {refusal}"));
        let (_, nothing) = mpsc::channel(1);
        if let Ok(result) = timeout(REQUEST, self.broker.answer(id, nothing)).await {
            self.say_of(result);
        }
    }

    /// A user who has left is no news, whether seen by a status or by a closed connection.
    fn say_of(&self, result: Result<(), LichessError>) {
        match result {
            Ok(()) | Err(LichessError::Unreachable { .. }) => {}
            Err(error) if error.status() == Some(404) => {}
            Err(error) => (self.say)(format!("what was found was not taken: {error}")),
        }
    }
}

#[cfg(test)]
mod tests;
