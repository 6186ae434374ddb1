//! Answers of the fleet: what is checked, what is kept, and what becomes of those that nobody waits for.

use std::collections::{HashMap, VecDeque};

use shakmaty::uci::UciMove;

use crate::chess::PositionKey;
use crate::engine::{EngineError, Event, Reason};
use crate::fleet::checking::check;
use crate::fleet::link::GrowerCommand;
use crate::fleet::message::{Asked, Outcome, Reply, Token, decode};
use crate::fleet::trust::{Witness, Word};
use crate::search::{Answer, Limit};

use super::workers::Standing;
use super::{FleetEngines, fen_of};

/// So many answers that nobody waits for are kept for a while.
const EARLY: usize = 10_000;
/// A worker with so many answers that are none is not believed any more.
const FLAWS: u32 = 3;

type Key = (PositionKey, Vec<UciMove>, Limit);

/// Answers that nobody has asked for yet. A grower that was killed gets them when it is back.
#[derive(Debug, Default)]
pub(super) struct Early {
    answers: HashMap<Key, (Token, Answer)>,
    order: VecDeque<Key>,
}

impl Early {
    /// Keeps an answer, and forgets the oldest of too many.
    fn put(&mut self, asked: &Asked, worker: Token, answer: Answer) {
        let key = asked.key();
        if self.answers.insert(key.clone(), (worker, answer)).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > EARLY {
            let oldest = self.order.pop_front();
            oldest.map(|oldest| self.answers.remove(&oldest));
        }
    }

    /// The answer to a search, if it is there.
    pub(super) fn take(&mut self, asked: &Asked) -> Option<Answer> {
        if self.answers.is_empty() {
            return None;
        }
        let key = asked.key();
        let (_, answer) = self.answers.remove(&key)?;
        self.order.retain(|other| *other != key);
        Some(answer)
    }

    /// Forgets what a worker has said.
    pub(super) fn forget(&mut self, worker: &Token) {
        self.answers.retain(|_, (by, _)| by != worker);
        self.order.retain(|key| self.answers.contains_key(key));
    }
}

impl FleetEngines {
    /// An answer has come. It is confirmed whatever is in it, for another would be no better; not that of a
    /// worker of which nothing is known yet, which tells it once more.
    pub(super) fn hear_answer(&mut self, message: &[u8], confirm: Option<String>) {
        let taken = match decode::<Reply>(message) {
            Ok(reply) if reply.engine == self.engine => self.take_reply(reply),
            Ok(_) => self.refuse("an answer of another engine"),
            Err(error) => self.refuse(&error.to_string()),
        };
        if let Some(to) = confirm.filter(|_| taken) {
            self.link.send(GrowerCommand::Confirm(to));
        }
    }

    /// `false` where it is too early to take it.
    fn take_reply(&mut self, reply: Reply) -> bool {
        let Reply { id, worker, asked, outcome, .. } = reply;
        if let Some(purpose) = self.purpose_of(&id) {
            self.compared(purpose, &worker, &asked, &outcome);
            return true;
        }
        // The job says what was asked, the worker what it has understood.
        let ticket = self.jobs.ticket(&id);
        let ticket = ticket.filter(|ticket| self.jobs.asked(*ticket) == Some(&asked));
        match (self.workers.standing(&worker), outcome, ticket) {
            (None | Some(Standing::Proving), ..) => return false,
            (Some(Standing::Trusted), Outcome::Answered(answer), ticket) => {
                self.answered(ticket, worker, &asked, answer);
            }
            (Some(Standing::Trusted), Outcome::Failed(what), Some(ticket)) => {
                self.failed_there(ticket, &worker, what);
            }
            (Some(Standing::Quarantined(_)), _, Some(ticket)) => self.jobs.make_again(ticket),
            (_, _, None) => {}
        }
        true
    }

    fn answered(&mut self, ticket: Option<u64>, worker: Token, asked: &Asked, answer: Answer) {
        if let Err(flaw) = check(&asked.search, asked.limit, &answer) {
            return self.flawed(ticket, &worker, asked, &flaw.to_string());
        }
        self.paused_until = None;
        let Some(ticket) = ticket else {
            return self.early.put(asked, worker, answer);
        };
        let Some(ended) = self.jobs.answered(ticket, answer.time) else { return };
        self.ended(ended, true);
        self.counts.answered += 1;
        if self.doubles.is_due() {
            self.double(asked.clone(), worker, Word::of(&answer));
        }
        self.events.push_back(Event::Answered { ticket, answer });
    }

    /// An answer that is none: the worker is named, and after some of them not believed any more.
    fn flawed(&mut self, ticket: Option<u64>, worker: &Token, asked: &Asked, flaw: &str) {
        self.counts.refused += 1;
        let what = format!("its answer in {} is none: {flaw}", fen_of(&asked.search.position));
        let flaws = self.flaws.entry(worker.clone()).or_default();
        *flaws += 1;
        if *flaws == FLAWS {
            self.quarantine(worker, &what);
        }
        if let Some(ticket) = ticket {
            self.failed_there(ticket, worker, what);
        }
    }

    /// A worker has not made a search.
    fn failed_there(&mut self, ticket: u64, worker: &Token, what: String) {
        let Some((attempt, given_up)) = self.jobs.failed(ticket) else { return };
        let error = self.remote(worker, what);
        if !given_up {
            return self.events.push_back(Event::Fault { ticket: Some(ticket), error, attempt });
        }
        if let Some(ended) = self.jobs.end(ticket) {
            let fen = fen_of(&ended.asked.search.position);
            let reason = Reason::GaveUp { fen, attempts: attempt, last: Box::new(error) };
            let error = EngineError::new(&self.profile.engine, reason);
            self.ended(ended, false);
            self.events.push_back(Event::Failed { ticket, error });
        }
    }

    fn remote(&self, worker: &Token, what: String) -> EngineError {
        let reason = Reason::Remote { worker: self.workers.name(worker), what };
        EngineError::new(&self.profile.engine, reason)
    }

    /// What a worker has said does not count any more.
    pub(super) fn quarantine(&mut self, worker: &Token, why: &str) {
        if matches!(self.workers.standing(worker), Some(Standing::Quarantined(_))) {
            return;
        }
        let name = self.workers.name(worker);
        self.workers.set_standing(worker, Standing::Quarantined(why.to_owned()));
        self.early.forget(worker);
        let order = super::Order::Quarantine { worker: worker.clone(), why: why.to_owned() };
        self.link.send(GrowerCommand::Order(super::encode(&order)));
        self.notice(format!("worker {name:?} is not believed any more: {why}"), false);
    }
}

/// Whose word it is.
pub(super) fn witness(worker: &Token) -> Witness {
    Witness::Worker(worker.clone())
}
