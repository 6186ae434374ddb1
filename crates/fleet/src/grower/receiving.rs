//! Messages of the broker and of workers: checks answers, passes them on to the run, and keeps
//! unasked ones for later.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use shakmaty::uci::UciMove;

use crate::checking::{WorkFlaw, check};
use crate::link::{Connection, GrowerCommand, GrowerEvent};
use crate::message::{
    JobReply, LimitedSearch, Order, Outcome, Token, WorkerState, decode, encode, plain,
};
use crate::trust::{EngineSaid, Testimony, Witness, difference};
use deepanalyze_core::chess::{PositionKey, fen_of};
use deepanalyze_core::search::{Answer, Limit, Search, WorkerId};
use deepanalyze_engine::{EngineError, Event, Reason};

use super::jobs::MadeBy;
use super::long::run_of_long;
use super::workers::WorkerStanding;
use super::{FleetEngines, PAUSE, answered_by};

/// Unasked answers kept for a while.
const EARLY: usize = 10_000;
/// Invalid answers after which a worker is in quarantine.
const FLAWS: u32 = 3;

type Key = (PositionKey, Vec<UciMove>, Limit);

impl FleetEngines {
    /// Handles a fleet event.
    pub(super) fn hear(&mut self, event: GrowerEvent) {
        match event {
            GrowerEvent::Connection(Connection::Up) => {
                if !std::mem::replace(&mut self.is_up, true) {
                    self.is_taking();
                    self.notice("connected to the fleet".to_owned(), true);
                }
                self.jobs.hurry(Instant::now());
            }
            GrowerEvent::Connection(Connection::Down(why)) => {
                self.is_up = false;
                self.trouble(format!("no fleet: {why}"));
            }
            GrowerEvent::Worker(worker, message) => match decode::<WorkerState>(&message) {
                Ok(state) if state.worker.as_str() == worker => self.hear_worker(state),
                Ok(_) => drop(self.refuse("a sign of life of another worker")),
                Err(error) => drop(self.refuse(&error.to_string())),
            },
            GrowerEvent::Answer { worker, message, confirm } => {
                self.hear_answer(&worker, &message, confirm);
            }
            GrowerEvent::Refused(why) => drop(self.refuse(&why)),
            GrowerEvent::Trouble(what) => {
                self.trouble(format!("the fleet's server reports: {}", plain(&what)));
            }
            GrowerEvent::NotTaken(id, why) => {
                tracing::warn!(%id, why, "the broker does not take a job");
                self.paused_until = Some(Instant::now() + PAUSE);
                self.jobs.not_taken(&id);
                self.trouble(format!("the server takes no searches: {why}"));
            }
        }
    }

    /// Reports trouble, once.
    fn trouble(&mut self, what: String) {
        if self.trouble.as_ref() != Some(&what) {
            self.trouble = Some(what.clone());
            self.notice(what, false);
        }
    }

    fn hear_worker(&mut self, state: WorkerState) {
        if state.engine != self.engine {
            if self.others.len() < 1000 && self.others.insert(state.worker.clone()) {
                let WorkerState { name, engine_name, options, .. } = &state;
                let theirs = EngineSaid { name: engine_name, options };
                let here = &self.profile;
                let ours = EngineSaid { name: &here.engine, options: &here.options };
                let differs = difference(theirs, ours);
                let what =
                    format!("worker {name:?} is not used, it differs from this run: {differs}");
                self.notice(what, false);
            }
            return;
        }
        let now = Instant::now();
        let (worker, jobs) = (state.worker.clone(), state.jobs.clone());
        if self.workers.hear(state, now) {
            self.prove(&worker);
        }
        let strays = self.long.hear(&worker, &jobs, now);
        self.end_loans(strays);
        // Untrusted workers' reports do not count.
        if self.workers.standing(&worker) == Some(&WorkerStanding::Trusted) {
            self.jobs.seen(&jobs, now);
        }
    }

    /// Notes that the broker takes jobs.
    fn is_taking(&mut self) {
        self.paused_until = None;
        self.trouble = None;
    }

    /// Counts an unreadable message, which need not come again.
    fn refuse(&mut self, why: &str) -> bool {
        self.counts.refused += 1;
        tracing::warn!(why, "a message of the fleet is refused");
        if self.counts.refused <= 3 {
            self.notice(format!("a message of the fleet is refused: {why}"), false);
        }
        true
    }
}

