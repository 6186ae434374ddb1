//! Checks that workers have the same engine: the searches made on joining, and those made by two.

use std::time::Instant;

use crate::checking::check;
use crate::link::GrowerCommand;
use crate::message::{LimitedSearch, Outcome, Token, encode};
use crate::trust::{CanaryVerdict, ComparisonOutcome, Lacking, Testimony, Witness};
use deepanalyze_core::search::Answer;
use deepanalyze_engine::EngineError;

use super::receiving::witness;
use super::workers::WorkerStanding;
use super::{FleetEngines, OWN};

/// Purpose of a search not asked for by a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// One that every worker makes.
    Canary(usize),
    /// A comparison.
    Double(u64),
    /// One of these for an earlier run.
    Earlier,
}

impl FleetEngines {
    /// Makes the canaries on an engine of this computer.
    pub(super) fn search_canaries(&mut self) {
        for (ticket, asked) in (OWN..).zip(self.canaries.asked()) {
            self.here.submit(ticket, asked.clone(), false);
            self.own_tickets = ticket + 1;
        }
    }

    /// Has a worker show that its engine is the same.
    pub(super) fn prove(&mut self, worker: &Token) {
        let asked: Vec<LimitedSearch> = self.canaries.asked().to_vec();
        for (number, asked) in asked.into_iter().enumerate() {
            self.check_at(worker, &format!("canary-{}-{number}", self.jobs.run()), asked);
        }
    }

    fn check_at(&self, worker: &Token, name: &str, asked: LimitedSearch) {
        if let Ok(id) = Token::try_from(name.to_owned()) {
            let job = encode(&self.job(id, asked));
            self.link.send(GrowerCommand::Check(worker.clone(), job));
        }
    }

    /// A job's purpose, if not asked for by a run.
    pub(super) fn purpose_of(&self, id: &Token) -> Option<Purpose> {
        let (kind, rest) = id.as_str().split_once('-')?;
        let number = rest.split_once('-').filter(|(run, _)| *run == self.jobs.run());
        let number = number.and_then(|(_, number)| number.parse::<u64>().ok());
        match (kind, number) {
            ("canary", Some(number)) => usize::try_from(number).ok().map(Purpose::Canary),
            ("double", Some(number)) => Some(Purpose::Double(number)),
            ("canary" | "double", None) => Some(Purpose::Earlier),
            _ => None,
        }
    }

    /// Handles a worker's search for comparison; ignored unless it was asked for.
    pub(super) fn compared(
        &mut self,
        purpose: Purpose,
        worker: &Token,
        asked: &LimitedSearch,
        outcome: &Outcome,
    ) {
        if !self.has_asked(purpose, worker, asked) {
            return;
        }
        let is_trusted = self.workers.standing(worker) == Some(&WorkerStanding::Trusted);
        let Outcome::Answered(answer) = outcome else {
            return self.search_in_its_place(purpose, asked);
        };
        if let Err(flaw) = check(&asked.search, asked.limit, answer) {
            self.quarantine(worker, &flaw.to_string());
            return self.search_in_its_place(purpose, asked);
        }
        let word = Testimony::of(answer);
        match purpose {
            Purpose::Canary(number) => {
                self.canaries.hear(&witness(worker), number, word);
                self.judge_newcomers();
            }
            Purpose::Double(number) if is_trusted => {
                self.heard_double(number, witness(worker), word);
            }
            Purpose::Double(_) => self.search_in_its_place(purpose, asked),
            Purpose::Earlier => {}
        }
    }

    /// True if this worker is to make this search for that purpose.
    fn has_asked(&self, purpose: Purpose, worker: &Token, asked: &LimitedSearch) -> bool {
        match purpose {
            Purpose::Canary(number) => {
                self.workers.standing(worker) == Some(&WorkerStanding::Proving)
                    && self.canaries.asked().get(number) == Some(asked)
            }
            Purpose::Double(number) => self.doubles.awaits(number, worker, asked),
            Purpose::Earlier => false,
        }
    }

    /// Has another make a worker's comparison.
    fn search_in_its_place(&mut self, purpose: Purpose, asked: &LimitedSearch) {
        if let Purpose::Double(number) = purpose {
            self.ask_another(number, asked.clone());
        }
    }

