//! Taking jobs out of a queue.

use std::time::Duration;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::{Consumer, pull};
use futures_util::StreamExt;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::sleep;

use crate::subjects::Lane;

use super::AGAIN;

/// How long one wait for jobs goes on.
const PULL: Duration = Duration::from_secs(30);

/// What comes out of a pull.
pub(super) enum Pulled {
    Job(Box<Message>, Lane),
    /// So many of what was asked for are not there; why, where the queue is not.
    End(Lane, usize, Option<String>),
}

/// Takes jobs out of a queue as they come, for a while.
pub(super) async fn pull(
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
