//! What a grower hears of the broker and of workers.

use std::time::Instant;

use crate::link::{Connection, GrowerEvent};
use crate::message::{WorkerState, decode, plain};

use super::workers::Standing;
use super::{FleetEngines, PAUSE};

impl FleetEngines {
    /// Takes what the fleet tells.
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
                self.trouble(format!("the fleet's server complains: {}", plain(&what)));
            }
            GrowerEvent::NotTaken(id, why) => {
                tracing::warn!(%id, why, "the broker does not take a job");
                self.paused_until = Some(Instant::now() + PAUSE);
                self.jobs.not_taken(&id);
                self.trouble(format!("the broker takes no searches: {why}"));
            }
        }
    }

    /// Tells what is wrong, once.
    fn trouble(&mut self, what: String) {
        if self.trouble.as_ref() != Some(&what) {
            self.trouble = Some(what.clone());
            self.notice(what, false);
        }
    }

    fn hear_worker(&mut self, state: WorkerState) {
        if state.engine != self.engine {
            if self.others.len() < 1000 && self.others.insert(state.worker.clone()) {
                let WorkerState { name, engine_name, .. } = state;
                let what = format!(
                    "worker {name:?} has another engine, build or option than this run: \
                     {engine_name:?}"
                );
                self.notice(what, false);
            }
            return;
        }
        let now = Instant::now();
        let (worker, jobs) = (state.worker.clone(), state.jobs.clone());
        if self.workers.hear(state, now) {
            self.prove(&worker);
        }
        // What others have is not believed to be made.
        if self.workers.standing(&worker) == Some(&Standing::Trusted) {
            self.jobs.seen(&jobs, now);
        }
    }

    /// The broker takes searches, as far as is known.
    pub(super) fn is_taking(&mut self) {
        self.paused_until = None;
        self.trouble = None;
    }

    /// A message that cannot be read changes nothing. It need not come again.
    pub(super) fn refuse(&mut self, why: &str) -> bool {
        self.counts.refused += 1;
        tracing::warn!(why, "a message of the fleet is refused");
        if self.counts.refused <= 3 {
            self.notice(format!("a message of the fleet is refused: {why}"), false);
        }
        true
    }
}
