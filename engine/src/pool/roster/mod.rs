//! Who serves what: the rules of the pool, without a thread or a clock.
//!
//! A *slot* is a place for one engine process, a *source* a command line with its slots.
//!
//! - **A search that failed** goes in front of new ones, to another machine if one is up: a slot may
//!   have it if no slot that is up has fewer failures of this search at its source, or as few there
//!   and fewer of its own. After three failures, each of a process of its own, it is given up.
//! - **A slot whose engine failed** pauses before it starts another; the pause doubles with each
//!   failure in a row.
//! - **A slot that failed at three different searches in a row** while others answered is retired
//!   for a long rest, unless no other slot is up. The first failure after its rest retires it again;
//!   an answer makes it a slot like any other. The rest ends early where no other slot is up.
//! - **A start that failed** is the source's failure: a connection is down, or a machine. One slot
//!   of it at a time tries again, after the doubling pause, whether there is work for it or not. After
//!   six failures in a row the source counts as down; where all are, all that waits fails.
//! - **When the last engine is lost**, every source is tried at once, with six starts each.
//!
//! A slot is *up* if it has an engine, or could start one: it is not retired, and its source's last
//! start did not fail.

mod rules;
mod slot;
mod source;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crossbeam_channel::TryRecvError;

use slot::{Slot, State};
use source::Source;

use crate::pool::wanted::Abandoned;
use crate::settings::Settings;
use deepanalyze_core::search::{Limit, Search};

/// A search that so many engine processes failed at is given up.
pub(super) const ATTEMPTS: usize = 3;

/// A search with its history.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) ticket: u64,
    pub(super) search: Search,
    pub(super) limit: Limit,
    pub(super) keep_hash: bool,
    /// When nobody wants it any more.
    pub(super) abandoned: Abandoned,
    /// The slots that failed at it, in order.
    pub(super) failures: Vec<usize>,
    /// Whether one of them failed with an excluded move that came back.
    pub(super) came_back: bool,
    /// How many of them hung at it, made with `searchmoves`.
    pub(super) hangs: u8,
}

impl Job {
    /// Whether nobody wants it any more.
    pub(super) fn is_abandoned(&self) -> bool {
        self.abandoned.try_recv() == Err(TryRecvError::Disconnected)
    }
}

/// What a slot is to do now.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and it is moved once")]
pub(super) enum SlotTask {
    /// Make this search.
    Serve(Job),
    /// Start its engine.
    Start,
    /// Nothing, until something changes or that moment comes.
    Wait(Option<Instant>),
}

/// What becomes of a search that failed, and of its slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failed {
    /// Whether the search is given up.
    pub(super) given_up: bool,
    /// At how many searches the slot failed, where it is retired now.
    pub(super) retired: Option<usize>,
}

/// What becomes of a source whose engine did not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotStarted {
    /// Which failure in a row this is.
    pub(super) attempt: u32,
    /// Whether the source is down, for the first time in this row, while other engines work.
    pub(super) down: bool,
    /// Whether no engine works and none can be started: what waits is to fail.
    pub(super) hopeless: bool,
}

/// The searches that wait, and the slots.
#[derive(Debug)]
pub(super) struct Roster {
    retries: VecDeque<Job>,
    fresh: VecDeque<Job>,
    slots: Vec<Slot>,
    sources: Vec<Source>,
    /// Answers of all slots.
    answers: u64,
    backoff: Duration,
    rest: Duration,
}

impl Roster {
    /// All slots without an engine: the first of each source in front, then the others by source.
    pub(super) fn new(settings: &Settings) -> Roster {
        let counts = || settings.sources.iter().map(|source| source.engines.max(1)).enumerate();
        let firsts = counts().map(|(source, _)| source);
        let others = counts().flat_map(|(source, count)| std::iter::repeat_n(source, count - 1));
        Roster {
            retries: VecDeque::new(),
            fresh: VecDeque::new(),
            slots: firsts.chain(others).map(Slot::new).collect(),
            sources: settings.sources.iter().map(|_| Source::default()).collect(),
            answers: 0,
            backoff: settings.backoff,
            rest: settings.rest,
        }
    }

    /// The source of each slot.
    pub(super) fn sources_of_slots(&self) -> Vec<usize> {
        self.slots.iter().map(|slot| slot.source).collect()
    }

    /// Queues a new search.
    pub(super) fn submit(&mut self, job: Job) {
        self.fresh.push_back(job);
    }

    /// Takes all searches that wait.
    pub(super) fn withdraw(&mut self) -> Vec<Job> {
        self.retries.drain(..).chain(self.fresh.drain(..)).collect()
    }

    /// Forgets a search, if it waits.
    pub(super) fn forget(&mut self, ticket: u64) {
        self.retries.retain(|job| job.ticket != ticket);
        self.fresh.retain(|job| job.ticket != ticket);
    }

