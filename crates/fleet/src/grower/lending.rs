//! Long searches: engines of this computer begin with them first, then those of workers, one each.
//!
//! No tree uses their answers, so none is compared. A worker's reports of a search are retracted if
//! it is put in quarantine while the search goes on.

use std::time::Instant;

use crate::checking::{WorkFlaw, check_long};
use crate::link::GrowerCommand;
use crate::message::{Job, LimitedSearch, LongPart, Order, Outcome, Token, encode};
use deepanalyze_engine::{EngineError, Event, LongSearch, Reason};

use super::long::Place;
use super::{FleetEngines, answered_by};

/// Number of workers' failures that end a search.
const FAILURES: u32 = 3;

impl FleetEngines {
    /// Number of long searches that can be made side by side: one per engine here and at workers;
    /// if there is none at all, one, by the first worker to come.
    pub(super) fn here_and_away(&self) -> usize {
        let here = if self.plan.searches_here { self.here.up() } else { 0 };
        let away = self.workers.for_long(self.jobs.run()).map(|(_, engines)| engines);
        let away: usize = if self.is_up { away.sum() } else { 0 };
        (here + away).max(1)
    }

    /// Gives waiting long searches to free engines.
    pub(super) fn lend(&mut self) {
        let now = Instant::now();
        while self.plan.searches_here
            && self.long.here() < self.here.up()
            && let Some((ticket, long)) = self.long.next_here()
        {
            self.here.submit_long(ticket, long);
        }
        while self.is_up
            && self.long.waiting() > 0
            && let Some(worker) = self.freest()
            && let Some((ticket, id, long)) = self.long.next_away(worker.clone(), now)
        {
            let job = Job { long: Some(LongPart::of(&long, now)), ..self.job(id, asked(&long)) };
            self.link.send(GrowerCommand::Check(worker, encode(&job)));
            self.events.push_back(Event::Started { ticket });
        }
    }

    /// The worker with the most engines that have no long search.
    fn freest(&self) -> Option<Token> {
        let all = self.workers.for_long(self.jobs.run());
        let free =
            all.map(|(worker, engines)| (worker, engines.saturating_sub(self.long.of(worker))));
        let free = free.filter(|(_, engines)| *engines > 0).max_by_key(|(_, engines)| *engines);
        free.map(|(worker, _)| worker.clone())
    }

    /// Handles a worker's progress with a long search, or its end.
    pub(super) fn hear_long(
        &mut self,
        id: &Token,
        worker: &Token,
        understood: &LimitedSearch,
        outcome: Outcome,
    ) {
        let lent = self.long.lent(id, worker);
        let Some((ticket, long)) = lent.filter(|(_, long)| asked(long) == *understood) else {
            return;
        };
        let (answer, is_over) = match outcome {
            Outcome::Iteration(answer) => (answer, false),
            Outcome::Answered(answer) => (answer, true),
            Outcome::Failed(what) => return self.failed_at_long(ticket, worker, what),
        };
        match check_long(long, &answer, is_over) {
            Ok(()) if is_over => {
                self.long.end(ticket);
                self.events.push_back(answered_by(worker, ticket, answer));
            }
            Ok(()) => self.events.push_back(Event::Iteration { ticket, answer }),
            Err(flaw @ WorkFlaw::Limit { .. }) => {
                self.end_loans(vec![id.clone()]);
                self.failed_at_long(ticket, worker, flaw.to_string());
            }
            Err(flaw) => {
                self.end_loans(vec![id.clone()]);
                let what = self.note_flaw(worker, &understood.search, &flaw);
                self.failed_at_long(ticket, worker, what);
            }
        }
    }

    /// Notes a worker's failure at a long search: another begins it, or it is given up.
    fn failed_at_long(&mut self, ticket: u64, worker: &Token, what: String) {
        let attempts = self.long.failed(ticket);
        let error = self.remote(worker, what);
        if attempts < FAILURES {
            let (ticket, attempt) = (Some(ticket), attempts);
            return self.events.push_back(Event::Fault { ticket, error, attempt });
        }
        self.long.end(ticket);
        self.events.push_back(Event::Failed { ticket, error });
    }

    /// Takes the long searches from a worker in quarantine: its reports are void, and others begin
    /// them.
    pub(super) fn take_long_from(&mut self, worker: &Token) {
        let (tickets, ids): (Vec<u64>, Vec<Token>) =
            self.long.take_from(worker).into_iter().unzip();
        self.events.extend(tickets.into_iter().map(|ticket| Event::Retracted { ticket }));
        self.end_loans(ids);
    }

    /// Cancels a long search; `false` if it is not one.
    pub(super) fn abandon_long(&mut self, ticket: u64) -> bool {
        match self.long.end(ticket) {
            None => return false,
            Some(Place::Nowhere) => {}
            Some(Place::Here) => self.here.abandon(ticket),
            Some(Place::At(loan)) => self.end_loans(vec![loan.id]),
        }
        true
    }

    /// Lends waiting searches to free workers; those that are too late fail.
    pub(super) fn look_at_long(&mut self, now: Instant) {
        for ticket in self.long.too_late(now) {
            let what = "no engine is left for it in time".to_owned();
            let reason = Reason::Remote { worker: "the workers".to_owned(), what };
            let error = EngineError::new(&self.profile.engine, reason);
            self.events.push_back(Event::Failed { ticket, error });
        }
        self.lend();
    }

    /// Renews the wish for the long searches.
    pub(super) fn renew_loans(&self) {
        let jobs: Vec<Token> = self.long.loans().map(|loan| loan.id.clone()).collect();
        if !jobs.is_empty() {
            let grower = self.plan.grower.clone();
            self.link.send(GrowerCommand::Order(encode(&Order::Want { grower, jobs })));
        }
    }

    /// Cancels these jobs of workers.
    pub(super) fn end_loans(&self, jobs: Vec<Token>) {
        if !jobs.is_empty() {
            let grower = self.plan.grower.clone();
            self.link.send(GrowerCommand::Order(encode(&Order::Cancel { grower, jobs })));
        }
    }
}

/// The request as a worker repeats it.
fn asked(long: &LongSearch) -> LimitedSearch {
    LimitedSearch { search: long.search.clone(), limit: long.end.limit() }
}

#[cfg(test)]
mod tests;
