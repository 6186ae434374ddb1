//! The jobs that are under way.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::Sender;
use tokio::select;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};

use deepanalyze_core::chess::Game;

use super::analyst::Analyst;
use super::api::{Id, Job, REQUEST, Work};
use super::broker::Broker;
use super::error::LichessError;
use super::feed::feed;
use super::provider::{Notice, Tell};
use super::question::{Goal, Question};

/// The most at a time; one more ends the oldest.
const MOST: usize = 4;
/// Whoever looks at a position for so long has not merely passed it.
pub const STAY: Duration = Duration::from_secs(5);

/// What every job needs.
pub struct Means<B, A> {
    pub broker: Arc<B>,
    pub analyst: Arc<A>,
    pub tell: Tell,
    /// Gets the positions that somebody stays at.
    pub stayed: Option<Sender<Game>>,
}

impl<B, A> Clone for Means<B, A> {
    fn clone(&self) -> Means<B, A> {
        Means {
            broker: Arc::clone(&self.broker),
            analyst: Arc::clone(&self.analyst),
            tell: Arc::clone(&self.tell),
            stayed: self.stayed.clone(),
        }
    }
}

/// The jobs that are under way; they end when it goes.
pub struct Working<B, A> {
    means: Means<B, A>,
    tasks: JoinSet<()>,
    /// The oldest first.
    sessions: Vec<(String, AbortHandle)>,
}

impl<B: Broker, A: Analyst> Working<B, A> {
    pub fn new(means: Means<B, A>) -> Working<B, A> {
        Working { means, tasks: JoinSet::new(), sessions: Vec::new() }
    }

    /// Begins a job. Whoever asked before on the same board looks at this position now.
    pub fn begin(&mut self, job: Job) {
        let Job { id, work } = job;
        let means = self.means.clone();
        let work: Work = match serde_json::from_value(work) {
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

    /// Waits for the end of a job; nothing where there is none.
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

impl<B: Broker, A: Analyst> Means<B, A> {
    async fn work(self, id: &Id, work: &Work) {
        let question = match Question::of(work) {
            Ok(question) => question,
            Err(refusal) => return self.refuse(id, refusal).await,
        };
        let analysing = match self.analyst.begin(&question) {
            Ok(analysing) => analysing,
            Err(why) => {
                (self.tell)(Notice::Failed(why));
                return self.answer_nothing(id).await;
            }
        };
        (self.tell)(Notice::Analysing(&question));
        let (pieces, lines) = mpsc::channel(1);
        let mut answer = std::pin::pin!(self.broker.answer(id, lines));
        let result = select! {
            result = &mut answer => result,
            () = feed(analysing, &question, Goal::of(work), pieces) => {
                timeout(REQUEST, answer).await.unwrap_or(Ok(()))
            }
            () = self.stay(&question) => Ok(()),
        };
        self.tell_of(result);
    }

    /// Notes a position at which somebody stays; never comes back.
    async fn stay(&self, question: &Question) {
        if let Some(stayed) = &self.stayed {
            sleep(STAY).await;
            if stayed.try_send(question.game.clone()).is_err() {
                tracing::warn!("a position is not put on the agenda: too many wait");
            }
        }
        std::future::pending().await
    }

    /// Answers a job that cannot be done, so that nobody waits for it.
    async fn refuse(self, id: &Id, refusal: super::Refusal) {
        (self.tell)(Notice::Refused(&refusal));
        self.answer_nothing(id).await;
    }

    async fn answer_nothing(&self, id: &Id) {
        let (_, lines) = mpsc::channel(1);
        if let Ok(result) = timeout(REQUEST, self.broker.answer(id, lines)).await {
            self.tell_of(result);
        }
    }

    /// That nobody looks any more is no news, be it said by a number or by a connection that is closed.
    fn tell_of(&self, result: Result<(), LichessError>) {
        match result {
            Ok(()) | Err(LichessError::Unreachable { .. }) => {}
            Err(error) if error.status() == Some(404) => {}
            Err(error) => (self.tell)(Notice::NotTaken(&error)),
        }
    }
}
