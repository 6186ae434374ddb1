//! A grower's periodic checks.

use std::time::{Duration, Instant};

use crate::link::GrowerCommand;
use crate::message::{GrowerState, encode, plain};
use crate::subjects::Lane;

use super::jobs::Lost;
use super::workers::WorkerStanding;
use super::{FleetEngines, LOOK, SIGN};

/// Time without a running search before a report.
const IDLE: Duration = Duration::from_secs(15);
/// A search may be lost once without a stuck queue: a worker was killed, or the broker.
const ONCE_LOST: u32 = 1;
/// Pause before a queue is renewed again.
const RENEWED: Duration = Duration::from_secs(60);
/// The most workers named then.
const NAMED: usize = 5;

/// The beginning of idleness, and whether it was reported.
#[derive(Debug, Default)]
pub(super) struct Idleness {
    since: Option<Instant>,
    is_told: bool,
}

impl FleetEngines {
    /// Finds lost and slow searches, and gives signs of life.
    pub(super) fn look(&mut self) {
        let now = Instant::now();
        if now >= self.next_look {
            self.next_look = now + LOOK;
            for (worker, name) in self.workers.forget_silent(now) {
                self.canaries.forget(&worker);
                // If it is only slow to be heard, it learns of it.
                let lent = self.long.take_from(&worker);
                self.end_loans(lent.into_iter().map(|(_, id)| id).collect());
                self.notice(format!("worker {name:?} is gone"), true);
            }
            let lost = self.jobs.look(now);
            self.renew_stuck_queue(&lost, now);
            for Lost { id, .. } in lost {
                self.link.send(GrowerCommand::Remove(id));
            }
            for worker in self.workers.due_to_be_asked(now) {
                self.prove(&worker);
            }
            self.look_at_comparisons(now);
            self.look_at_long(now);
            self.tell_of_idleness(now);
        }
        if now >= self.next_sign {
            self.next_sign = now + SIGN;
            self.link.send(GrowerCommand::State(encode(&self.state())));
            self.renew_loans();
        }
        self.begin();
    }

    /// Makes the broker forget a queue's readers if it gives nothing to workers that wait for it.
    /// They begin anew; their unanswered jobs are given out once more.
    fn renew_stuck_queue(&mut self, lost: &[Lost], now: Instant) {
        let is_stuck = |lost: &Lost| lost.lane == Lane::Required && lost.attempts > ONCE_LOST;
        let is_tried = self.renewed.is_some_and(|at| now.saturating_duration_since(at) < RENEWED);
        if is_tried || !lost.iter().any(is_stuck) || !self.workers.has_free_engine() {
            return;
        }
        self.renewed = Some(now);
        self.link.send(GrowerCommand::Renew(Lane::Required));
        let what = "the server is not delivering jobs; workers are resubscribing";
        self.notice(what.to_owned(), false);
    }

    fn state(&self) -> GrowerState {
        GrowerState {
            grower: self.plan.grower.clone(),
            name: self.plan.name.clone(),
            engine: self.engine.clone(),
            engine_name: self.profile.engine.clone(),
            options: Some(self.profile.options.clone()),
            waiting: self.jobs.waiting() + self.long.waiting(),
            away: self.jobs.away() + self.long.loans().count(),
            answered: self.counts.answered,
            sent_again: self.jobs.sent_again(),
            refused: self.counts.refused,
            doubled: self.doubles.begun(),
            quarantined: self.workers.quarantined(),
        }
    }

    /// Reassigns comparisons whose worker will not answer.
    fn look_at_comparisons(&mut self, now: Instant) {
        let is_there = |worker: &_| self.workers.standing(worker) == Some(&WorkerStanding::Trusted);
        for (number, asked) in self.doubles.overdue(now, is_there) {
            self.ask_another(number, asked);
        }
        self.look_for_others(now);
        if self.doubles.is_full() && !std::mem::replace(&mut self.is_full_told, true) {
            let what = "not comparing answers now: too many comparisons are waiting".to_owned();
            self.notice(what, false);
        }
    }

    /// Reports why it is idle, once.
    fn tell_of_idleness(&mut self, now: Instant) {
        let is_idle = !self.plan.searches_here
            && self.jobs.waiting() + self.long.waiting() > 0
            && self.jobs.here() + self.jobs.away() + self.long.loans().count() == 0;
        if !is_idle {
            self.idleness = Idleness::default();
            return;
        }
        let since = *self.idleness.since.get_or_insert(now);
        let is_due = now.saturating_duration_since(since) >= IDLE;
        if is_due && !std::mem::replace(&mut self.idleness.is_told, true) {
            self.notice(self.why_idle(), false);
        }
    }

    fn why_idle(&self) -> String {
        if !self.is_up {
            return "no search is running: the fleet's server cannot be reached".to_owned();
        }
        let workers = self.workers.idle();
        let mut named: Vec<String> =
            workers.iter().map(|(name, why)| format!("{name:?} {why}")).collect();
        if !self.others.is_empty() {
            named.push(format!("{} have another engine, build or option", self.others.len()));
        }
        if named.is_empty() {
            return "no search is running: no workers found".to_owned();
        }
        named.truncate(NAMED);
        plain(&format!("no search is running: of the workers, {}", named.join(", ")))
    }
}
