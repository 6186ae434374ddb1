//! A worker's connection: takes jobs out of the queues, and sends answers to growers.

use std::collections::HashMap;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::context::Context;
use async_nats::jetstream::{AckKind, Message};
use async_nats::{Client, Subscriber};
use crossbeam_channel::Sender;
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::link::{Connection, Link, WorkerCommand, WorkerEvent};
use crate::message::Token;
use crate::subjects::{Lane, ORDERS, answers_of, checks_of, inbox_of_worker, signs_of};

use super::access::{Access, FleetError};
use super::{AGAIN, ConnectionChange, Wire, bounded_payload, start, streams};

/// Interval of the signs that a job is being worked on.
const SIGN: Duration = Duration::from_secs(10);
/// Time limit for sending a message that may be lost.
const SEND: Duration = Duration::from_secs(1);
/// Time for a grower to confirm an answer, before it is sent again.
const CONFIRM: Duration = Duration::from_secs(5);
/// Length of a wait for jobs.
const PULL: Duration = Duration::from_secs(30);
/// Time for which an answer is repeated.
const LONGEST: Duration = Duration::from_secs(600);

/// Connects a worker.
///
/// # Errors
///
/// As for any connection: [`FleetError`].
pub fn link(
    access: Access,
    worker: Token,
    engine: Token,
) -> Result<Link<WorkerCommand, WorkerEvent>, FleetError> {
    let name = (format!("deepanalyze worker {worker}"), inbox_of_worker(worker.as_str()));
    let subjects = vec![ORDERS.to_owned(), checks_of(&worker)];
    start(access, name, subjects, move |wire| async move {
        let Wire { client, mut commands, events, mut changes } = wire;
        let Ok(orders) = client.subscribe(ORDERS).await else { return };
        let Ok(checks) = client.subscribe(checks_of(&worker)).await else { return };
        let worker_token = worker;
        let (pulled, mut pulls) = unbounded_channel();
        let worker = WorkerConnection {
            context: streams::context(&client),
            client,
            worker: worker_token,
            engine,
            events,
            pulled,
            queues: None,
            held: HashMap::new(),
            deliveries: 0,
            waits: JoinSet::new(),
            missing: [0; 2],
            is_lost: false,
        };
        worker.run(&mut commands, &mut changes, &mut pulls, orders, checks).await;
    })
}

struct WorkerConnection {
    client: Client,
    context: Context,
    worker: Token,
    engine: Token,
    events: Sender<WorkerEvent>,
    pulled: UnboundedSender<Pulled>,
    queues: Option<[Consumer<pull::Config>; 2]>,
    /// Jobs still on their queues, by the numbers of their deliveries.
    held: HashMap<u64, Message>,
    deliveries: u64,
    /// Waits for jobs that go on.
    waits: JoinSet<()>,
    /// Jobs they wait for, by queue.
    missing: [usize; 2],
    /// True if the broker was there and is not.
    is_lost: bool,
}

