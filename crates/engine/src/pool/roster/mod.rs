//! Assigns searches: the rules of the pool, without a thread or clock.
//!
//! A *slot* is a place for one engine process, a *source* a command line with its slots.
//!
//! - **A search that failed** goes before new ones, to another machine if one is up: a slot may
//!   have it if no slot that is up has fewer failures of this search at its source, or as few there
//!   and fewer of its own. After three failures, each of a process of its own, it is given up.
//! - **A slot whose engine failed** pauses before it starts another; the pause doubles with each
//!   failure in a row.
//! - **A slot that failed at three different searches in a row** while others answered is retired
//!   for a long rest, unless no other slot is up. The first failure after its rest retires it again;
//!   an answer makes it a slot like any other. The rest ends early if no other slot is up.
//! - **A start that failed** is the source's failure: a connection is down, or a machine. One slot
//!   of it at a time tries again, after the doubling pause, even without work for it. After six
//!   failures in a row the source counts as down; when all are, all waiting searches fail.
//! - **When the last engine is lost**, every source is tried at once, with six starts each.
//!
//! A slot is *up* if it has an engine, or could start one: it is not retired, and its source's last
//! start did not fail.

mod slots;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, TryRecvError};

use slots::{CommandLine, EngineSlot, SlotState};

use crate::Settings;
use crate::engines::LongSearch;
use deepanalyze_core::search::{Limit, Search};

/// Failed processes that end a search.
pub(super) const ATTEMPTS: usize = 3;

/// A search with its history.
#[derive(Debug)]
pub(super) struct PoolJob {
    pub(super) ticket: u64,
    pub(super) search: Search,
    pub(super) limit: Limit,
    pub(super) keep_hash: bool,
    /// The long search, if it is one.
    pub(super) long: Option<Arc<LongSearch>>,
    /// Disconnects once no longer wanted.
    pub(super) abandoned: Receiver<Infallible>,
    /// The slots that failed at it, in order.
    pub(super) failures: Vec<usize>,
    /// True if one of them failed with an excluded move that came back.
    pub(super) came_back: bool,
    /// How many of them hung at it, with `searchmoves`.
    pub(super) hangs: u8,
}

impl PoolJob {
    /// True if no longer wanted.
    pub(super) fn is_abandoned(&self) -> bool {
        self.abandoned.try_recv() == Err(TryRecvError::Disconnected)
    }
}

/// A slot's next task.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and it is moved once")]
pub(super) enum SlotTask {
    /// Make this search.
    Serve(PoolJob),
    /// Start its engine.
    Start,
    /// Wait until something changes or that moment comes.
    Wait(Option<Instant>),
}

/// Outcome of a failure, for its search and slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AfterFailure {
    /// True if the search is given up.
    pub(super) given_up: bool,
    /// The number of searches failed at, if the slot is now retired.
    pub(super) retired: Option<usize>,
}

/// Outcome of a failed start for its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotStarted {
    /// Number of failures in a row.
    pub(super) attempt: u32,
    /// True if the source is down, for the first time in this row, while other engines work.
    pub(super) down: bool,
    /// True if no engine works or can be started: waiting searches fail.
    pub(super) hopeless: bool,
}

/// The waiting searches, and the slots.
#[derive(Debug)]
pub(super) struct Roster {
    retries: VecDeque<PoolJob>,
    fresh: VecDeque<PoolJob>,
    slots: Vec<EngineSlot>,
    sources: Vec<CommandLine>,
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
            slots: firsts.chain(others).map(EngineSlot::new).collect(),
            sources: settings.sources.iter().map(|_| CommandLine::default()).collect(),
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
    pub(super) fn submit(&mut self, job: PoolJob) {
        self.fresh.push_back(job);
    }

    /// Takes all waiting searches.
    pub(super) fn withdraw(&mut self) -> Vec<PoolJob> {
        self.retries.drain(..).chain(self.fresh.drain(..)).collect()
    }

