//! State of the pool and its workers: the roster, and what was learned.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::Settings;
use crate::deadline::Experience;
use crate::engines::{Event, PoolNotice};
use crate::error::{EngineError, Reason};
use crate::instance::SearchFailure;
use crate::process::StopSignal;
use deepanalyze_core::chess::epd_of;
use deepanalyze_core::search::Answer;

use super::roster::{AfterFailure, PoolJob, Roster, SlotTask};
use super::startup::EngineIdentity;

/// The pool's knowledge of its engine.
#[derive(Debug, Default)]
pub(super) struct Learned {
    pub(super) experience: Experience,
    /// True if `searchmoves` was seen to be obeyed.
    pub(super) obeys_searchmoves: bool,
    /// True if it was seen to be ignored: alternatives are searched with `MultiPV` from then on.
    pub(super) ignores_searchmoves: bool,
    /// True if a search was seen to keep to its limit.
    pub(super) keeps_limit: bool,
}

impl Learned {
    /// Records an answered search.
    pub(super) fn answered(&mut self, answer: &Answer, by_searchmoves: bool) {
        self.experience.slowest = self.experience.slowest.max(Some(answer.time));
        self.keeps_limit = true;
        self.obeys_searchmoves |= by_searchmoves;
    }
}

/// State of the pool and workers.
pub(super) struct PoolShared {
    pub(super) settings: Settings,
    /// Every process's identity.
    pub(super) identity: EngineIdentity,
    pub(super) events: Sender<Event>,
    pub(super) stop: StopSignal,
    roster: Mutex<Roster>,
    /// Signals a change of the roster to waiting slots.
    changed: Condvar,
    learned: Mutex<Learned>,
    /// The wanted searches by ticket; dropping the sender stops the search.
    wanted: Mutex<HashMap<u64, Sender<Infallible>>>,
}

impl PoolShared {
    pub(super) fn new(
        settings: &Settings,
        identity: EngineIdentity,
        events: Sender<Event>,
        stop: StopSignal,
    ) -> PoolShared {
        PoolShared {
            settings: settings.clone(),
            identity,
            events,
            stop,
            roster: Mutex::new(Roster::new(settings)),
            changed: Condvar::new(),
            learned: Mutex::default(),
            wanted: Mutex::default(),
        }
    }

