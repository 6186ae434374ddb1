//! Who may have which search, and who is to start an engine.

use std::time::Instant;

use super::slot::{Slot, State};
use super::source::Source;
use super::{Job, Roster};

impl Roster {
    /// Whether a slot may have a search: see the rules.
    pub(super) fn may_have(&self, number: usize, job: &Job) -> bool {
        let mine = self.failures_near(number, job);
        // Nobody has fewer: no need to look at every slot, which adds up where hundreds fail at once.
        if mine.1 == 0 && (mine.0 == 0 || self.sources.len() == 1) {
            return true;
        }
        let mut others = (0..self.slots.len()).filter(|other| self.is_up(*other));
        others.all(|other| self.failures_near(other, job) >= mine)
    }

    /// How often a search failed at a slot's source, and at the slot.
    fn failures_near(&self, number: usize, job: &Job) -> (usize, usize) {
        let source = self.source_of(number);
        let failed = |slot: &&usize| self.source_of(**slot) == source;
        let at_source = job.failures.iter().filter(failed).count();
        (at_source, job.failures.iter().filter(|slot| **slot == number).count())
    }

    pub(super) fn source_of(&self, number: usize) -> Option<usize> {
        self.slots.get(number).map(|slot| slot.source)
    }

    pub(super) fn is_up(&self, number: usize) -> bool {
        self.slots.get(number).is_some_and(|slot| {
            let starts = self.sources.get(slot.source).is_some_and(Source::starts);
            !slot.rests() && (slot.has_engine() || starts)
        })
    }

    pub(super) fn another_is_up(&self, number: usize) -> bool {
        (0..self.slots.len()).any(|other| other != number && self.is_up(other))
    }

    /// When a slot without an engine is to look again whether to start one; none where no search
    /// needs it. A source that did not start one is tried whether it is needed or not: until it
    /// starts, nobody counts on it.
    pub(super) fn start_at(&self, number: usize, now: Instant) -> Option<Instant> {
        let slot = self.slots.get(number)?;
        if slot.rests() {
            return slot.rests_until;
        }
        let source = self.sources.get(slot.source)?;
        let tries = |other: &Slot| other.source == slot.source && other.state == State::Starting;
        let waits = match source.starts() {
            true => !self.needs(number),
            false => self.slots.iter().any(tries),
        };
        if waits {
            return None;
        }
        let rested = slot.rests_until.unwrap_or(now);
        Some(rested.max(source.tries_at.unwrap_or(now)))
    }

    /// Whether there is a search for this slot that slots with engines will not take: they are busy,
    /// or not the ones to have it.
    fn needs(&self, number: usize) -> bool {
        let mine = |job: &&Job| self.may_have(number, job);
        let wanted = self.retries.iter().filter(mine).count() + self.fresh.len();
        wanted > 0 && self.waiting() > (0..self.slots.len()).filter(|n| self.is_free(*n)).count()
    }

    /// Whether a slot has nothing to do, or soon will have, and may have all that waits.
    fn is_free(&self, number: usize) -> bool {
        self.slots.get(number).is_some_and(|slot| match slot.state {
            State::Idle => true,
            State::Starting => self.sources.get(slot.source).is_some_and(Source::starts),
            State::Cold | State::Busy => false,
        }) && self.retries.iter().all(|job| self.may_have(number, job))
    }
}
