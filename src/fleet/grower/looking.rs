//! What a grower does from time to time.

use std::time::{Duration, Instant};

use crate::fleet::link::GrowerCommand;
use crate::fleet::message::{GrowerState, encode, plain};

use super::workers::Standing;
use super::{FleetEngines, LOOK, SIGN};

/// After so long with searches that nobody makes it says why.
const IDLE: Duration = Duration::from_secs(15);
/// So many workers are named then.
const NAMED: usize = 5;

/// Since when searches wait for workers, and whether that was told.
#[derive(Debug, Default)]
pub(super) struct Idleness {
    since: Option<Instant>,
    is_told: bool,
}

impl FleetEngines {
    /// Looks for what is lost or slow, and gives signs of life.
    pub(super) fn look(&mut self) {
        let now = Instant::now();
        if now >= self.next_look {
            self.next_look = now + LOOK;
            for (worker, name) in self.workers.forget_silent(now) {
                self.canaries.forget(&worker);
                self.notice(format!("worker {name:?} is gone"), true);
            }
            for (id, _) in self.jobs.look(now) {
                self.link.send(GrowerCommand::Remove(id));
            }
            for worker in self.workers.due_to_be_asked(now) {
                self.prove(&worker);
            }
            self.look_at_comparisons(now);
            self.tell_of_idleness(now);
        }
        if now >= self.next_sign {
            self.next_sign = now + SIGN;
            self.link.send(GrowerCommand::State(encode(&self.state())));
        }
        self.begin();
    }

    fn state(&self) -> GrowerState {
        GrowerState {
            grower: self.plan.grower.clone(),
            name: self.plan.name.clone(),
            engine: self.engine.clone(),
            engine_name: self.profile.engine.clone(),
            waiting: self.jobs.waiting(),
            away: self.jobs.away(),
            answered: self.counts.answered,
            sent_again: self.jobs.sent_again(),
            refused: self.counts.refused,
            doubled: self.doubles.begun(),
            quarantined: self.workers.quarantined(),
        }
    }

    /// Comparisons of which their worker will say nothing are made by somebody else.
    fn look_at_comparisons(&mut self, now: Instant) {
        let is_there = |worker: &_| self.workers.standing(worker) == Some(&Standing::Trusted);
        for (number, asked) in self.doubles.overdue(now, is_there) {
            self.ask_another(number, asked);
        }
        self.look_for_others(now);
        if self.doubles.is_full() && !std::mem::replace(&mut self.is_full_told, true) {
            let what = "answers are not compared now: too many comparisons wait".to_owned();
            self.notice(what, false);
        }
    }

    /// Says why nothing is searched, once.
    fn tell_of_idleness(&mut self, now: Instant) {
        let is_idle = !self.plan.searches_here
            && self.jobs.waiting() > 0
            && self.jobs.here() + self.jobs.away() == 0;
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
            return "nothing is searched: the fleet's server is not there".to_owned();
        }
        let workers = self.workers.idle();
        let mut named: Vec<String> =
            workers.iter().map(|(name, why)| format!("{name:?} {why}")).collect();
        if !self.others.is_empty() {
            named.push(format!("{} have another engine, build or option", self.others.len()));
        }
        if named.is_empty() {
            return "nothing is searched: no worker is heard of".to_owned();
        }
        named.truncate(NAMED);
        plain(&format!("nothing is searched: of the workers, {}", named.join(", ")))
    }
}
