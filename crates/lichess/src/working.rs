//! Jobs under way.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::Sender;
use tokio::select;
use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};

use deepanalyze_core::chess::Game;
use deepanalyze_runner::session::Report;
use deepanalyze_view::{count, describe_root};

use super::api::{BoardJob, BoardWork, LichessId, REQUEST};
use super::error::LichessError;
use super::feed::feed;
use super::http::Broker;
use super::question::{BoardQuestion, JobRefusal};

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
