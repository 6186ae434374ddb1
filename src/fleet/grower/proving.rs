//! Whether workers have the same engine: the searches that they make when they join, and those that two make.

use crate::engine::EngineError;
use crate::fleet::checking::check;
use crate::fleet::link::GrowerCommand;
use crate::fleet::message::{Asked, Outcome, Token, encode};
use crate::fleet::trust::{Finding, Verdict, Witness, Word};
use crate::search::Answer;

use super::answers::witness;
use super::workers::Standing;
use super::{FleetEngines, OWN};

/// What a search is for that no run has asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// One of those that every worker makes.
    Canary(usize),
    /// A comparison.
    Double(u64),
}

impl FleetEngines {
    /// Makes the canaries on an engine of this computer.
    pub(super) fn search_canaries(&mut self) {
        for (ticket, asked) in (OWN..).zip(self.canaries.asked()) {
            self.pool.submit_as(ticket, asked.search.clone(), asked.limit, false);
            self.own_tickets = ticket + 1;
        }
    }

    /// Has a worker show that its engine is the same.
    pub(super) fn prove(&mut self, worker: &Token) {
        let asked: Vec<Asked> = self.canaries.asked().to_vec();
        for (number, asked) in asked.into_iter().enumerate() {
            self.check_at(worker, &format!("canary-{number}"), asked);
        }
    }

    fn check_at(&self, worker: &Token, name: &str, asked: Asked) {
        if let Ok(id) = Token::try_from(name.to_owned()) {
            let job = encode(&self.job(id, asked));
            self.link.send(GrowerCommand::Check(worker.clone(), job));
        }
    }

    /// What a job is for that no run has asked for.
    pub(super) fn purpose_of(&self, id: &Token) -> Option<Purpose> {
        let (kind, number) = id.as_str().split_once('-')?;
        match kind {
            "canary" => number.parse().ok().map(Purpose::Canary),
            "double" => number.parse().ok().map(Purpose::Double),
            _ => None,
        }
    }

    /// A worker has made a search for comparison.
    pub(super) fn compared(
        &mut self,
        purpose: Purpose,
        worker: &Token,
        asked: &Asked,
        outcome: &Outcome,
    ) {
        let Outcome::Answered(answer) = outcome else {
            if let Purpose::Double(number) = purpose {
                self.doubles.forget(number);
            }
            return;
        };
        if let Err(flaw) = check(&asked.search, asked.limit, answer) {
            return self.quarantine(worker, &flaw.to_string());
        }
        let word = Word::of(answer);
        match purpose {
            Purpose::Canary(number) => {
                self.canaries.hear(&witness(worker), number, word);
                self.judge_newcomers();
            }
            Purpose::Double(number) => self.heard_double(number, witness(worker), word),
        }
    }

    /// An engine of this computer has made such a search.
    pub(super) fn own_answer(&mut self, ticket: u64, answer: &Answer) {
        let word = Word::of(answer);
        if let Some(number) = self.comparing.remove(&ticket) {
            return self.heard_double(number, Witness::Own, word);
        }
        if let Ok(number) = usize::try_from(ticket - OWN) {
            self.canaries.hear(&Witness::Own, number, word);
            self.judge_newcomers();
        }
    }

    /// The engine of this computer cannot say.
    pub(super) fn own_failed(&mut self, ticket: u64, error: &EngineError) {
        if let Some(number) = self.comparing.remove(&ticket) {
            return self.doubles.forget(number);
        }
        self.notice(format!("workers cannot be compared with the engine here: {error}"), false);
    }

    fn judge_newcomers(&mut self) {
        for worker in self.workers.proving() {
            match self.canaries.verdict(&worker) {
                Verdict::Open => {}
                Verdict::Same => self.workers.set_standing(&worker, Standing::Trusted),
                Verdict::Alone => {
                    self.workers.set_standing(&worker, Standing::Trusted);
                    let name = self.workers.name(&worker);
                    self.notice(format!("nobody can tell whether worker {name:?} is right"), false);
                }
                Verdict::Other(how) => self.quarantine(&worker, &how),
            }
        }
    }

    /// Has an answer compared with what another says: a worker that has the least to do, else our engine.
    pub(super) fn double(&mut self, asked: Asked, worker: Token, word: Word) {
        let number = self.doubles.begin(asked.clone(), witness(&worker), word);
        match self.workers.another(&[worker]) {
            Some(other) => self.check_at(&other, &format!("double-{number}"), asked),
            None => self.search_double(number, asked),
        }
    }

    fn search_double(&mut self, number: u64, asked: Asked) {
        self.own_tickets += 1;
        self.comparing.insert(self.own_tickets, number);
        self.pool.submit_as(self.own_tickets, asked.search, asked.limit, false);
    }

    fn heard_double(&mut self, number: u64, witness: Witness, word: Word) {
        match self.doubles.hear(number, witness, word) {
            Finding::Agreed => {}
            // What our engine says is right.
            Finding::Differ(asked, _) => self.search_double(number, asked),
            Finding::Odd(workers, how) => {
                workers.iter().for_each(|worker| self.quarantine(worker, &how));
            }
        }
    }
}
