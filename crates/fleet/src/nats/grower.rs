//! A grower's connection.

use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::context::Context;
use async_nats::jetstream::message::PublishMessage;
use async_nats::{Client, Message, Subscriber};
use crossbeam_channel::Sender;
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::link::{Connection, GrowerCommand, GrowerEvent, Link};
use crate::message::{Token, plain};
use crate::subjects::{
    GROWERS, INBOX_OF_GROWERS, Lane, ORDERS, WORKERS, answers_to, checks_of, is_inbox_of_worker,
    speaker,
};

use super::access::{Access, FleetError};
use super::places::Places;
use super::{AGAIN, ConnectionChange, Wire, bounded_payload, start, streams};

/// Time limit for sending a message that may be lost.
const SEND: Duration = Duration::from_secs(1);

/// Connects a grower.
///
/// # Errors
///
/// As for any connection: [`FleetError`].
pub fn link(
    access: Access,
    grower: Token,
    engine: Token,
) -> Result<Link<GrowerCommand, GrowerEvent>, FleetError> {
    let name = (format!("deepanalyze grower {grower}"), INBOX_OF_GROWERS.to_owned());
    let subjects = vec![WORKERS.to_owned(), answers_to(&grower)];
    start(access, name, subjects, move |wire| async move {
        let Wire { client, mut commands, events, mut changes } = wire;
        let Ok(workers) = client.subscribe(WORKERS).await else { return };
        let Ok(answers) = client.subscribe(answers_to(&grower)).await else { return };
        let (published, mut places) = unbounded_channel();
        let grower = GrowerConnection {
            context: streams::context(&client),
            client,
            grower,
            engine,
            events,
            published,
            places: Places::default(),
            made: [false; 2],
        };
        grower.run(&mut commands, &mut changes, &mut places, workers, answers).await;
    })
}

/// A job's number in its queue, or why it was refused; the sending's number.
type Placement = (Token, u64, Result<u64, String>);

struct GrowerConnection {
    client: Client,
    context: Context,
    grower: Token,
    engine: Token,
    events: Sender<GrowerEvent>,
    published: UnboundedSender<Placement>,
    places: Places,
    /// True if a queue is known to exist.
    made: [bool; 2],
}

