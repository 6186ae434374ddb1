//! A grower's connection.

use std::collections::HashMap;

use async_nats::connection::State;
use async_nats::jetstream::context::Context;
use async_nats::jetstream::message::PublishMessage;
use async_nats::{Client, Message, Subscriber};
use crossbeam_channel::Sender;
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval};

use crate::fleet::error::FleetError;
use crate::fleet::link::{Connection, GrowerCommand, GrowerEvent, Link};
use crate::fleet::message::Token;
use crate::fleet::subjects::{GROWERS, Lane, ORDERS, WORKERS, answers_to, checks_of};

use super::access::Access;
use super::{AGAIN, Wire, start, streams};

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
    start(access, format!("deepanalyze grower {grower}"), move |wire| async move {
        let Wire { client, mut commands, events, mut changes } = wire;
        let Ok(workers) = client.subscribe(WORKERS).await else { return };
        let Ok(answers) = client.subscribe(answers_to(&grower)).await else { return };
        let (published, mut places) = unbounded_channel();
        let grower = Grower {
            context: streams::context(&client),
            client,
            grower,
            engine,
            events,
            published,
            sent: HashMap::new(),
            made: [false; 2],
        };
        grower.run(&mut commands, &mut changes, &mut places, (workers, answers)).await;
    })
}

/// More numbers of jobs are not remembered.
const MOST_SENT: usize = 20_000;

/// Where the broker has put a job, or why it has not.
type Place = (Token, Lane, Result<u64, String>);

struct Grower {
    client: Client,
    context: Context,
    grower: Token,
    engine: Token,
    events: Sender<GrowerEvent>,
    published: UnboundedSender<Place>,
    /// The numbers of jobs in their queues.
    sent: HashMap<Token, (Lane, u64)>,
    /// Whether the queues are known to be there.
    made: [bool; 2],
}

impl Grower {
    async fn run(
        mut self,
        commands: &mut UnboundedReceiver<GrowerCommand>,
        changes: &mut UnboundedReceiver<bool>,
        places: &mut UnboundedReceiver<Place>,
        (mut workers, mut answers): (Subscriber, Subscriber),
    ) {
        let mut again = interval(AGAIN);
        again.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                command = commands.recv() => match command {
                    Some(command) => self.obey(command).await,
                    None => return,
                },
                Some(is_there) = changes.recv() => self.changed(is_there),
                Some(place) = places.recv() => self.placed(place),
                Some(message) = workers.next() => {
                    self.tell(GrowerEvent::Worker(message.payload.to_vec()));
                }
                Some(message) = answers.next() => self.answer(&message),
                _ = again.tick(), if self.made != [true; 2] => self.make_queues().await,
            }
        }
    }

    fn tell(&self, event: GrowerEvent) {
        // Nobody listens where the run is over.
        let _ = self.events.send(event);
    }

    fn answer(&self, message: &Message) {
        let reply = message.reply.as_ref().map(ToString::to_string);
        self.tell(GrowerEvent::Answer(message.payload.to_vec(), reply));
    }

    /// The broker has come, perhaps without its memory, or gone.
    fn changed(&mut self, is_there: bool) {
        self.made = [false; 2];
        if !is_there {
            let down = Connection::Down("the broker is not there".to_owned());
            self.tell(GrowerEvent::Connection(down));
        }
    }

    async fn make_queues(&mut self) {
        if self.client.connection_state() != State::Connected {
            return;
        }
        for (lane, made) in Lane::ALL.into_iter().zip(&mut self.made) {
            match streams::stream(&self.context, lane).await {
                Ok(_) => *made = true,
                Err(why) => {
                    let _ = self.events.send(GrowerEvent::Connection(Connection::Down(why)));
                    return;
                }
            }
        }
        self.tell(GrowerEvent::Connection(Connection::Up));
    }

    async fn obey(&mut self, command: GrowerCommand) {
        let client = self.client.clone();
        let sent = match command {
            GrowerCommand::Publish { id, lane, message_id, payload } => {
                return self.publish(id, lane, message_id, payload);
            }
            GrowerCommand::Remove(id) => return self.remove(&id),
            GrowerCommand::Done(id) => {
                self.sent.remove(&id);
                return;
            }
            GrowerCommand::Clear => return self.clear().await,
            GrowerCommand::Check(worker, payload) => {
                client.publish(checks_of(&worker), payload.into()).await
            }
            GrowerCommand::Order(payload) => client.publish(ORDERS, payload.into()).await,
            GrowerCommand::State(payload) => client.publish(GROWERS, payload.into()).await,
            GrowerCommand::Confirm(to) => client.publish(to, Vec::new().into()).await,
        };
        if let Err(error) = sent {
            tracing::debug!(%error, "not sent");
        }
    }

    /// Sends a job; where it has come to is told later.
    fn publish(&self, id: Token, lane: Lane, message_id: String, payload: Vec<u8>) {
        let subject = lane.of_grower(&self.engine, &self.grower);
        let message = PublishMessage::build().payload(payload.into()).message_id(message_id);
        let (context, published) = (self.context.clone(), self.published.clone());
        tokio::spawn(async move {
            let taken = match context.send_publish(subject, message).await {
                Ok(ack) => ack.await,
                Err(error) => Err(error),
            };
            let taken = taken.map(|ack| ack.sequence).map_err(|error| error.to_string());
            let _ = published.send((id, lane, taken));
        });
    }

    fn placed(&mut self, (id, lane, taken): Place) {
        match taken {
            Ok(number) => {
                // Some were done before their numbers came.
                if self.sent.len() > MOST_SENT {
                    self.sent.clear();
                }
                self.sent.insert(id, (lane, number));
            }
            Err(why) => {
                // A broker that has lost its memory has no queues.
                self.made = [false; 2];
                self.tell(GrowerEvent::NotTaken(id, why));
            }
        }
    }

    fn remove(&mut self, id: &Token) {
        let Some((lane, number)) = self.sent.remove(id) else { return };
        let context = self.context.clone();
        tokio::spawn(async move {
            if let Ok(stream) = context.get_stream_no_info(lane.stream()).await {
                // It is gone where a worker has taken it off the queue.
                let _ = stream.delete_message(number).await;
            }
        });
    }

    async fn clear(&mut self) {
        self.sent.clear();
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
