//! The connection to NATS: the only place that knows async-nats.
//!
//! A thread of its own has the connection. It reconnects for ever if the broker goes away, and
//! makes missing streams: a broker may come back without its memory.

mod access;
mod grower;
mod listener;
mod places;
mod streams;
mod worker;

use std::future::Future;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event};
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::timeout;

pub use access::{Access, FleetError, Login, Tls};
pub use grower::link as grower_link;
pub use listener::{FleetSnapshot, listen};
pub use worker::link as worker_link;

use super::link::Link;
use super::message::{LONGEST, MessageError, plain};
use super::subjects::Lane;

/// Time limit of connecting.
const CONNECT: Duration = Duration::from_secs(5);
/// Interval of attempts.
const AGAIN: Duration = Duration::from_secs(1);
/// Time limit of leaving.
const LEAVE: Duration = Duration::from_secs(2);

/// A loop's end of its connection.
struct Wire<C, E> {
    client: Client,
    commands: UnboundedReceiver<C>,
    events: Sender<E>,
    changes: UnboundedReceiver<ConnectionChange>,
}

/// Change of a connection.
enum ConnectionChange {
    /// The broker is there.
    Come,
    /// Gone.
    Gone,
    /// An error: perhaps it forbids something.
    Trouble(String),
}

/// Starts a thread with a connection of this name, whose replies come to this inbox, and a loop in
/// it that listens to these subjects.
///
/// # Errors
///
/// If the broker refuses the login, or does not permit it to listen there or to see the queues, or
/// the settings cannot be used. An absent broker is no error: it is waited for.
fn start<C, E, F>(
    access: Access,
    (name, inbox): (String, String),
    subjects: Vec<String>,
    run: impl FnOnce(Wire<C, E>) -> F + Send + 'static,
) -> Result<Link<C, E>, FleetError>
where
    C: Send + 'static,
    E: Send + 'static,
    F: Future<Output = ()>,
{
    let (commands, received) = unbounded_channel();
    let (sender, events): (Sender<E>, Receiver<E>) = unbounded();
    let (ready, first) = bounded(1);
    let (closing, closed) = oneshot::channel::<()>();
    let thread = std::thread::Builder::new().name("fleet".to_owned()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            match connect_with_rights(&access, (name, inbox), &subjects).await {
                Ok((client, changes)) => {
                    let _ = ready.send(Ok(()));
                    let wire = Wire {
                        client: client.clone(),
                        commands: received,
                        events: sender,
                        changes,
                    };
                    let leave = async {
                        // Never sent, only dropped.
                        let _ = closed.await;
                        tokio::time::sleep(LEAVE).await;
                    };
                    tokio::select! {
                        () = run(wire) => drop(timeout(LEAVE, client.flush()).await),
                        () = leave => {}
                    }
                }
                Err(error) => drop(ready.send(Err(error))),
            }
        });
        // Does not wait for a name lookup.
        runtime.shutdown_background();
    });
    let thread = thread.map_err(FleetError::Thread)?;
    match first.recv() {
        Ok(Ok(())) => Ok(Link::new(commands, events, closing, thread)),
        Ok(Err(error)) => Err(error),
        Err(_) => Err(FleetError::Ended),
    }
}

/// Connects, and checks that the login may listen to these subjects and see the queues: a broker is
/// silent about what it does not deliver. If it is absent, this is found out when something is
/// missing.
async fn connect_with_rights(
    access: &Access,
    name: (String, String),
    subjects: &[String],
) -> Result<(Client, UnboundedReceiver<ConnectionChange>), FleetError> {
    let (client, mut changes) = connect(access, name.0, name.1).await?;
    let forbidden = |change: &ConnectionChange| match change {
        ConnectionChange::Trouble(what) => forbidden(what),
        ConnectionChange::Come | ConnectionChange::Gone => None,
    };
    let mut found = None;
    if client.connection_state() == State::Connected {
        let tried = try_rights(&client, subjects);
        tokio::pin!(tried);
        while found.is_none() {
            tokio::select! {
                Some(change) = changes.recv() => match change {
                    ConnectionChange::Gone => break,
                    change => found = forbidden(&change),
                },
                () = &mut tried => {
                    let rest = std::iter::from_fn(|| changes.try_recv().ok());
                    found = rest.filter_map(|change| forbidden(&change)).next();
                    break;
                }
            }
        }
    }
    match found {
        Some(what) => Err(FleetError::Forbidden { url: access.url().to_owned(), what }),
        None => Ok((client, changes)),
    }
}

/// Does what needs rights, until the broker has heard it all: it complains before it answers later
/// requests.
async fn try_rights(client: &Client, subjects: &[String]) {
    let mut heard = Vec::new();
    for subject in subjects {
        heard.extend(client.subscribe(subject.clone()).await);
    }
    let context = streams::context(client);
    for lane in Lane::ALL {
        let _ = context.get_stream(lane.stream()).await;
    }
    // Complaints come by another task.
    tokio::task::yield_now().await;
}

