//! What the pool and its workers share: the queue, the counters, and what was learned.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::deadline::Experience;
use super::error::{EngineError, Reason};
use super::pool::{Event, Settings};
use super::process::Stop;
use super::profile::Limit;
use super::program::Program;
use super::search::Search;
use crate::chess::epd_of;

/// A position on which so many engine processes failed is given up.
const ATTEMPTS: u32 = 3;

/// A search with its history.
pub(super) struct Job {
    pub(super) ticket: u64,
    pub(super) search: Search,
    pub(super) limit: Limit,
    pub(super) keep_hash: bool,
    /// Failures so far.
    pub(super) failures: u32,
    /// Whether one of them was an excluded move that came back.
    pub(super) came_back: bool,
}

/// What the pool has learned about its engine.
#[derive(Debug, Default)]
pub(super) struct Learned {
    pub(super) experience: Experience,
    /// Whether `searchmoves` was seen to be obeyed.
    pub(super) obeys_searchmoves: bool,
    /// Whether it was seen to be ignored: alternatives are searched with `MultiPV` from then on.
    pub(super) ignores_searchmoves: bool,
    /// Whether a search was seen to keep to its limit.
    pub(super) keeps_limit: bool,
}

impl Learned {
    /// Takes in an answered search.
    pub(super) fn answered(&mut self, time: Duration, by_searchmoves: bool) {
        let slowest = self.experience.slowest.unwrap_or_default().max(time);
        self.experience.slowest = Some(slowest);
        self.keeps_limit = true;
        self.obeys_searchmoves |= by_searchmoves;
    }
}

/// What all workers and the pool share.
pub(super) struct Shared {
    pub(super) settings: Settings,
    pub(super) program: Program,
    /// What every process must call itself.
    pub(super) name: String,
    /// Searches to be tried again come before new ones.
    pub(super) again: (Sender<Job>, Receiver<Job>),
    pub(super) queue: Receiver<Job>,
    pub(super) events: Sender<Event>,
    pub(super) stop: Stop,
    /// Engine processes.
    pub(super) running: AtomicUsize,
    /// Engines that search.
    pub(super) busy: AtomicUsize,
    /// Searches that wait.
    pub(super) waiting: AtomicUsize,
    /// Workers.
    pub(super) hired: AtomicUsize,
    /// Workers whose engine does not start any more.
    pub(super) down: AtomicUsize,
    learned: Mutex<Learned>,
}

impl Shared {
    pub(super) fn new(
        settings: Settings,
        program: Program,
        name: String,
        queue: Receiver<Job>,
        events: Sender<Event>,
        stop: Stop,
    ) -> Shared {
        Shared {
            settings,
            program,
            name,
            again: unbounded(),
            queue,
            events,
            stop,
            running: AtomicUsize::new(0),
            busy: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            hired: AtomicUsize::new(0),
            down: AtomicUsize::new(0),
            learned: Mutex::default(),
        }
    }

    /// What was learned so far.
    pub(super) fn learned(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the session; nobody listens where the pool is being dropped.
    pub(super) fn tell(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// Whether no engine starts any more.
    pub(super) fn all_down(&self) -> bool {
        self.down.load(SeqCst) >= self.hired.load(SeqCst)
    }

    /// Takes every search that waits out of the queue; gives their tickets.
    pub(super) fn withdraw(&self) -> Vec<u64> {
        let mut tickets = Vec::new();
        while let Ok(job) = self.again.1.try_recv().or_else(|_| self.queue.try_recv()) {
            self.waiting.fetch_sub(1, SeqCst);
            tickets.push(job.ticket);
        }
        tickets
    }

    /// Fails every search that waits.
    pub(super) fn fail_all(&self, error: &EngineError) {
        for ticket in self.withdraw() {
            let error = error.clone();
            self.tell(Event::Failed { ticket, error });
        }
    }

    /// Puts a search that failed back to the front, or gives it up.
    pub(super) fn failed(&self, mut job: Job, error: EngineError) {
        job.failures += 1;
        let (ticket, attempt) = (job.ticket, job.failures);
        tracing::warn!(ticket, attempt, %error, fen = epd_of(&job.search.position), "fault");
        if attempt >= ATTEMPTS {
            let error = gave_up(&job, error);
            return self.tell(Event::Failed { ticket, error });
        }
        self.tell(Event::Fault { ticket: Some(ticket), error, attempt });
        self.requeue(job);
    }

    /// Puts a search to the front that its engine never came to: it had died while it was idle.
    pub(super) fn untouched(&self, job: Job, error: EngineError) {
        tracing::warn!(ticket = job.ticket, %error, "an idle engine was lost");
        self.tell(Event::Fault { ticket: None, error, attempt: 1 });
        self.requeue(job);
    }

    fn requeue(&self, job: Job) {
        self.waiting.fetch_add(1, SeqCst);
        // This struct has the receiver.
        let _ = self.again.0.send(job);
    }
}

fn gave_up(job: &Job, last: EngineError) -> EngineError {
    EngineError {
        engine: last.engine.clone(),
        reason: Reason::GaveUp {
            fen: format!("{} 0 1", epd_of(&job.search.position)),
            attempts: job.failures,
            last: Box::new(last),
        },
    }
}
