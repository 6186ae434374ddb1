//! What a worker hears of the broker and of growers.

use std::time::{Duration, Instant};

use crate::link::{Connection, WorkerCommand, WorkerEvent};
use crate::message::{Job, Order, decode, plain};
use crate::subjects::Lane;

use super::held::{Coming, Source};
use super::{PAUSE, Worker, WorkerNews};

/// How long a job that this worker has already is left to others.
const PAUSE_TWICE: Duration = Duration::from_secs(10);

impl Worker<'_> {
    /// Takes what the fleet tells.
    pub(super) fn hear(&mut self, event: WorkerEvent) {
        match event {
            WorkerEvent::Connection(connection) => {
                self.is_up = connection == Connection::Up;
                (self.tell)(WorkerNews::Connection(connection));
                // A grower that has just come back is to know what is being searched.
                self.sign(false);
            }
            WorkerEvent::Job(message, lane, delivery) => {
                self.come(&message, Source::Queue(lane, delivery));
            }
            WorkerEvent::Check(message) => self.come(&message, Source::Check),
            WorkerEvent::NoMore(lane, missing) => self.held.no_more(lane, missing),
            WorkerEvent::Order(message) => match decode(&message) {
                Ok(order) => self.obey(order),
                Err(error) => self.refuse(error.to_string(), None),
            },
            WorkerEvent::Refused(why, place) => self.refuse(why, place),
            WorkerEvent::Trouble(what) => (self.tell)(WorkerNews::Trouble(plain(&what))),
        }
    }

    fn come(&mut self, message: &[u8], source: Source) {
        let refused = match decode::<Job>(message) {
            Ok(job) if job.engine == self.engine => {
                if !self.reasons.asked(&job.grower, Instant::now())
                    && let Some((lane, delivery)) = source.place()
                {
                    self.held.no_more(lane, 1);
                    return self.link.send(WorkerCommand::Return(delivery, PAUSE));
                }
                let coming = self.held.come(job, source, self.takes());
                return self.give_back_some(coming, source);
            }
            Ok(_) => "a job for another engine".to_owned(),
            Err(error) => error.to_string(),
        };
        self.refuse(refused, source.place());
    }

    /// A message cannot be read: it need not come again.
    fn refuse(&mut self, why: String, place: Option<(Lane, u64)>) {
        (self.tell)(WorkerNews::Refused(why));
        if let Some((lane, delivery)) = place {
            self.held.no_more(lane, 1);
            self.link.send(WorkerCommand::Forget(delivery));
        }
    }

    fn give_back_some(&self, coming: Coming, source: Source) {
        let (delivery, pause) = match coming {
            Coming::Held => return,
            Coming::Twice => (source.delivery(), PAUSE_TWICE),
            Coming::Full => (source.delivery(), PAUSE),
            Coming::InsteadOf(guess) => (guess.source.delivery(), PAUSE),
        };
        if let Some(delivery) = delivery {
            self.link.send(WorkerCommand::Return(delivery, pause));
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Cancel { grower, jobs } => {
                for (ticket, held) in self.held.cancel(&grower, &jobs) {
                    if held.is_searched {
                        self.pool.abandon(ticket);
                    }
                    if let Some(delivery) = held.source.delivery() {
                        self.link.send(WorkerCommand::Forget(delivery));
                    }
                }
            }
            Order::Require { grower, jobs } => self.held.require(&grower, &jobs),
            Order::Quarantine { grower, worker, why } if worker == self.plan.worker => {
                self.reasons.bar(grower, why, Instant::now());
            }
            Order::Quarantine { .. } => {}
        }
    }
}
