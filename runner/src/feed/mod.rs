//! What a run tells, for any number of readers on threads of their own. The run never waits for one: a
//! slow reader misses steps and, where it is very slow, the oldest events, but never the end.

#[cfg(test)]
mod tests;

pub(super) mod event;
pub(super) mod progress;
pub(super) mod publisher;
pub(super) mod snapshot;

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::feed::event::{RunEnd, RunEvent};
use crate::feed::snapshot::Snapshot;
use crate::wakers::Wakers;

/// Events that are kept for readers that are behind.
const KEPT_EVENTS: usize = 10_000;

/// Where readers find a run. It may be cloned and sent to other threads, and outlives the run.
#[derive(Debug, Clone, Default)]
pub struct Feed {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    news: Condvar,
    /// Those who look after several runs.
    wakers: OnceLock<Wakers>,
}

#[derive(Debug, Default)]
struct State {
    newest: Option<Arc<Snapshot>>,
    /// The newest events, the last of them being number `told`.
    events: VecDeque<RunEvent>,
    told: u64,
    end: Option<RunEnd>,
    /// Readers that wait for anything at all, and those that wait for a snapshot, too. With none of them
    /// the run does not call the system.
    waiting: usize,
    waiting_for_snapshots: usize,
}

/// What a reader has seen: the number of the newest snapshot and of the newest event. A web page that
/// has lost its connection goes on from there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Position {
    /// The snapshot's step; 0 before the first.
    pub step: u64,
    /// The event's number; 0 before the first.
    pub event: u64,
}

/// What is new to a reader.
#[derive(Debug, Clone, Default)]
pub struct News {
    /// The newest snapshot, where the reader has not seen it.
    pub snapshot: Option<Arc<Snapshot>>,
    /// The events since it looked, in order.
    pub events: Vec<RunEvent>,
    /// Events before these that are not kept any more.
    pub missed: u64,
    /// How it all ended: nothing comes after it.
    pub end: Option<RunEnd>,
}

impl News {
    /// Whether nothing is new.
    pub fn is_empty(&self) -> bool {
        self.snapshot.is_none() && self.events.is_empty() && self.missed == 0 && self.end.is_none()
    }
}

impl Feed {
    /// A reader who gets the newest snapshot at once, and all that comes after it.
    pub fn subscribe(&self) -> Reader {
        let event = self.shared.lock().told;
        self.resume(Position { step: 0, event })
    }

    /// A reader who has seen all up to a position. [`Position::default`] gets the kept events, too.
    pub fn resume(&self, position: Position) -> Reader {
        Reader { shared: Arc::clone(&self.shared), position, pace: Duration::ZERO, due: None }
    }

    /// The newest snapshot.
    pub fn newest(&self) -> Option<Arc<Snapshot>> {
        self.shared.lock().newest.clone()
    }

    /// Wakes these, too, after every change.
    pub fn wakes(&self, wakers: Wakers) {
        self.shared.wakers.get_or_init(|| wakers);
    }

    pub(crate) fn publish(
        &self,
        make: impl FnOnce(Option<&Snapshot>) -> Snapshot,
    ) -> Arc<Snapshot> {
        let mut state = self.shared.lock();
        let mut snapshot = make(state.newest.as_deref());
        snapshot.step = state.newest.as_ref().map_or(0, |newest| newest.step) + 1;
        let snapshot = Arc::new(snapshot);
        let before = state.newest.replace(Arc::clone(&snapshot));
        let wakes = state.waiting_for_snapshots > 0;
        drop(state);
        // Nobody else may have it: what goes with it need not be done under the lock.
        drop(before);
        if wakes {
            self.shared.news.notify_all();
        }
        self.shared.wake_others();
        snapshot
    }

    pub(crate) fn tell(&self, event: RunEvent) {
        let mut state = self.shared.lock();
        if state.events.len() == KEPT_EVENTS {
            state.events.pop_front();
        }
        state.events.push_back(event);
        state.told += 1;
        self.shared.wake(state);
    }

    pub(crate) fn end(&self, end: RunEnd) {
        let mut state = self.shared.lock();
        state.end.get_or_insert(end);
        self.shared.wake(state);
    }
}

impl Shared {
    /// A reader that panicked has left nothing half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self, state: MutexGuard<'_, State>) {
        let waiting = state.waiting > 0;
        drop(state);
        if waiting {
            self.news.notify_all();
        }
        self.wake_others();
    }

    fn wake_others(&self) {
        if let Some(wakers) = self.wakers.get() {
            wakers.wake();
        }
    }
}

impl State {
    /// What is new behind a position, which moves on.
    fn news(&self, position: &mut Position) -> News {
        let first_kept = self.told - self.events.len() as u64;
        let missed = first_kept.saturating_sub(position.event);
        let known =
            usize::try_from(position.event.saturating_sub(first_kept)).unwrap_or(usize::MAX);
        let news = News {
            snapshot: self.newest.clone().filter(|newest| newest.step > position.step),
            events: self.events.iter().skip(known).cloned().collect(),
            missed,
            end: self.end.clone(),
        };
        position.event = self.told;
        position.step = news.snapshot.as_ref().map_or(position.step, |newest| newest.step);
        news
    }

    fn has_snapshot_after(&self, step: u64) -> bool {
        self.newest.as_ref().is_some_and(|newest| newest.step > step)
    }
}

/// One reader of a feed.
#[derive(Debug)]
pub struct Reader {
    shared: Arc<Shared>,
    position: Position,
    pace: Duration,
    /// When it wants another snapshot; none before its first.
    due: Option<Instant>,
}

impl Reader {
    /// The same reader, who wants a snapshot no more often than this. Events and the end come at once.
    pub fn paced(self, pace: Duration) -> Reader {
        Reader { pace, ..self }
    }

    /// What it has seen.
    pub fn position(&self) -> Position {
        self.position
    }

    /// What is new now.
    pub fn look(&mut self) -> News {
        let shared = Arc::clone(&self.shared);
        let state = shared.lock();
        self.take(&state)
    }

    /// What is new, as soon as anything is; nothing where the time is up.
    pub fn wait(&mut self, timeout: Duration) -> News {
        let shared = Arc::clone(&self.shared);
        let until = Instant::now() + timeout;
        let mut state = shared.lock();
        loop {
            let now = Instant::now();
            let is_due = self.is_due(now);
            let is_urgent = state.told > self.position.event || state.end.is_some();
            let has_snapshot = state.has_snapshot_after(self.position.step);
            if is_urgent || is_due && has_snapshot || until <= now {
                return self.take(&state);
            }
            let next = self.due.filter(|_| !is_due);
            let pause = next.map_or(until, |due| due.min(until)) - now;
            state.waiting += 1;
            state.waiting_for_snapshots += usize::from(is_due);
            let waited = shared.news.wait_timeout(state, pause);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.waiting -= 1;
            state.waiting_for_snapshots -= usize::from(is_due);
        }
    }

    /// Whether it wants another snapshot by now.
    fn is_due(&self, now: Instant) -> bool {
        self.due.is_none_or(|due| due <= now)
    }

    fn take(&mut self, state: &State) -> News {
        let news = state.news(&mut self.position);
        if news.snapshot.is_some() {
            self.due = Some(Instant::now() + self.pace);
        }
        news
    }
}
