//! A short look at a fleet.

use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::timeout;

use crate::subjects::{GROWERS, INBOX_OF_GROWERS, Lane, WORKERS};

use super::access::{Access, FleetError};
use super::{connect_with_rights, streams};

/// Messages seen of a fleet.
#[derive(Debug, Default)]
pub struct FleetSnapshot {
    /// Signs of life of workers, in their order.
    pub workers: Vec<Vec<u8>>,
    /// Signs of life of growers.
    pub growers: Vec<Vec<u8>>,
    /// Jobs in the queues of required searches and of guesses, with those that workers have; `None`
    /// if no such queue exists.
    pub queued: [Option<u64>; 2],
}

/// Listens to a fleet for a time.
///
/// # Errors
///
/// If the broker is not there, refuses the connection, or does not permit to listen.
pub fn listen(access: &Access, time: Duration) -> Result<FleetSnapshot, FleetError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(FleetError::Thread)?.block_on(async {
        let name = ("deepanalyze fleet".to_owned(), INBOX_OF_GROWERS.to_owned());
        let subjects = [WORKERS, GROWERS].map(str::to_owned);
        let (client, _changes) = connect_with_rights(access, name, &subjects).await?;
        let refused = |why: String| FleetError::Refused { url: access.url().to_owned(), why };
        let mut workers =
            client.subscribe(WORKERS).await.map_err(|error| refused(error.to_string()))?;
        let mut growers =
            client.subscribe(GROWERS).await.map_err(|error| refused(error.to_string()))?;
        let flushed = timeout(time + super::CONNECT, client.flush()).await;
        flushed
            .map_err(|_| refused("it does not answer".to_owned()))?
            .map_err(|error| refused(error.to_string()))?;
        let mut seen = FleetSnapshot::default();
        let listening = async {
            loop {
                tokio::select! {
                    Some(message) = workers.next() => seen.workers.push(message.payload.to_vec()),
                    Some(message) = growers.next() => seen.growers.push(message.payload.to_vec()),
                    else => break,
                }
            }
        };
        let _ = timeout(time, listening).await;
        let context = streams::context(&client);
        for (lane, queued) in Lane::ALL.into_iter().zip(&mut seen.queued) {
            *queued = context
                .get_stream(lane.stream())
                .await
                .ok()
                .map(|stream| stream.cached_info().state.messages);
        }
        Ok(seen)
    })
}
