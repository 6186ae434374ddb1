//! The engines of this computer, if any; and the seam by which a run uses them and the fleet's.

use std::time::Instant;

use crossbeam_channel::{Receiver, at, never, select_biased};

use crate::link::GrowerCommand;
use crate::message::{LimitedSearch, Order, Token, encode};
use crate::subjects::Lane;
use deepanalyze_core::search::{Limit, Profile, Search, WorkerId};
use deepanalyze_engine::{Engines, Event, LongSearch, Pool, Wakeup};

use super::FleetEngines;

impl Engines for FleetEngines {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn submit(&mut self, ticket: u64, search: Search, limit: Limit, keep_hash: bool) {
        self.ask(ticket, search, limit, Lane::Required, keep_hash);
    }

    fn submit_guess(&mut self, ticket: u64, search: Search, limit: Limit, keep_hash: bool) {
        self.ask(ticket, search, limit, Lane::Guess, keep_hash);
    }

    fn require(&mut self, ticket: u64) {
        if let Some((id, true)) = self.jobs.require(ticket, Instant::now()) {
            let order = Order::Require { grower: self.plan.grower.clone(), jobs: vec![id] };
            self.link.send(GrowerCommand::Order(encode(&order)));
        }
    }

    fn submit_long(&mut self, ticket: u64, long: LongSearch) {
        self.long.submit(ticket, long);
        self.lend();
    }

    fn long_searches(&self) -> usize {
        self.here_and_away()
    }

    fn threads(&self) -> usize {
        if self.plan.searches_here { self.here.threads() } else { 1 }
    }

    fn second(&mut self) -> Option<&mut dyn Engines> {
        self.here.pool()?.second()
    }

    fn take_second(&mut self) -> Option<Box<dyn Engines + Send>> {
        self.here.pool()?.take_second()
    }

    fn withdraw(&mut self) -> Vec<u64> {
        let withdrawn = self.jobs.withdraw();
        self.cancel(withdrawn.iter().filter_map(|ended| ended.sent.clone()).collect());
        withdrawn.into_iter().map(|ended| ended.ticket).collect()
    }

    fn abandon(&mut self, ticket: u64) {
        if self.abandon_long(ticket) {
            return;
        }
        if let Some(ended) = self.jobs.end(ticket) {
            if ended.here {
                self.here.abandon(ticket);
            }
            self.cancel(ended.sent.into_iter().collect());
        }
    }

    fn quarantine(&mut self, worker: &WorkerId, why: &str) {
        // An invalid name is no worker's.
        let worker = Token::try_from(worker.as_str().to_owned());
        if let Some(worker) = worker.ok().filter(|worker| !self.workers.is_barred(worker)) {
            self.bar(&worker, why);
        }
    }

    fn up(&self) -> usize {
        let here = if self.plan.searches_here { self.here.up() } else { 0 };
        // Engines with long searches take no jobs.
        (here + self.room_away(Instant::now()) + self.long.loans().count()).max(1)
    }

    fn now(&self) -> Instant {
        Instant::now()
    }

    fn wait(&mut self, wake: &Receiver<()>, until: Option<Instant>) -> Wakeup {
        loop {
            if wake.try_recv().is_ok() {
                return Wakeup::Control;
            }
            self.gather();
            if let Some(event) = self.events.pop_front() {
                return Wakeup::Event(event);
            }
            let up = self.up();
            if std::mem::replace(&mut self.told_up, up) != up {
                // The owner of the engines checks their number.
                return Wakeup::Control;
            }
            if until.is_some_and(|until| until <= Instant::now()) {
                return Wakeup::Time;
            }
            let time = until.map_or_else(never, at);
            let look = at(self.next_look.min(self.next_sign));
            select_biased! {
                recv(wake) -> _ => return Wakeup::Control,
                // The senders live as long as the pool and the connection.
                recv(self.here.events()) -> event => self.hear_pool(event.unwrap_or(Event::Broken)),
                recv(self.link.events()) -> event => match event {
                    Ok(event) => self.hear(event),
                    Err(_) => return Wakeup::Event(Event::Broken),
                },
                recv(time) -> _ => {}
                recv(look) -> _ => {}
            }
        }
    }

    fn poll(&mut self) -> Option<Event> {
        self.gather();
        self.events.pop_front()
    }

    fn is_quiet(&self) -> bool {
        let is_silent = self.here.events().is_empty() && self.link.events().is_empty();
        self.events.is_empty() && is_silent
    }
}

/// Cancels everything under way.
impl Drop for FleetEngines {
    fn drop(&mut self) {
        self.end_loans(self.long.loans().map(|loan| loan.id.clone()).collect());
        let sent = self.jobs.sent();
        sent.chunks(1000).for_each(|jobs| self.cancel(jobs.to_vec()));
        self.link.send(GrowerCommand::Clear);
    }
}

/// The engines of this computer, if any.
#[derive(Debug)]
pub(super) struct LocalEngines {
    pool: Option<Pool>,
    silence: Receiver<Event>,
}

impl LocalEngines {
    pub(super) fn new(pool: Option<Pool>) -> LocalEngines {
        LocalEngines { pool, silence: never() }
    }

    fn pool(&mut self) -> Option<&mut Pool> {
        self.pool.as_mut()
    }

    /// True if there are any: their answers are right.
    pub(super) fn is_there(&self) -> bool {
        self.pool.is_some()
    }

    /// Their events.
    pub(super) fn events(&self) -> &Receiver<Event> {
        self.pool.as_ref().map_or(&self.silence, Pool::events)
    }

    /// Number that work or could start.
    pub(super) fn up(&self) -> usize {
        self.pool.as_ref().map_or(0, Pool::up)
    }

    /// Engines that one long search can have the threads of.
    pub(super) fn threads(&self) -> usize {
        self.pool.as_ref().map_or(1, Engines::threads)
    }

    /// Gives them a search.
    pub(super) fn submit(&mut self, ticket: u64, asked: LimitedSearch, keep_hash: bool) {
        if let Some(pool) = &mut self.pool {
            pool.submit_as(ticket, asked.search, asked.limit, keep_hash);
        }
    }

    /// Gives them a long search.
    pub(super) fn submit_long(&mut self, ticket: u64, long: LongSearch) {
        if let Some(pool) = &mut self.pool {
            Engines::submit_long(pool, ticket, long);
        }
    }

    /// Cancels a search.
    pub(super) fn abandon(&mut self, ticket: u64) {
        if let Some(pool) = &mut self.pool {
            pool.abandon(ticket);
        }
    }
}