impl WorkerConnection {
    async fn run(
        mut self,
        commands: &mut UnboundedReceiver<WorkerCommand>,
        changes: &mut UnboundedReceiver<ConnectionChange>,
        pulls: &mut UnboundedReceiver<Pulled>,
        mut orders: Subscriber,
        mut checks: Subscriber,
    ) {
        let mut sign = interval(SIGN);
        sign.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut again = interval(AGAIN);
        again.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                command = commands.recv() => match command {
                    Some(command) => self.obey(command).await,
                    None => return,
                },
                Some(change) = changes.recv() => self.changed(change),
                Some(pulled) = pulls.recv() => self.take(pulled),
                Some(message) = orders.next() => self.tell(match bounded_payload(&message) {
                    Ok(payload) => WorkerEvent::Order(payload),
                    Err(why) => WorkerEvent::Refused(why, None),
                }),
                Some(message) = checks.next() => self.tell(match bounded_payload(&message) {
                    Ok(payload) => WorkerEvent::Check(payload),
                    Err(why) => WorkerEvent::Refused(why, None),
                }),
                _ = sign.tick() => self.sign().await,
                _ = again.tick(), if self.queues.is_none() => self.open_queues().await,
            }
        }
    }

    fn tell(&self, event: WorkerEvent) {
        // Lost if the worker is leaving.
        let _ = self.events.send(event);
    }

    fn missed(&mut self, lane: Lane, count: usize) {
        let [required, guesses] = &mut self.missing;
        let missing = if lane == Lane::Required { required } else { guesses };
        *missing = missing.saturating_sub(count);
    }

    fn changed(&mut self, change: ConnectionChange) {
        match change {
            ConnectionChange::Come => self.came_or_went(true),
            ConnectionChange::Gone => self.came_or_went(false),
            ConnectionChange::Trouble(what) => self.tell(WorkerEvent::Trouble(what)),
        }
    }

    /// The broker has gone, or come back, perhaps without its memory: all requests to it are
    /// forgotten.
    fn came_or_went(&mut self, is_there: bool) {
        if std::mem::replace(&mut self.is_lost, !is_there) == self.is_lost {
            return;
        }
        self.queues = None;
        let down = Connection::Down("the broker is not there".to_owned());
        self.tell(WorkerEvent::Connection(down));
        self.waits.abort_all();
        for (lane, missing) in Lane::ALL.into_iter().zip(std::mem::take(&mut self.missing)) {
            self.tell(WorkerEvent::NoMore(lane, missing));
        }
    }

    async fn open_queues(&mut self) {
        if self.client.connection_state() != State::Connected {
            return;
        }
        let required = streams::consumer(&self.context, Lane::Required, &self.engine).await;
        let guesses = streams::consumer(&self.context, Lane::Guess, &self.engine).await;
        let connection = match (required, guesses) {
            (Ok(required), Ok(guesses)) => {
                self.queues = Some([required, guesses]);
                Connection::Up
            }
            (Err(why), _) | (_, Err(why)) => Connection::Down(why),
        };
        self.tell(WorkerEvent::Connection(connection));
    }

    async fn obey(&mut self, command: WorkerCommand) {
        match command {
            WorkerCommand::Take(lane, count) => self.pull(lane, count),
            WorkerCommand::Answer { grower, payload, delivery } => {
                let message = delivery.and_then(|delivery| self.held.remove(&delivery));
                let subject = answers_of(&grower, &self.worker);
                tokio::spawn(answer(self.client.clone(), subject, payload, message));
            }
            WorkerCommand::Return(delivery, pause) => {
                self.acknowledge(delivery, AckKind::Nak(Some(pause))).await;
            }
            WorkerCommand::Forget(delivery) => self.acknowledge(delivery, AckKind::Ack).await,
            WorkerCommand::Tell { grower, payload } => {
                self.publish(answers_of(&grower, &self.worker), payload).await;
            }
            WorkerCommand::State(payload) => self.publish(signs_of(&self.worker), payload).await,
        }
    }

    /// Sends what may be lost.
    async fn publish(&self, subject: String, payload: Vec<u8>) {
        if self.is_connected() {
            let _ = timeout(SEND, self.client.publish(subject, payload.into())).await;
        }
    }

    async fn acknowledge(&mut self, delivery: u64, kind: AckKind) {
        // An absent broker gives the job to another after its time in any case.
        if let Some(message) = self.held.remove(&delivery).filter(|_| self.is_connected()) {
            let _ = timeout(SEND, message.ack_with(kind)).await;
        }
    }

    fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Tells the broker of the jobs being worked on.
    async fn sign(&self) {
        for message in self.held.values().filter(|_| self.is_connected()) {
            let _ = timeout(SEND, message.ack_with(AckKind::Progress)).await;
        }
    }

    fn pull(&mut self, lane: Lane, count: usize) {
        let queue = self.queues.clone().map(|[required, guesses]| match lane {
            Lane::Required => required,
            Lane::Guess => guesses,
        });
        let [required, guesses] = &mut self.missing;
        *(if lane == Lane::Required { required } else { guesses }) += count;
        while self.waits.try_join_next().is_some() {}
        self.waits.spawn(pull(queue, lane, count, self.pulled.clone()));
    }

    fn take(&mut self, pulled: Pulled) {
        match pulled {
            Pulled::Job(message, lane) => {
                self.missed(lane, 1);
                // An acknowledgement is published with the rights of this worker.
                if !is_delivery(&message, lane) {
                    self.tell(WorkerEvent::NoMore(lane, 1));
                    let why = "a job that does not come from its queue".to_owned();
                    return self.tell(WorkerEvent::Refused(why, None));
                }
                self.deliveries += 1;
                let payload = bounded_payload(&message);
                self.held.insert(self.deliveries, *message);
                self.tell(match payload {
                    Ok(payload) => WorkerEvent::Job(payload, lane, self.deliveries),
                    Err(why) => WorkerEvent::Refused(why, Some((lane, self.deliveries))),
                });
            }
            Pulled::End(lane, missing, failed) => {
                self.missed(lane, missing);
                if let Some(why) = failed {
                    self.queues = None;
                    self.tell(WorkerEvent::Connection(Connection::Down(why)));
                }
                self.tell(WorkerEvent::NoMore(lane, missing));
            }
        }
    }
}

