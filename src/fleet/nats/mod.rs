//! The connection to NATS: the only place that knows async-nats.
//!
//! A thread of its own has the connection. It begins again for ever where the broker goes away, and makes
//! the streams where there are none: a broker may come back without its memory.

mod access;
mod grower;
mod listener;
mod streams;
mod worker;

use std::future::Future;
use std::time::Duration;

use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event};
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

pub use access::{Access, Login, Tls};
pub use grower::link as grower_link;
pub use listener::{Seen, listen};
pub use worker::link as worker_link;

use super::error::FleetError;
use super::link::Link;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How often it is tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// How long leaving may take.
const LEAVE: Duration = Duration::from_secs(2);

/// What a loop has of its connection.
struct Wire<C, E> {
    client: Client,
    commands: UnboundedReceiver<C>,
    events: Sender<E>,
    /// Says each time whether the broker is there.
    changes: UnboundedReceiver<bool>,
}

/// Starts a thread with a connection, and a loop in it.
///
/// # Errors
///
/// Where the broker refuses the login, or what is told of it cannot be used. That it is not there is no
/// error: it is waited for.
fn start<C, E, F>(
    access: Access,
    name: String,
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
    let thread = std::thread::Builder::new().name("fleet".to_owned()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async move {
            match connect(&access, name).await {
                Ok((client, changes)) => {
                    let _ = ready.send(Ok(()));
                    let wire = Wire {
                        client: client.clone(),
                        commands: received,
                        events: sender,
                        changes,
                    };
                    run(wire).await;
                    let _ = tokio::time::timeout(LEAVE, client.flush()).await;
                }
                Err(error) => drop(ready.send(Err(error))),
            }
        });
    });
    let thread = thread.map_err(FleetError::Thread)?;
    match first.recv() {
        Ok(Ok(())) => Ok(Link::new(commands, events, Some(thread))),
        Ok(Err(error)) => Err(error),
        Err(_) => Err(FleetError::Ended),
    }
}

/// Connects. Where the broker is not there, the connection is made later.
async fn connect(
    access: &Access,
    name: String,
) -> Result<(Client, UnboundedReceiver<bool>), FleetError> {
    let (told, changes) = unbounded_channel();
    let options = |later: bool| -> Result<ConnectOptions, FleetError> {
        let told = told.clone();
        let options = access.options()?.name(name.clone()).connection_timeout(CONNECT);
        let options = options.reconnect_delay_callback(|_| AGAIN).event_callback(move |event| {
            let is_there = match event {
                Event::Connected => Some(true),
                Event::Disconnected | Event::Closed => Some(false),
                other => {
                    tracing::debug!(%other, "fleet");
                    None
                }
            };
            // Whoever listened has left.
            let _ = is_there.map(|is_there| told.send(is_there));
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

/// Whether trying again will not help.
fn is_lasting(kind: ConnectErrorKind) -> bool {
    use ConnectErrorKind as Kind;
    matches!(
        kind,
        Kind::ServerParse | Kind::Authentication | Kind::AuthorizationViolation | Kind::Tls
    )
}