    /// Removes a search, if it waits.
    pub(super) fn forget(&mut self, ticket: u64) {
        self.retries.retain(|job| job.ticket != ticket);
        self.fresh.retain(|job| job.ticket != ticket);
    }

    /// Frees a slot; its search was abandoned.
    pub(super) fn freed(&mut self, number: usize) {
        self.set(number, SlotState::Idle);
    }

    /// Waiting searches.
    pub(super) fn waiting(&self) -> usize {
        self.retries.len() + self.fresh.len()
    }

    /// Slots that search.
    pub(super) fn busy(&self) -> usize {
        self.slots.iter().filter(|slot| slot.state == SlotState::Busy).count()
    }

    /// Slots with an engine.
    pub(super) fn running(&self) -> usize {
        self.slots.iter().filter(|slot| slot.has_engine()).count()
    }

    /// Slots that are up.
    pub(super) fn up(&self) -> usize {
        (0..self.slots.len()).filter(|slot| self.is_up(*slot)).count()
    }

    /// A slot's next task. A slot that is to start or to serve counts as doing so.
    pub(super) fn step(&mut self, number: usize, now: Instant) -> SlotTask {
        match self.slots.get(number).map(|slot| slot.state) {
            Some(SlotState::Idle) => match self.take(number) {
                Some(job) => {
                    self.set(number, SlotState::Busy);
                    SlotTask::Serve(job)
                }
                None => SlotTask::Wait(None),
            },
            Some(SlotState::Cold) => {
                self.end_rest(number, now);
                match self.start_at(number, now) {
                    Some(at) if at <= now => {
                        self.set(number, SlotState::Starting);
                        SlotTask::Start
                    }
                    at => SlotTask::Wait(at),
                }
            }
            _ => SlotTask::Wait(None),
        }
    }

    fn set(&mut self, number: usize, state: SlotState) {
        if let Some(slot) = self.slots.get_mut(number) {
            slot.state = state;
        }
    }

    fn take(&mut self, number: usize) -> Option<PoolJob> {
        let retry = self.retries.iter().position(|job| self.may_have(number, job));
        match retry {
            Some(index) => self.retries.remove(index),
            None => self.fresh.pop_front(),
        }
    }

    /// Ends the rest of a retired slot when it is due, or when no other slot is up.
    fn end_rest(&mut self, number: usize, now: Instant) {
        let alone = !self.another_is_up(number);
        let over = |slot: &EngineSlot| slot.rests_until.is_none_or(|until| until <= now);
        let slot = self.slots.get_mut(number).filter(|slot| slot.rests());
        if let Some(slot) = slot.filter(|slot| alone || over(slot)) {
            slot.end_rest();
        }
    }

    /// Records a slot's engine. Returns its source if that could not start one before.
    pub(super) fn started(&mut self, number: usize) -> Option<usize> {
        let slot = self.slots.get_mut(number)?;
        slot.state = SlotState::Idle;
        self.sources.get_mut(slot.source)?.started().then_some(slot.source)
    }

    /// Notes a failed start.
    pub(super) fn not_started(&mut self, number: usize, now: Instant) -> NotStarted {
        self.set(number, SlotState::Cold);
        let others_work = self.running() > 0;
        let backoff = self.backoff;
        let source = self.source_of(number).and_then(|source| self.sources.get_mut(source));
        let Some(source) = source else {
            return NotStarted { attempt: 0, down: false, hopeless: false };
        };
        let down = source.not_started(now, backoff) && others_work;
        let attempt = source.failed_starts;
        let none_starts = self.sources.iter().all(CommandLine::is_down);
        let starting = self.slots.iter().any(|slot| slot.state == SlotState::Starting);
        NotStarted { attempt, down, hopeless: none_starts && !others_work && !starting }
    }

    /// Notes an answer. Returns the slot's source if retired before.
    pub(super) fn answered(&mut self, number: usize) -> Option<usize> {
        self.answers += 1;
        let slot = self.slots.get_mut(number)?;
        slot.answered().then_some(slot.source)
    }

