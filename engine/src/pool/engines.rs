//! The pool as a run sees it: in real time.

use std::time::Instant;

use crossbeam_channel::{Receiver, at, never, select_biased};

use crate::engines::{Engines, Wakeup};
use deepanalyze_core::search::{Limit, Profile, Search};

use super::Pool;
use super::event::Event;

impl Engines for Pool {
    fn profile(&self) -> &Profile {
        Pool::profile(self)
    }

    fn submit(&mut self, ticket: u64, search: Search, limit: Limit, keep_hash: bool) {
        Pool::submit_as(self, ticket, search, limit, keep_hash);
    }

    fn withdraw(&mut self) -> Vec<u64> {
        Pool::withdraw(self)
    }

    fn abandon(&mut self, ticket: u64) {
        Pool::abandon(self, ticket);
    }

    fn up(&self) -> usize {
        Pool::up(self)
    }

    fn now(&self) -> Instant {
        Instant::now()
    }

    fn wait(&mut self, wake: &Receiver<()>, until: Option<Instant>) -> Wakeup {
        let time = until.map_or_else(never, at);
        // Whoever wants the run to end does not wait behind engines that answer at once.
        select_biased! {
            recv(wake) -> _ => Wakeup::Control,
            // The sender lives as long as the pool; without it nothing more would come.
            recv(self.events) -> event => Wakeup::Event(event.unwrap_or(Event::Broken)),
            recv(time) -> _ => Wakeup::Time,
        }
    }

    fn poll(&mut self) -> Option<Event> {
        self.events.try_recv().ok()
    }

    fn is_quiet(&self) -> bool {
        self.events.is_empty()
    }
}
