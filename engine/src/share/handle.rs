//! Shared engines as one run sees them.

use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::{Receiver, Select};

use crate::engines::{Engines, Wakeup};
use crate::pool::Event;
use deepanalyze_core::search::{Limit, Profile, Search, WorkerId};

use super::broker::Shared;
use super::client::Waits;
use super::dispatcher::Joined;
use super::question::Question;

/// Engines that a run has together with others. When it is dropped, what it has in the queue is forgotten; what
/// is under way goes on, and the answers go to whoever keeps those without a run.
#[derive(Debug)]
pub struct SharedEngines {
    shared: Arc<Shared>,
    joined: Joined,
}

impl SharedEngines {
    pub(super) fn new(shared: Arc<Shared>, joined: Joined) -> SharedEngines {
        SharedEngines { shared, joined }
    }

    fn ask(&self, ticket: u64, question: Question) {
        let now = self.now();
        self.shared.dispatcher().submit(self.joined.member, ticket, question, now);
        self.shared.wake();
    }

    /// What there is already to end a wait with.
    fn has_come(&self, wake: &Receiver<()>, until: Option<Instant>) -> Option<Wakeup> {
        // Whoever wants the run to end does not wait behind engines that answer at once.
        if wake.try_recv().is_ok() {
            return Some(Wakeup::Control);
        }
        if let Ok(event) = self.joined.events.try_recv() {
            return Some(Wakeup::Event(event));
        }
        if until.is_some_and(|until| until <= self.now()) {
            return Some(Wakeup::Time);
        }
        self.joined.nudge.try_recv().is_ok().then_some(Wakeup::Control)
    }

    /// Waits until there may be something.
    fn sleep(&self, wake: &Receiver<()>, until: Option<Instant>) {
        let mut select = Select::new();
        select.recv(wake);
        select.recv(&self.joined.events);
        select.recv(&self.joined.nudge);
        match until.filter(|_| !self.shared.is_virtual) {
            Some(until) => drop(select.ready_deadline(until)),
            None => drop(select.ready()),
        }
    }
}

impl Drop for SharedEngines {
    fn drop(&mut self) {
        self.shared.dispatcher().leave(self.joined.member);
        self.shared.wake();
    }
}

impl Engines for SharedEngines {
    fn profile(&self) -> &Profile {
        &self.shared.profile
    }

    fn submit(&mut self, ticket: u64, search: Search, limit: Limit, keep_hash: bool) {
        self.ask(ticket, Question { search, limit, keep_hash, is_guess: false });
    }

    fn submit_guess(&mut self, ticket: u64, search: Search, limit: Limit, keep_hash: bool) {
        self.ask(ticket, Question { search, limit, keep_hash, is_guess: true });
    }

    fn require(&mut self, ticket: u64) {
        self.shared.dispatcher().require(self.joined.member, ticket);
        self.shared.wake();
    }

    fn disbelieve(&mut self, worker: &WorkerId, why: &str) {
        self.shared.dispatcher().disbelieve(worker, why);
        self.shared.wake();
    }

    fn withdraw(&mut self) -> Vec<u64> {
        self.shared.dispatcher().withdraw(self.joined.member)
    }

    fn up(&self) -> usize {
        self.shared.dispatcher().up(self.joined.member)
    }

    fn now(&self) -> Instant {
        self.shared.now()
    }

    fn wait(&mut self, wake: &Receiver<()>, until: Option<Instant>) -> Wakeup {
        let member = self.joined.member;
        loop {
            if let Some(wakeup) = self.has_come(wake, until) {
                return wakeup;
            }
            if self.shared.dispatcher().is_broken() {
                return Wakeup::Event(Event::Broken);
            }
            if self.shared.is_virtual {
                let waits = Waits { wake: wake.clone(), until };
                self.shared.dispatcher().set_waits(member, Some(waits));
                self.shared.wake();
            }
            self.sleep(wake, until);
            if self.shared.is_virtual {
                // Before anything is taken: time stands still from now on.
                self.shared.dispatcher().set_waits(member, None);
            }
        }
    }

    fn poll(&mut self) -> Option<Event> {
        self.joined.events.try_recv().ok()
    }

    fn is_quiet(&self) -> bool {
        self.joined.events.is_empty()
    }

    fn is_virtual(&self) -> bool {
        self.shared.is_virtual
    }
}