    /// A slot's search was abandoned, and its engine is free.
    pub(super) fn abandoned(&mut self, number: usize) {
        self.set(number, State::Idle);
    }

    /// How many searches wait.
    pub(super) fn waiting(&self) -> usize {
        self.retries.len() + self.fresh.len()
    }

    /// How many slots search.
    pub(super) fn busy(&self) -> usize {
        self.slots.iter().filter(|slot| slot.state == State::Busy).count()
    }

    /// How many slots have an engine.
    pub(super) fn running(&self) -> usize {
        self.slots.iter().filter(|slot| slot.has_engine()).count()
    }

    /// How many slots are up.
    pub(super) fn up(&self) -> usize {
        (0..self.slots.len()).filter(|slot| self.is_up(*slot)).count()
    }

    /// What a slot is to do now. A slot that is to start or to serve counts as doing so.
    pub(super) fn step(&mut self, number: usize, now: Instant) -> SlotTask {
        match self.slots.get(number).map(|slot| slot.state) {
            Some(State::Idle) => match self.take(number) {
                Some(job) => {
                    self.set(number, State::Busy);
                    SlotTask::Serve(job)
                }
                None => SlotTask::Wait(None),
            },
            Some(State::Cold) => {
                self.end_rest(number, now);
                match self.start_at(number, now) {
                    Some(at) if at <= now => {
                        self.set(number, State::Starting);
                        SlotTask::Start
                    }
                    at => SlotTask::Wait(at),
                }
            }
            _ => SlotTask::Wait(None),
        }
    }

    fn set(&mut self, number: usize, state: State) {
        if let Some(slot) = self.slots.get_mut(number) {
            slot.state = state;
        }
    }

    fn take(&mut self, number: usize) -> Option<Job> {
        let retry = self.retries.iter().position(|job| self.may_have(number, job));
        match retry {
            Some(index) => self.retries.remove(index),
            None => self.fresh.pop_front(),
        }
    }

    /// Ends the rest of a retired slot when its time is over, or when no other is up.
    fn end_rest(&mut self, number: usize, now: Instant) {
        let alone = !self.another_is_up(number);
        let over = |slot: &Slot| slot.rests_until.is_none_or(|until| until <= now);
        let slot = self.slots.get_mut(number).filter(|slot| slot.rests());
        if let Some(slot) = slot.filter(|slot| alone || over(slot)) {
            slot.end_rest();
        }
    }

    /// A slot has its engine. `true` where its source could not start one before.
    pub(super) fn started(&mut self, number: usize) -> bool {
        let Some(slot) = self.slots.get_mut(number) else {
            return false;
        };
        slot.state = State::Idle;
        self.sources.get_mut(slot.source).is_some_and(Source::started)
    }

    /// A slot's engine did not start.
    pub(super) fn not_started(&mut self, number: usize, now: Instant) -> NotStarted {
        self.set(number, State::Cold);
        let others_work = self.running() > 0;
        let backoff = self.backoff;
        let source = self.source_of(number).and_then(|source| self.sources.get_mut(source));
        let Some(source) = source else {
            return NotStarted { attempt: 0, down: false, hopeless: false };
        };
        let down = source.not_started(now, backoff) && others_work;
        let attempt = source.failed_starts;
        let none_starts = self.sources.iter().all(Source::is_down);
        let starting = self.slots.iter().any(|slot| slot.state == State::Starting);
        NotStarted { attempt, down, hopeless: none_starts && !others_work && !starting }
    }

    /// A slot has answered. `true` where it was retired before.
    pub(super) fn answered(&mut self, number: usize) -> bool {
        self.answers += 1;
        self.slots.get_mut(number).is_some_and(Slot::answered)
    }

    /// A slot's engine failed at a search, and is dead.
    pub(super) fn failed(&mut self, number: usize, mut job: Job, now: Instant) -> (Failed, Job) {
        job.failures.push(number);
        let (answers, backoff, rest) = (self.answers, self.backoff, self.rest);
        let others = self.another_is_up(number);
        let retired = self.slots.get_mut(number).and_then(|slot| {
            slot.lost(now, backoff);
            slot.failed(job.ticket, answers);
            let retires = others && slot.deserves_rest(answers);
            retires.then(|| slot.retire(now + rest))
        });
        self.lost_one();
        (Failed { given_up: job.failures.len() >= ATTEMPTS, retired }, job)
    }

    /// A slot's engine is dead for another reason: the slot has not failed at a search.
    pub(super) fn lost(&mut self, number: usize, now: Instant) {
        let backoff = self.backoff;
        if let Some(slot) = self.slots.get_mut(number) {
            slot.lost(now, backoff);
        }
        self.lost_one();
    }

    /// Puts a search to the front.
    pub(super) fn retry(&mut self, job: Job) {
        self.retries.push_front(job);
    }

    fn lost_one(&mut self) {
        if self.running() == 0 {
            self.sources.iter_mut().for_each(Source::hurry);
        }
    }
}