    /// Knowledge so far.
    pub(super) fn learned(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The wanted searches.
    fn wanted(&self) -> MutexGuard<'_, HashMap<u64, Sender<Infallible>>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks a search as wanted; the receiver disconnects when it no longer is.
    pub(super) fn want(&self, ticket: u64) -> Receiver<Infallible> {
        let (wanted, abandoned) = bounded(0);
        self.wanted().insert(ticket, wanted);
        abandoned
    }

    /// Cancels a search.
    pub(super) fn abandon(&self, ticket: u64) {
        self.wanted().remove(&ticket);
        self.roster().forget(ticket);
    }

    /// Removes waiting searches.
    pub(super) fn withdraw(&self) -> Vec<u64> {
        let jobs = self.roster().withdraw();
        let mut wanted = self.wanted();
        jobs.iter().for_each(|job| drop(wanted.remove(&job.ticket)));
        jobs.into_iter().map(|job| job.ticket).collect()
    }

    /// The waiting searches, and the slots.
    pub(super) fn roster(&self) -> MutexGuard<'_, Roster> {
        self.roster.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends to the run; ignored while the pool is dropped.
    pub(super) fn tell(&self, event: Event) {
        if let Event::Answered { ticket, .. } | Event::Failed { ticket, .. } = &event {
            self.wanted().remove(ticket);
        }
        let _ = self.events.send(event);
    }

    /// True if the pool is being shut down.
    fn stopped(&self) -> bool {
        self.stop.try_recv() == Err(crossbeam_channel::TryRecvError::Disconnected)
    }

    /// Wakes the waiting slots.
    pub(super) fn wake(&self) {
        // A slot that has just found nothing to do holds the roster until it waits.
        drop(self.roster());
        self.changed.notify_all();
    }

    /// Waits for a slot's next task; `None` if the pool stops.
    pub(super) fn next(&self, slot: usize) -> Option<SlotTask> {
        let mut roster = self.roster();
        loop {
            if self.stopped() {
                return None;
            }
            let now = Instant::now();
            let until = match roster.step(slot, now) {
                SlotTask::Wait(until) => until,
                step => return Some(step),
            };
            roster = match until.map(|until| until.saturating_duration_since(now)) {
                None => self.changed.wait(roster).unwrap_or_else(PoisonError::into_inner),
                Some(wait) => {
                    let waited = self.changed.wait_timeout(roster, wait);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Queues a new search.
    pub(super) fn submit(&self, job: PoolJob) {
        self.roster().submit(job);
        self.changed.notify_all();
    }

    /// Notes a slot's engine.
    pub(super) fn started(&self, slot: usize) {
        if let Some(source) = self.roster().started(slot) {
            self.tell_back(source);
        }
        self.changed.notify_all();
    }

    fn tell_back(&self, source: usize) {
        if let Some(source) = self.settings.sources.get(source) {
            self.tell(Event::Notice(PoolNotice::Back { command: source.command.clone() }));
        }
    }

    /// Notes a failed start. If none can start, waiting searches fail.
    pub(super) fn not_started(&self, slot: usize, error: &EngineError) {
        let mut roster = self.roster();
        let what = roster.not_started(slot, Instant::now());
        let lost = if what.hopeless { roster.withdraw() } else { Vec::new() };
        drop(roster);
        self.changed.notify_all();
        tracing::warn!(slot, attempt = what.attempt, %error, "an engine does not start");
        let (error, attempt) = (error.clone(), what.attempt);
        self.tell(Event::Fault { ticket: None, error: error.clone(), attempt });
        if what.down {
            let pause = Settings::LONGEST_BACKOFF;
            let error = error.clone();
            self.tell(Event::Notice(PoolNotice::Down { error, starts: attempt, pause }));
        }
        for job in lost {
            self.tell(Event::Failed { ticket: job.ticket, error: error.clone() });
        }
    }

    /// Ends a slot's search. Its engine is dead, unless it has answered or was stopped.
    pub(super) fn ended(&self, slot: usize, job: PoolJob, result: Result<Answer, SearchFailure>) {
        match result {
            Ok(answer) => return self.answered(slot, job.ticket, answer),
            Err(SearchFailure::Error(error)) if error.reason == Reason::Stopped => return,
            Err(SearchFailure::Abandoned) => self.roster().freed(slot),
            Err(_) if job.is_abandoned() => self.roster().lost(slot, Instant::now()),
            Err(SearchFailure::Hopeless(error)) => {
                self.roster().lost(slot, Instant::now());
                self.tell(Event::Failed { ticket: job.ticket, error });
            }
            Err(SearchFailure::Untouched(error)) => {
                tracing::warn!(slot, ticket = job.ticket, %error, "an idle engine was lost");
                let mut roster = self.roster();
                roster.lost(slot, Instant::now());
                self.tell(Event::Fault { ticket: None, error, attempt: 1 });
                roster.retry(job);
            }
            Err(
                SearchFailure::Hung(error)
                | SearchFailure::Excluded(error)
                | SearchFailure::Error(error),
            ) => self.failed(slot, job, error),
        }
        self.changed.notify_all();
    }

    fn answered(&self, slot: usize, ticket: u64, answer: Answer) {
        if let Some(source) = self.roster().answered(slot) {
            self.tell_back(source);
        }
        self.tell(Event::Answered { ticket, answer, worker: None });
    }

    /// Requeues the search an engine failed at, or gives it up.
    fn failed(&self, slot: usize, job: PoolJob, error: EngineError) {
        let mut roster = self.roster();
        let (what, job) = roster.failed(slot, job, Instant::now());
        let AfterFailure { given_up, retired } = what;
        let (ticket, fen) = (job.ticket, fen_of(&job));
        let attempt = u32::try_from(job.failures.len()).unwrap_or(u32::MAX);
        let (failure, position) = (error.to_string(), fen.clone());
        // Under the lock: the next engine's events of this search come later.
        if given_up {
            self.tell(Event::Failed { ticket, error: gave_up(fen, attempt, error.clone()) });
        } else {
            self.tell(Event::Fault { ticket: Some(ticket), error: error.clone(), attempt });
            roster.retry(job);
        }
        drop(roster);
        self.changed.notify_all();
        // Not under the lock, which the run takes as well: a log may be slow.
        tracing::warn!(slot, ticket, attempt, error = failure, fen = position, "fault");
        if let Some(searches) = retired {
            tracing::warn!(slot, searches, "retired");
            let rest = self.settings.rest;
            self.tell(Event::Notice(PoolNotice::Retired { error, searches, rest }));
        }
    }
}

/// The position as sent.
fn fen_of(job: &PoolJob) -> String {
    format!("{} 0 1", epd_of(&job.search.position))
}

fn gave_up(fen: String, attempts: u32, last: EngineError) -> EngineError {
    EngineError {
        engine: last.engine.clone(),
        command: None,
        reason: Reason::GaveUp { fen, attempts, last: Box::new(last) },
    }
}
