//! Events of a run for any number of readers on threads of their own. The run never waits for one:
//! a slow reader misses steps and, if very slow, the oldest events, but never the end.

pub(super) mod event;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::VecDeque;
use std::fmt::Display;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use deepanalyze_store::Patience;

use crate::control::ControlReceiver;
use crate::control::Wakers;
use crate::outcome::RunEnd;
use event::{Progress, RunEvent, RunListener, Snapshot};

/// Events kept for slow readers.
const KEPT_EVENTS: usize = 10_000;

/// The message if a run has ended without one.
pub const BUG: &str = "this is a bug in deepanalyze";

/// Event channel between a run and its readers. It may be cloned and sent to other threads, and
/// outlives the run. An event's cost does not depend on the tree, and is next to nothing without
/// readers.
#[derive(Debug, Clone, Default)]
pub struct RunFeed {
    shared: Arc<FeedShared>,
}

#[derive(Debug, Default)]
struct FeedShared {
    state: Mutex<FeedState>,
    news: Condvar,
    /// Wakers for users of several runs.
    wakers: OnceLock<Wakers>,
}

#[derive(Debug, Default)]
struct FeedState {
    newest: Option<Arc<Snapshot>>,
    /// The newest events; the last is number `told`.
    events: VecDeque<RunEvent>,
    told: u64,
    end: Option<Result<RunEnd, String>>,
    /// Readers waiting for any news, and those waiting for a snapshot, too. With none of them the
    /// run makes no system call.
    waiting: usize,
    waiting_for_snapshots: usize,
    /// The root of a batch, from 0.
    root: usize,
    /// True if each pass is an event; then the passes done at the last such event.
    tells_passes: bool,
    told_pass: Option<u64>,
}

/// News for a reader.
#[derive(Debug, Clone, Default)]
pub struct RunNews {
    /// The newest snapshot, if the reader has not seen it.
    pub snapshot: Option<Arc<Snapshot>>,
    /// The later events, in order.
    pub events: Vec<RunEvent>,
    /// Dropped events before these.
    pub missed: u64,
    /// How it all ended, or why it failed: no more news follows.
    pub end: Option<Result<RunEnd, String>>,
}

impl RunFeed {
    /// This feed, with an event for every pass if wanted: readers miss no pass, and other events
    /// may be dropped the sooner for a reader far behind.
    pub fn telling_every_pass(self, tells_passes: bool) -> RunFeed {
        self.shared.lock().tells_passes = tells_passes;
        self
    }

    /// A reader from now on; it gets the newest snapshot at once.
    pub fn subscribe(&self) -> FeedReader {
        FeedReader { event: self.shared.lock().told, ..self.from_start() }
    }

    /// A reader with the kept events, too.
    pub fn from_start(&self) -> FeedReader {
        let shared = Arc::clone(&self.shared);
        FeedReader { shared, step: 0, event: 0, pace: Duration::ZERO, due: None }
    }

    /// The newest snapshot.
    pub fn newest(&self) -> Option<Arc<Snapshot>> {
        self.shared.lock().newest.clone()
    }

    /// Wakes these, too, after every change.
    pub fn wakes(&self, wakers: Wakers) {
        self.shared.wakers.get_or_init(|| wakers);
    }

    /// Waits for a locked database until the run is told to end, and informs readers.
    pub fn patience(&self, control: &ControlReceiver) -> Patience {
        let (control, feed) = (control.clone(), self.clone());
        let tell = move |why: &str| feed.tell(RunEvent::Waiting(why.to_owned()));
        Patience::new(move || control.is_told_to_end(), tell)
    }