/// True if the broker delivers it from this queue.
fn is_delivery(message: &Message, lane: Lane) -> bool {
    message.info().is_ok_and(|info| info.stream == lane.stream())
}

/// Sends an answer to a grower until it confirms, then takes the job off its queue.
async fn answer(client: Client, subject: String, payload: Vec<u8>, message: Option<Message>) {
    let began = tokio::time::Instant::now();
    let mut pause = Duration::from_millis(250);
    loop {
        let is_there = client.connection_state() == State::Connected;
        if is_there {
            let asked = client.request(subject.clone(), payload.clone().into());
            if let Ok(Ok(_)) = timeout(CONFIRM, asked).await {
                break;
            }
        }
        if began.elapsed() > LONGEST {
            tracing::warn!(subject, "an answer is not wanted any more");
            break;
        }
        if let Some(message) = message.as_ref().filter(|_| is_there) {
            let _ = timeout(SEND, message.ack_with(AckKind::Progress)).await;
        }
        sleep(pause).await;
        pause = (pause * 2).min(SIGN);
    }
    if let Some(message) = message {
        let _ = timeout(SEND, message.ack()).await;
    }
}

/// Result of a pull.
enum Pulled {
    Job(Box<Message>, Lane),
    /// This many of the requested jobs are missing; the reason if the queue is.
    End(Lane, usize, Option<String>),
}

/// Takes jobs out of a queue as they come, for a while.
async fn pull(
    queue: Option<Consumer<pull::Config>>,
    lane: Lane,
    count: usize,
    pulled: UnboundedSender<Pulled>,
) {
    let mut missing = count;
    let failed = match &queue {
        Some(queue) => take_from(queue, lane, &mut missing, &pulled).await.err(),
        None => {
            sleep(AGAIN).await;
            None
        }
    };
    let _ = pulled.send(Pulled::End(lane, missing, failed));
}

async fn take_from(
    queue: &Consumer<pull::Config>,
    lane: Lane,
    missing: &mut usize,
    pulled: &UnboundedSender<Pulled>,
) -> Result<(), String> {
    let messages = queue.batch().max_messages(*missing).expires(PULL).messages().await;
    let mut messages = messages.map_err(|error| error.to_string())?;
    while let Some(message) = messages.next().await {
        let message = message.map_err(|error| error.to_string())?;
        *missing = missing.saturating_sub(1);
        let _ = pulled.send(Pulled::Job(Box::new(message), lane));
    }
    Ok(())
}