/// The permission that a broker's complaint denies, if any.
fn forbidden(complaint: &str) -> Option<String> {
    let lower = complaint.to_lowercase();
    let (_, what) = lower.split_once("permissions violation for ")?;
    // A subject's name may have capitals.
    let what = complaint.get(complaint.len() - what.len()..)?;
    let (kind, subject) = what.split_once(' ')?;
    let verb = if kind.eq_ignore_ascii_case("publish") { "publish" } else { "subscribe" };
    Some(plain(&format!("{verb} {subject}")))
}

/// Connects. If the broker is absent, the connection is made later.
async fn connect(
    access: &Access,
    name: String,
    inbox: String,
) -> Result<(Client, UnboundedReceiver<ConnectionChange>), FleetError> {
    let (told, changes) = unbounded_channel();
    let options = |later: bool| -> Result<ConnectOptions, FleetError> {
        let told = told.clone();
        let options = access.options()?.name(name.clone()).custom_inbox_prefix(&inbox);
        let options = options.connection_timeout(CONNECT);
        let options = options.reconnect_delay_callback(|_| AGAIN).event_callback(move |event| {
            tracing::debug!(%event, "fleet");
            let change = match event {
                Event::Connected => Some(ConnectionChange::Come),
                Event::Disconnected | Event::Closed => Some(ConnectionChange::Gone),
                Event::ServerError(error) => Some(ConnectionChange::Trouble(error.to_string())),
                Event::ClientError(error) => Some(ConnectionChange::Trouble(error.to_string())),
                _ => None,
            };
            // The receiver may be gone.
            let _ = change.map(|change| told.send(change));
            std::future::ready(())
        });
        Ok(if later { options.retry_on_initial_connect() } else { options })
    };
    match options(false)?.connect(access.url()).await {
        Ok(client) => Ok((client, changes)),
        Err(error) if is_lasting(error.kind()) => {
            Err(FleetError::Refused { url: access.url().to_owned(), why: error.to_string() })
        }
        Err(error) => {
            tracing::warn!(url = access.url(), %error, "the broker is not there");
            let client = options(true)?.connect(access.url()).await;
            let refused = |error: async_nats::ConnectError| FleetError::Refused {
                url: access.url().to_owned(),
                why: error.to_string(),
            };
            Ok((client.map_err(refused)?, changes))
        }
    }
}

/// True if a retry will not help.
fn is_lasting(kind: ConnectErrorKind) -> bool {
    use ConnectErrorKind as Kind;
    matches!(
        kind,
        Kind::ServerParse | Kind::Authentication | Kind::AuthorizationViolation | Kind::Tls
    )
}

/// A message's payload, or an error if it is too long.
fn bounded_payload(message: &async_nats::Message) -> Result<Vec<u8>, String> {
    let length = message.payload.len();
    if length > LONGEST {
        return Err(MessageError::TooLong(length).to_string());
    }
    Ok(message.payload.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_broker_forbids_is_read_from_its_complaint() {
        let told = [
            (
                "nats: Permissions Violation for Subscription to \"deepanalyze.Worker.*\"",
                Some("subscribe to \"deepanalyze.Worker.*\""),
            ),
            (
                "nats: permissions violation for publish to \"$JS.API.X\"",
                Some("publish to \"$JS.API.X\""),
            ),
            ("nats: authorization violation", None),
        ];
        for (complaint, what) in told {
            assert_eq!(forbidden(complaint).as_deref(), what, "{complaint}");
        }
    }
    use crate::link::{GrowerCommand, GrowerEvent, WorkerCommand, WorkerEvent};
    use crate::message::Token;

    fn token() -> Token {
        Token::try_from("x".to_owned()).unwrap()
    }

    /// No server is there.
    fn nowhere() -> Access {
        Access::new("nats://127.0.0.1:1").unwrap()
    }

    fn is_dropped_soon<T: Send + 'static>(link: T) {
        let (dropped, is_dropped) = bounded(1);
        std::thread::spawn(move || {
            drop(link);
            dropped.send(()).unwrap();
        });
        is_dropped.recv_timeout(Duration::from_secs(60)).expect("it hangs");
    }

    #[test]
    fn connections_to_an_absent_broker_end_in_any_case() {
        let grower: Link<GrowerCommand, GrowerEvent> =
            grower_link(nowhere(), token(), token()).unwrap();
        for _ in 0..5000 {
            grower.send(GrowerCommand::State(Vec::new()));
            grower.send(GrowerCommand::Order(Vec::new()));
        }
        is_dropped_soon(grower);
        let worker: Link<WorkerCommand, WorkerEvent> =
            worker_link(nowhere(), token(), token()).unwrap();
        (0..5000).for_each(|_| worker.send(WorkerCommand::State(Vec::new())));
        is_dropped_soon(worker);
    }
}