    /// Notes an engine's death by a search.
    pub(super) fn failed(
        &mut self,
        number: usize,
        mut job: PoolJob,
        now: Instant,
    ) -> (AfterFailure, PoolJob) {
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
        (AfterFailure { given_up: job.failures.len() >= ATTEMPTS, retired }, job)
    }

    /// Records the loss of a slot's engine other than by failing at a search.
    pub(super) fn lost(&mut self, number: usize, now: Instant) {
        let backoff = self.backoff;
        if let Some(slot) = self.slots.get_mut(number) {
            slot.lost(now, backoff);
        }
        self.lost_one();
    }

    /// Puts a search to the front.
    pub(super) fn retry(&mut self, job: PoolJob) {
        self.retries.push_front(job);
    }

    fn lost_one(&mut self) {
        if self.running() == 0 {
            self.sources.iter_mut().for_each(CommandLine::hurry);
        }
    }

    /// May a slot have a search? See the rules.
    fn may_have(&self, number: usize, job: &PoolJob) -> bool {
        let mine = self.failures_near(number, job);
        // None has fewer: skip the scan of all slots, which adds up where hundreds fail at once.
        if mine.1 == 0 && (mine.0 == 0 || self.sources.len() == 1) {
            return true;
        }
        let mut others = (0..self.slots.len()).filter(|other| self.is_up(*other));
        others.all(|other| self.failures_near(other, job) >= mine)
    }

    /// Failures of a search at a slot's source, and at the slot.
    fn failures_near(&self, number: usize, job: &PoolJob) -> (usize, usize) {
        let source = self.source_of(number);
        let failed = |slot: &&usize| self.source_of(**slot) == source;
        let at_source = job.failures.iter().filter(failed).count();
        (at_source, job.failures.iter().filter(|slot| **slot == number).count())
    }

    fn source_of(&self, number: usize) -> Option<usize> {
        self.slots.get(number).map(|slot| slot.source)
    }

    fn is_up(&self, number: usize) -> bool {
        self.slots.get(number).is_some_and(|slot| {
            let starts = self.sources.get(slot.source).is_some_and(CommandLine::starts);
            !slot.rests() && (slot.has_engine() || starts)
        })
    }

    fn another_is_up(&self, number: usize) -> bool {
        (0..self.slots.len()).any(|other| other != number && self.is_up(other))
    }

    /// When a slot without an engine is to consider starting one; `None` if no search needs it. A
    /// source whose start failed is tried even if it is not needed: until it starts, it does not
    /// count as up.
    fn start_at(&self, number: usize, now: Instant) -> Option<Instant> {
        let slot = self.slots.get(number)?;
        if slot.rests() {
            return slot.rests_until;
        }
        let source = self.sources.get(slot.source)?;
        let tries =
            |other: &EngineSlot| other.source == slot.source && other.state == SlotState::Starting;
        let waits =
            if source.starts() { !self.needs(number) } else { self.slots.iter().any(tries) };
        if waits {
            return None;
        }
        let rested = slot.rests_until.unwrap_or(now);
        Some(rested.max(source.tries_at.unwrap_or(now)))
    }

    /// True if a search for this slot will not be taken by slots with engines: they are busy, or
    /// may not have it.
    fn needs(&self, number: usize) -> bool {
        let mine = |job: &&PoolJob| self.may_have(number, job);
        let wanted = self.retries.iter().filter(mine).count() + self.fresh.len();
        wanted > 0 && self.waiting() > (0..self.slots.len()).filter(|n| self.is_free(*n)).count()
    }

    /// True if a slot is free, or soon will be, and may have all waiting searches.
    fn is_free(&self, number: usize) -> bool {
        self.slots.get(number).is_some_and(|slot| match slot.state {
            SlotState::Idle => true,
            SlotState::Starting => self.sources.get(slot.source).is_some_and(CommandLine::starts),
            SlotState::Cold | SlotState::Busy => false,
        }) && self.retries.iter().all(|job| self.may_have(number, job))
    }
}
