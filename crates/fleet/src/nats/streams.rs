//! The broker's two queues, and their readers.

use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, Consumer, pull};
use async_nats::jetstream::context::{Context, ContextBuilder};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use tokio::time::sleep;

use crate::message::Token;
use crate::subjects::Lane;

/// Time without a worker's sign after which a job is given to another.
const ACK_WAIT: Duration = Duration::from_secs(30);
/// Age at which an untaken job is dropped; a grower that wants it has sent it again.
const LONGEST_AGE: Duration = Duration::from_secs(3600);
/// The most jobs in a queue.
const MOST: i64 = 1_000_000;
/// The longest job, in bytes.
const LONGEST: i32 = 16 * 1024;
/// Time limit of the broker's replies.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest wait, in milliseconds, before making what is missing, in case another makes it
/// first. When several made the same at one moment, nats-server 2.9.10 was seen to give no job to
/// any, though all waited.
const APART: u32 = 500;

pub(super) fn context(client: &async_nats::Client) -> Context {
    ContextBuilder::new().timeout(PATIENCE).ack_timeout(PATIENCE).build(client.clone())
}

/// The queue; made if missing.
pub(super) async fn stream(context: &Context, lane: Lane) -> Result<Stream, String> {
    let config = Config {
        name: lane.stream(),
        subjects: vec![lane.all_subjects()],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        max_messages: MOST,
        max_message_size: LONGEST,
        max_age: LONGEST_AGE,
        duplicate_window: Duration::from_secs(120),
        description: Some("searches for deepanalyze workers".to_owned()),
        ..Config::default()
    };
    if let Ok(stream) = context.get_stream(&config.name).await {
        return Ok(stream);
    }
    wait_apart().await;
    context.get_or_create_stream(config).await.map_err(|error| error.to_string())
}

/// The common reader of workers with this engine.
pub(super) async fn consumer(
    context: &Context,
    lane: Lane,
    engine: &Token,
) -> Result<Consumer<pull::Config>, String> {
    let config = pull::Config {
        durable_name: Some(engine.to_string()),
        filter_subject: lane.of_engine(engine),
        ack_policy: AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        // As many as engines and pulls of workers may be.
        max_ack_pending: 100_000,
        max_waiting: 100_000,
        ..pull::Config::default()
    };
    let stream = stream(context, lane).await?;
    if let Ok(consumer) = stream.get_consumer(engine.as_str()).await {
        return Ok(consumer);
    }
    wait_apart().await;
    let made = stream.get_or_create_consumer(engine.as_str(), config).await;
    made.map_err(|error| error.to_string())
}

/// Forgets a queue's readers; workers notice, and make a consumer again.
pub(super) async fn forget_readers(
    context: &Context,
    lane: Lane,
    engine: &Token,
) -> Result<(), String> {
    let stream = context.get_stream_no_info(lane.stream()).await;
    let stream = stream.map_err(|error| error.to_string())?;
    let deleted = stream.delete_consumer(engine.as_str()).await;
    deleted.map(|_| ()).map_err(|error| format!("its readers cannot be forgotten: {error}"))
}

async fn wait_apart() {
    let part = getrandom::u32().map_or(0, |random| random % APART);
    sleep(Duration::from_millis(part.into())).await;
}
