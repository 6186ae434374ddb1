//! Events for listeners: numbered steps, of each thing only the changes, and never a backlog.

mod cursor;
mod state;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::connections::ended;
#[cfg(test)]
pub use cursor::HelloEvent;
use cursor::StreamCursor;
#[cfg(test)]
pub use state::RootsEvent;
pub use state::{NewsKind, NewsMessage, Object, PublicState};

/// Streams at once.
const STREAMS: usize = 16;
/// Interval of signs of life in an idle stream.
const ALIVE: Duration = Duration::from_secs(15);

/// A time in milliseconds since 1970, UTC.
pub fn milliseconds(time: SystemTime) -> i64 {
    let passed = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    i64::try_from(passed).unwrap_or(i64::MAX)
}

/// The events of the server.
#[derive(Debug)]
pub struct Events {
    instance: String,
    state: Mutex<PublicState>,
    step: watch::Sender<u64>,
    streams: Arc<Semaphore>,
}

impl Events {
    /// Of an instance of the server, by its name.
    pub fn new(instance: String) -> Events {
        let (state, step) = (Mutex::default(), watch::Sender::new(0));
        let streams = Arc::new(Semaphore::new(STREAMS));
        Events { instance, state, step, streams }
    }

    /// The name of this start of the server.
    pub fn instance(&self) -> &str {
        &self.instance
    }

    /// Reads the state.
    pub fn look<T>(&self, look: impl FnOnce(&PublicState) -> T) -> T {
        look(&self.lock())
    }

    /// Changes the state, and wakes all listeners.
    pub fn change(&self, change: impl FnOnce(&mut PublicState)) {
        let mut state = self.lock();
        change(&mut state);
        let step = state.step();
        drop(state);
        self.step.send_if_modified(|seen| std::mem::replace(seen, step) != step);
    }

    /// True if there are listeners.
    pub fn is_heard(&self) -> bool {
        self.streams.available_permits() < STREAMS
    }

    /// A stream of events after a step; `None` if there are too many already. It ends with the
    /// server.
    pub fn stream(
        self: &Arc<Events>,
        after: Option<&str>,
        end: watch::Receiver<bool>,
    ) -> Option<impl Stream<Item = Result<Bytes, std::convert::Infallible>> + Send + use<>> {
        let permit = Arc::clone(&self.streams).try_acquire_owned().ok()?;
        let seen = StreamCursor::begin(&self.lock(), &self.instance, after);
        let (events, steps) = (Arc::clone(self), self.step.subscribe());
        let reader = Reader { events, seen, steps, end, _permit: permit };
        Some(unfold(reader, |mut reader| async move {
            let text = reader.next().await?;
            Some((Ok(Bytes::from(text)), reader))
        }))
    }

    fn lock(&self) -> MutexGuard<'_, PublicState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A listener. The next text is made once the last is sent: a slow one misses steps.
struct Reader {
    events: Arc<Events>,
    seen: StreamCursor,
    steps: watch::Receiver<u64>,
    end: watch::Receiver<bool>,
    _permit: OwnedSemaphorePermit,
}

impl Reader {
    /// The next text; `None` once the server ends.
    async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(due) = self.seen.due() {
                tokio::select! {
                    () = ended(&mut self.end) => return None,
                    () = tokio::time::sleep_until(due.into()) => {}
                }
            }
            self.steps.mark_unchanged();
            let now = std::time::Instant::now();
            let Events { instance, .. } = &*self.events;
            if let Some(text) = self.seen.deliver(&self.events.lock(), instance, now) {
                return Some(text);
            }
            tokio::select! {
                () = ended(&mut self.end) => return None,
                changed = self.steps.changed() => changed.ok()?,
                () = tokio::time::sleep(ALIVE) => return Some(": alive\n\n".to_owned()),
            }
        }
    }
}
