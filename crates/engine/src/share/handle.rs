//! One run among those that share engines: its own view, and the dispatcher's.

use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::{Receiver, Select, Sender, TrySendError};

use crate::engines::{Engines, Event, LongSearch, Wakeup};
use deepanalyze_core::search::{Limit, Profile, Search, WorkerId};

use super::broker::ShareState;
use super::dispatcher::Joined;
use super::{RunKey, SharedQuestion};

/// Engines that a run shares with others. Dropping it forgets the queued searches; those under way
/// go on, and their answers go to the receiver of unclaimed ones.
#[derive(Debug)]
pub struct SharedEngines {
    shared: Arc<ShareState>,
    joined: Joined,
    second: Option<Box<SharedEngines>>,
}

impl SharedEngines {
    pub(super) fn new(
        shared: Arc<ShareState>,
        joined: Joined,
        second: Option<SharedEngines>,
    ) -> SharedEngines {
        SharedEngines { shared, joined, second: second.map(Box::new) }
    }

    fn ask(&self, ticket: u64, question: SharedQuestion) {
        let now = self.now();
        self.shared.dispatcher().submit(self.joined.member, ticket, question, now);
        self.shared.wake();
    }

    /// A reason to end a wait, if already there.
    fn has_come(&self, wake: &Receiver<()>, until: Option<Instant>) -> Option<Wakeup> {
        // Control first: a request to end does not wait behind prompt answers.
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
        self.ask(ticket, SharedQuestion { search, limit, keep_hash, is_guess: false, long: None });
    }

    fn submit_guess(&mut self, ticket: u64, search: Search, limit: Limit, keep_hash: bool) {
        self.ask(ticket, SharedQuestion { search, limit, keep_hash, is_guess: true, long: None });
    }

    fn submit_long(&mut self, ticket: u64, long: LongSearch) {
        let (search, limit) = (long.search.clone(), long.end.limit());
        let (keep_hash, is_guess, long) = (false, false, Some(Box::new(long)));
        self.ask(ticket, SharedQuestion { search, limit, keep_hash, is_guess, long });
    }

    fn long_searches(&self) -> usize {
        self.shared.dispatcher().long_searches(self.joined.member)
    }

    fn threads(&self) -> usize {
        self.shared.dispatcher().threads()
    }

    fn second(&mut self) -> Option<&mut dyn Engines> {
        Some(&mut **self.second.as_mut()?)
    }

    fn abandon(&mut self, ticket: u64) {
        self.shared.dispatcher().abandon(self.joined.member, ticket);
        self.shared.wake();
    }

    fn require(&mut self, ticket: u64) {
        self.shared.dispatcher().require(self.joined.member, ticket);
        self.shared.wake();
    }

    fn quarantine(&mut self, worker: &WorkerId, why: &str) {
        self.shared.dispatcher().quarantine(worker, why);
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
                let waits = RunWait { wake: wake.clone(), until };
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

/// One run.
#[derive(Debug)]
pub(super) struct RunClient {
    pub(super) key: RunKey,
    pub(super) events: Sender<Event>,
    pub(super) nudge: Sender<()>,
    /// The run's wait, if it waits, besides its events.
    pub(super) waits: Option<RunWait>,
}

/// A run's wait.
#[derive(Debug)]
pub(super) struct RunWait {
    pub(super) wake: Receiver<()>,
    pub(super) until: Option<Instant>,
}

impl RunClient {
    pub(super) fn send(&mut self, event: Event) {
        self.waits = None;
        // A run that has just left receives nothing.
        let _ = self.events.send(event);
    }

    /// Wakes the run to look at changes.
    pub(super) fn nudge(&mut self) {
        self.waits = None;
        if let Err(TrySendError::Disconnected(())) = self.nudge.try_send(()) {
            tracing::debug!("a run that has left");
        }
    }

    /// True if only time or an engine can wake it.
    pub(super) fn is_asleep(&self) -> bool {
        self.waits.as_ref().is_some_and(|waits| waits.wake.is_empty())
    }
}