/// Answers not asked for yet. A grower that was killed gets them when it is back.
#[derive(Debug, Default)]
pub(super) struct Early {
    answers: HashMap<Key, (Token, Answer)>,
    order: VecDeque<Key>,
}

impl Early {
    /// Keeps an answer, and drops the oldest of too many.
    fn put(&mut self, asked: &LimitedSearch, worker: Token, answer: Answer) {
        let key = asked.key();
        if self.answers.insert(key.clone(), (worker, answer)).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > EARLY {
            let oldest = self.order.pop_front();
            oldest.map(|oldest| self.answers.remove(&oldest));
        }
    }

    /// Takes the answer to a search and its worker, if known.
    pub(super) fn take(&mut self, asked: &LimitedSearch) -> Option<(Token, Answer)> {
        if self.answers.is_empty() {
            return None;
        }
        let key = asked.key();
        let given = self.answers.remove(&key)?;
        self.order.retain(|other| *other != key);
        Some(given)
    }

    /// Drops a worker's answers.
    pub(super) fn forget(&mut self, worker: &Token) {
        self.answers.retain(|_, (by, _)| by != worker);
        self.order.retain(|key| self.answers.contains_key(key));
    }
}

/// An answer held until another worker confirms it.
#[derive(Debug)]
pub(super) struct HeldBack {
    ticket: u64,
    made_by: MadeBy,
    worker: Token,
    asked: LimitedSearch,
    answer: Answer,
}

/// Handling of answers.
impl FleetEngines {
    /// Handles an answer. It is confirmed even if bad, for another would be no better; but not that
    /// of a worker still unknown, which sends it once more.
    fn hear_answer(&mut self, worker: &str, message: &[u8], confirm: Option<String>) {
        let taken = match decode::<JobReply>(message) {
            Ok(reply) if reply.worker.as_str() != worker => {
                self.refuse("an answer in the name of another worker")
            }
            Ok(reply) if reply.engine == self.engine => self.take_reply(reply),
            Ok(_) => self.refuse("an answer of another engine"),
            Err(error) => self.refuse(&error.to_string()),
        };
        if let Some(to) = confirm.filter(|_| taken) {
            self.link.send(GrowerCommand::Confirm(to));
        }
    }

    /// `false` if it is too early to take it.
    fn take_reply(&mut self, reply: JobReply) -> bool {
        let JobReply { id, worker, asked, outcome, .. } = reply;
        if run_of_long(&id).is_some() {
            self.hear_long(&id, &worker, &asked, outcome);
            return true;
        }
        if let Some(purpose) = self.purpose_of(&id) {
            self.compared(purpose, &worker, &asked, &outcome);
            return true;
        }
        // The job has the request, the reply the worker's reading of it.
        let ticket = self.jobs.ticket(&id);
        let ticket = ticket.filter(|ticket| self.jobs.asked(*ticket) == Some(&asked));
        match (self.workers.standing(&worker), outcome, ticket) {
            (None | Some(WorkerStanding::Proving), ..) => return false,
            (Some(WorkerStanding::Trusted), Outcome::Answered(answer), ticket) => {
                let made_by = ticket.map_or(MadeBy::EarlierRun, |_| MadeBy::Worker);
                let ticket = ticket.or_else(|| self.jobs.find(&asked));
                self.answered(ticket, made_by, worker, &asked, answer);
            }
            (Some(WorkerStanding::Trusted), Outcome::Failed(what), Some(ticket)) => {
                self.failed_there(ticket, &worker, what);
            }
            (Some(WorkerStanding::Quarantined(_)), _, Some(ticket)) => self.jobs.make_again(ticket),
            (_, Outcome::Iteration(_), _) | (_, _, None) => {}
        }
        true
    }

    fn answered(
        &mut self,
        ticket: Option<u64>,
        made_by: MadeBy,
        worker: Token,
        asked: &LimitedSearch,
        answer: Answer,
    ) {
        let mut is_doubted = false;
        match check(&asked.search, asked.limit, &answer) {
            Err(WorkFlaw::Limit { .. }) if self.here.is_there() => {
                return self.doubted(ticket, worker, asked, &answer);
            }
            // Other workers show whether it may end there.
            Err(WorkFlaw::Limit { .. }) if self.compares => is_doubted = true,
            Err(WorkFlaw::Limit { .. }) => {}
            Err(flaw) => return self.flawed(ticket, &worker, asked, &flaw),
            Ok(()) => {}
        }
        self.is_taking();
        let Some(ticket) = ticket else {
            return self.early.put(asked, worker, answer);
        };
        if self.held_back.values().any(|held| held.ticket == ticket) {
            return;
        }
        let held = HeldBack { ticket, made_by, worker, asked: asked.clone(), answer };
        if !(self.doubles.is_due() || is_doubted) {
            return self.keep(held);
        }
        // The run gets it once another has confirmed it.
        self.jobs.hold(ticket);
        let number = self.double(asked.clone(), held.worker.clone(), Testimony::of(&held.answer));
        self.held_back.insert(number, held);
    }