    /// Handles such a search of an engine here.
    pub(super) fn own_answer(&mut self, ticket: u64, answer: &Answer) {
        let word = Testimony::of(answer);
        if let Some(number) = self.comparing.remove(&ticket) {
            return self.heard_double(number, Witness::Own, word);
        }
        if let Ok(number) = usize::try_from(ticket - OWN) {
            self.canaries.hear(&Witness::Own, number, word);
            self.judge_newcomers();
        }
    }

    /// Notes that the engine here failed.
    pub(super) fn own_failed(&mut self, ticket: u64, error: &EngineError) {
        if let Some(number) = self.comparing.remove(&ticket) {
            self.doubles.forget(number);
            return self.settle(number);
        }
        self.canaries.without_own();
        self.notice(
            format!("workers are compared with each other, not with the engine here: {error}"),
            false,
        );
        self.judge_newcomers();
    }

    /// Judges workers not yet judged, and those trusted alone.
    fn judge_newcomers(&mut self) {
        let unsure: Vec<Token> = self.lone.iter().cloned().chain(self.workers.proving()).collect();
        for worker in unsure {
            match self.canaries.verdict(&worker) {
                CanaryVerdict::Open => {}
                CanaryVerdict::Same => {
                    self.lone.remove(&worker);
                    self.workers.set_standing(&worker, WorkerStanding::Trusted);
                }
                CanaryVerdict::Alone => self.believe_alone(&worker),
                CanaryVerdict::Other(how) => {
                    self.lone.remove(&worker);
                    self.quarantine(&worker, &how);
                }
            }
        }
    }

    fn believe_alone(&mut self, worker: &Token) {
        if self.lone.insert(worker.clone()) {
            self.workers.set_standing(worker, WorkerStanding::Trusted);
            let name = self.workers.name(worker);
            self.notice(
                format!("cannot verify worker {name:?}: no other engine to compare with"),
                false,
            );
        }
    }

    /// Has an answer compared with that of the least busy other worker, else our engine's. Returns
    /// the comparison's number.
    pub(super) fn double(&mut self, asked: LimitedSearch, worker: Token, word: Testimony) -> u64 {
        let number = self.doubles.begin(asked.clone(), witness(&worker), word);
        match self.workers.another(&[worker]) {
            Some(other) => self.ask_worker(number, asked, &other),
            None => self.ask_another(number, asked),
        }
        number
    }

    fn ask_worker(&mut self, number: u64, asked: LimitedSearch, worker: &Token) {
        self.doubles.ask(number, worker.clone(), Instant::now());
        self.check_at(worker, &format!("double-{}-{number}", self.jobs.run()), asked);
    }

    /// Has a comparison made by the engine here, else by a worker that has not made it yet.
    pub(super) fn ask_another(&mut self, number: u64, asked: LimitedSearch) {
        if self.here.is_there() {
            self.own_tickets += 1;
            self.comparing.insert(self.own_tickets, number);
            return self.here.submit(self.own_tickets, asked, false);
        }
        match self.workers.another(&self.doubles.witnesses(number)) {
            Some(other) => self.ask_worker(number, asked, &other),
            None => self.doubles.lack(number, Instant::now()),
        }
    }

    /// Looks for a worker for comparisons that lack one. If those who differ lack a third for too
    /// long, both are quarantined; a single answer is accepted.
    pub(super) fn look_for_others(&mut self, now: Instant) {
        for Lacking { number, asked, odd } in self.doubles.lacking(now) {
            if let Some(other) = self.workers.another(&self.doubles.witnesses(number)) {
                self.ask_worker(number, asked, &other);
            } else if let Some((workers, how)) = odd {
                let how = format!("{how}; there is no third worker to decide");
                workers.iter().for_each(|worker| self.quarantine(worker, &how));
                self.end_comparison(number);
            } else if !self.doubles.is_disputed(number) {
                self.end_comparison(number);
            }
        }
    }

    fn end_comparison(&mut self, number: u64) {
        self.doubles.forget(number);
        self.settle(number);
    }

    fn heard_double(&mut self, number: u64, witness: Witness, word: Testimony) {
        match self.doubles.hear(number, witness, word) {
            ComparisonOutcome::Agreed => self.settle(number),
            // Our engine is right, or two workers that agree.
            ComparisonOutcome::Differ(asked) => self.ask_another(number, asked),
            ComparisonOutcome::Odd(workers, how) => {
                workers.iter().for_each(|worker| self.quarantine(worker, &how));
                self.settle(number);
            }
        }
    }
}