    /// Runs work that sends events, and sends its end, even if it panics.
    pub fn tell_of<T, E: Display>(
        &self,
        ending: fn(&T) -> RunEnd,
        work: impl FnOnce(&mut RunListener<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let _ends = EndsFeed(self);
        let done = work(&mut |event| self.tell(event));
        self.end(done.as_ref().map(ending).map_err(ToString::to_string));
        done
    }

    /// Takes a run's event: a snapshot of its progress, or another.
    pub fn tell(&self, event: RunEvent) {
        match event {
            RunEvent::Progress(progress) => self.progress(progress),
            RunEvent::Closing(closing) => {
                self.publish(|state| Snapshot {
                    root: state.root,
                    closing: Some(closing),
                    ..state.newest.as_deref().cloned().unwrap_or_default()
                });
            }
            RunEvent::Recheck(recheck) => {
                self.publish(|state| Snapshot {
                    root: state.root,
                    recheck: Some(recheck),
                    closing: None,
                    ..state.newest.as_deref().cloned().unwrap_or_default()
                });
            }
            event => self.push(event),
        }
    }

    fn progress(&self, progress: Progress) {
        let (is_over, passes) = (progress.ending.is_some(), progress.passes);
        let mut is_new_pass = false;
        let snapshot = self.publish(|state| {
            let is_told = state.tells_passes && !is_over;
            is_new_pass = is_told && state.told_pass.replace(passes) != Some(passes);
            Snapshot { step: 0, root: state.root, progress, closing: None, recheck: None }
        });
        if is_new_pass {
            self.push(RunEvent::Pass(snapshot));
        }
    }

    fn publish(&self, make: impl FnOnce(&mut FeedState) -> Snapshot) -> Arc<Snapshot> {
        let mut state = self.shared.lock();
        let mut snapshot = make(&mut state);
        snapshot.step = state.newest.as_ref().map_or(0, |newest| newest.step) + 1;
        let snapshot = Arc::new(snapshot);
        let before = state.newest.replace(Arc::clone(&snapshot));
        let wakes = state.waiting_for_snapshots > 0;
        drop(state);
        // No other holder: drop it outside the lock.
        drop(before);
        if wakes {
            self.shared.news.notify_all();
        }
        self.shared.wake_others();
        snapshot
    }

    fn push(&self, event: RunEvent) {
        let mut state = self.shared.lock();
        if let RunEvent::RootBegins { index, .. } = &event {
            (state.root, state.told_pass) = (*index, None);
        }
        if state.events.len() == KEPT_EVENTS {
            state.events.pop_front();
        }
        state.events.push_back(event);
        state.told += 1;
        self.shared.wake(state);
    }

    /// Sends the end, or the failure, unless that was done; the newest snapshot is the last.
    pub fn end(&self, end: Result<RunEnd, String>) {
        let mut state = self.shared.lock();
        state.end.get_or_insert(end);
        self.shared.wake(state);
    }
}

/// Ends a feed that was left without an end.
struct EndsFeed<'a>(&'a RunFeed);

impl Drop for EndsFeed<'_> {
    fn drop(&mut self) {
        self.0.end(Err(BUG.to_owned()));
    }
}

impl FeedShared {
    /// A reader that panicked has left nothing half done.
    fn lock(&self) -> MutexGuard<'_, FeedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self, state: MutexGuard<'_, FeedState>) {
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

/// One reader of a feed. A copy goes on from here.
#[derive(Debug, Clone)]
pub struct FeedReader {
    shared: Arc<FeedShared>,
    /// Numbers of the newest snapshot and the newest event it has seen.
    step: u64,
    event: u64,
    pace: Duration,
    /// When its next snapshot is due; `None` before any.
    due: Option<Instant>,
}

impl FeedReader {
    /// This reader with at least `pace` between snapshots. Events and the end come at once.
    pub fn paced(self, pace: Duration) -> FeedReader {
        FeedReader { pace, ..self }
    }

    /// News so far.
    pub fn look(&mut self) -> RunNews {
        let shared = Arc::clone(&self.shared);
        let state = shared.lock();
        self.take(&state)
    }

    /// News as soon as there is any; empty if the time is up.
    pub fn wait(&mut self, timeout: Duration) -> RunNews {
        let shared = Arc::clone(&self.shared);
        let until = Instant::now() + timeout;
        let mut state = shared.lock();
        loop {
            let now = Instant::now();
            let is_due = self.is_due(now);
            let is_urgent = state.told > self.event || state.end.is_some();
            let has_snapshot = state.newest.as_ref().is_some_and(|newest| newest.step > self.step);
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

    /// True if it wants another snapshot by now.
    fn is_due(&self, now: Instant) -> bool {
        self.due.is_none_or(|due| due <= now)
    }

    fn take(&mut self, state: &FeedState) -> RunNews {
        let first_kept = state.told - state.events.len() as u64;
        let known = usize::try_from(self.event.saturating_sub(first_kept)).unwrap_or(usize::MAX);
        let news = RunNews {
            snapshot: state.newest.clone().filter(|newest| newest.step > self.step),
            events: state.events.iter().skip(known).cloned().collect(),
            missed: first_kept.saturating_sub(self.event),
            end: state.end.clone(),
        };
        self.event = state.told;
        if let Some(snapshot) = &news.snapshot {
            self.step = snapshot.step;
            self.due = Some(Instant::now() + self.pace);
        }
        news
    }
}