impl GrowerConnection {
    async fn run(
        mut self,
        commands: &mut UnboundedReceiver<GrowerCommand>,
        changes: &mut UnboundedReceiver<ConnectionChange>,
        places: &mut UnboundedReceiver<Placement>,
        mut workers: Subscriber,
        mut answers: Subscriber,
    ) {
        let mut again = interval(AGAIN);
        again.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                command = commands.recv() => match command {
                    Some(command) => self.obey(command).await,
                    None => return,
                },
                Some(change) = changes.recv() => self.changed(change),
                Some(place) = places.recv() => self.placed(place),
                Some(message) = workers.next() => self.tell(match bounded_payload(&message) {
                    Ok(payload) => GrowerEvent::Worker(speaker(&message.subject).to_owned(), payload),
                    Err(why) => GrowerEvent::Refused(why),
                }),
                Some(message) = answers.next() => self.answer(&message),
                _ = again.tick(), if self.made != [true; 2] => self.make_queues().await,
            }
        }
    }

    fn tell(&self, event: GrowerEvent) {
        // Lost if the run is over.
        let _ = self.events.send(event);
    }

    fn answer(&self, message: &Message) {
        let worker = speaker(&message.subject);
        let confirm = message.reply.as_deref();
        self.tell(match (bounded_payload(message), confirm) {
            // A publication there has the rights of this grower.
            (_, Some(to)) if !is_inbox_of_worker(to, worker) => {
                let to = plain(to);
                GrowerEvent::Refused(format!("an answer that is to be confirmed at {to:?}"))
            }
            (Err(why), _) => GrowerEvent::Refused(why),
            (Ok(message), confirm) => GrowerEvent::Answer {
                worker: worker.to_owned(),
                message,
                confirm: confirm.map(str::to_owned),
            },
        });
    }

    /// The broker came, perhaps without its memory, or went.
    fn changed(&mut self, change: ConnectionChange) {
        match change {
            ConnectionChange::Come => self.made = [false; 2],
            ConnectionChange::Gone => {
                self.made = [false; 2];
                let down = Connection::Down("the broker is not there".to_owned());
                self.tell(GrowerEvent::Connection(down));
            }
            ConnectionChange::Trouble(what) => self.tell(GrowerEvent::Trouble(what)),
        }
    }

    async fn make_queues(&mut self) {
        if self.client.connection_state() != State::Connected {
            return;
        }
        let mut unwanted = Vec::new();
        for (lane, made) in Lane::ALL.into_iter().zip(&mut self.made) {
            match streams::stream(&self.context, lane).await {
                Ok(stream) => {
                    let created = stream.cached_info().created.unix_timestamp_nanos();
                    unwanted.extend(self.places.is_there(lane, created));
                    *made = true;
                }
                Err(why) => {
                    let _ = self.events.send(GrowerEvent::Connection(Connection::Down(why)));
                    return;
                }
            }
        }
        unwanted.into_iter().for_each(|(lane, number)| self.delete(lane, number));
        self.tell(GrowerEvent::Connection(Connection::Up));
    }

    async fn obey(&mut self, command: GrowerCommand) {
        let client = self.client.clone();
        let is_there = client.connection_state() == State::Connected;
        let (subject, payload) = match command {
            GrowerCommand::Publish { id, lane, message_id, payload } => {
                return self.publish(id, lane, message_id, payload);
            }
            GrowerCommand::Remove(id) => return self.remove(&id),
            GrowerCommand::Done(id) => {
                self.places.forget(&id);
                return;
            }
            GrowerCommand::Clear => return self.clear().await,
            GrowerCommand::Renew(lane) => return self.renew(lane),
            GrowerCommand::Check(worker, payload) => (checks_of(&worker), payload),
            GrowerCommand::Order(payload) => (ORDERS.to_owned(), payload),
            GrowerCommand::State(payload) => (GROWERS.to_owned(), payload),
            GrowerCommand::Confirm(to) => (to, Vec::new()),
        };
        // A lost one is repeated or not needed; waiting for a full queue could last for ever.
        if is_there
            && let Ok(Err(error)) = timeout(SEND, client.publish(subject, payload.into())).await
        {
            tracing::debug!(%error, "not sent");
        }
    }

    /// Sends a job; its number is reported later.
    fn publish(&mut self, id: Token, lane: Lane, message_id: String, payload: Vec<u8>) {
        let sending = self.places.send(id.clone(), lane);
        let subject = lane.of_grower(&self.engine, &self.grower);
        let message = PublishMessage::build().payload(payload.into()).message_id(message_id);
        let (context, published) = (self.context.clone(), self.published.clone());
        tokio::spawn(async move {
            let taken = match context.send_publish(subject, message).await {
                Ok(ack) => ack.await,
                Err(error) => Err(error),
            };
            let taken = taken.map(|ack| ack.sequence).map_err(|error| error.to_string());
            let _ = published.send((id, sending, taken));
        });
    }

    fn placed(&mut self, (id, sending, taken): Placement) {
        match taken {
            Ok(number) => {
                if let Some((lane, number)) = self.places.placed(&id, sending, number) {
                    self.delete(lane, number);
                }
            }
            Err(why) => {
                // A broker that has lost its memory has no queues.
                self.made = [false; 2];
                self.places.not_placed(&id, sending);
                self.tell(GrowerEvent::NotTaken(id, why));
            }
        }
    }

    fn remove(&mut self, id: &Token) {
        let Some((lane, number)) = self.places.forget(id) else { return };
        if self.made == [true; 2] {
            self.delete(lane, number);
        } else {
            // Once the broker is back, the number may be another's.
            self.places.is_unwanted(lane, number);
        }
    }

    fn delete(&self, lane: Lane, number: u64) {
        let context = self.context.clone();
        tokio::spawn(async move {
            if let Ok(stream) = context.get_stream_no_info(lane.stream()).await {
                // It is gone if a worker has taken it off the queue.
                let _ = stream.delete_message(number).await;
            }
        });
    }

    fn renew(&self, lane: Lane) {
        let (context, engine, events) =
            (self.context.clone(), self.engine.clone(), self.events.clone());
        tokio::spawn(async move {
            let deleted = streams::forget_readers(&context, lane, &engine).await;
            if let Err(why) = deleted {
                let _ = events.send(GrowerEvent::Trouble(why));
            }
        });
    }

    async fn clear(&mut self) {
        if self.client.connection_state() != State::Connected {
            return;
        }
        for lane in Lane::ALL {
            let subject = lane.of_grower(&self.engine, &self.grower);
            if let Ok(stream) = self.context.get_stream_no_info(lane.stream()).await
                && let Err(error) = stream.purge().filter(subject).await
            {
                tracing::debug!(%error, "not cleared");
            }
        }
    }
}