    /// Passes on an answer.
    fn keep(&mut self, held: HeldBack) {
        let HeldBack { ticket, made_by, worker, asked, answer } = held;
        let Some(ended) = self.jobs.answered(ticket, answer.time) else {
            return self.early.put(&asked, worker, answer);
        };
        self.ended(ended, made_by);
        self.counts.answered += 1;
        self.events.push_back(answered_by(&worker, ticket, answer));
    }

    /// Ends a comparison: its held answer is kept if the worker is still trusted; else the search
    /// is made again.
    pub(super) fn settle(&mut self, number: u64) {
        let Some(held) = self.held_back.remove(&number) else { return };
        if self.workers.is_barred(&held.worker) {
            self.jobs.make_again(held.ticket);
        } else {
            self.keep(held);
        }
    }

    /// Handles a search that ended before or beyond its limit. Some engines do so in decided
    /// positions: the engine here makes the search, and is compared with the worker.
    fn doubted(
        &mut self,
        ticket: Option<u64>,
        worker: Token,
        asked: &LimitedSearch,
        answer: &Answer,
    ) {
        let Some(ticket) = ticket else { return };
        self.jobs.make_here(ticket);
        if self.compares {
            let (doubted, word) = (witness(&worker), Testimony::of(answer));
            let number = self.doubles.begin(asked.clone(), doubted, word);
            self.ask_another(number, asked.clone());
        }
    }

    /// Handles an invalid answer: several put its worker in quarantine.
    fn flawed(
        &mut self,
        ticket: Option<u64>,
        worker: &Token,
        asked: &LimitedSearch,
        flaw: &WorkFlaw,
    ) {
        let what = self.note_flaw(worker, &asked.search, flaw);
        if let Some(ticket) = ticket {
            self.failed_there(ticket, worker, what);
        }
    }

    /// Counts an invalid answer; returns its flaw.
    pub(super) fn note_flaw(&mut self, worker: &Token, search: &Search, flaw: &WorkFlaw) -> String {
        self.counts.refused += 1;
        let what = format!("its answer in {} is none: {flaw}", fen_of(&search.position));
        let flaws = self.flaws.entry(worker.clone()).or_default();
        *flaws += 1;
        if *flaws >= FLAWS {
            self.quarantine(worker, &what);
        }
        what
    }

    /// Has a failed search made by another worker.
    fn failed_there(&mut self, ticket: u64, worker: &Token, what: String) {
        let Some(attempt) = self.jobs.failed(ticket, worker) else { return };
        let error = self.remote(worker, what);
        self.events.push_back(Event::Fault { ticket: Some(ticket), error, attempt });
    }

    pub(super) fn remote(&self, worker: &Token, what: String) -> EngineError {
        let reason = Reason::Remote { worker: self.workers.name(worker), what };
        EngineError::new(&self.profile.engine, reason)
    }

    /// Quarantines a worker found wrong: its answers are invalid, and runs remove those they have.
    pub(super) fn quarantine(&mut self, worker: &Token, why: &str) {
        if self.workers.is_barred(worker) {
            return;
        }
        self.bar(worker, why);
        let (worker, why) = (WorkerId::new(worker.as_str()), why.to_owned());
        self.events.push_back(Event::Quarantined { worker, why });
    }

    /// Ignores a worker's answers from now on.
    pub(super) fn bar(&mut self, worker: &Token, why: &str) {
        if self.workers.standing(worker).is_some() {
            let name = self.workers.name(worker);
            self.notice(format!("worker {name:?} is in quarantine: {why}"), false);
            let (grower, why) = (self.plan.grower.clone(), why.to_owned());
            let order = Order::Quarantine { grower, worker: worker.clone(), why };
            self.link.send(GrowerCommand::Order(encode(&order)));
        }
        self.workers.bar(worker, why);
        self.early.forget(worker);
        self.take_long_from(worker);
    }
}

pub(super) fn witness(worker: &Token) -> Witness {
    Witness::Worker(worker.clone())
}
