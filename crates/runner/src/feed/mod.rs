//! What a run tells, for any number of readers on threads of their own. The run never waits for one: a
//! slow reader misses steps and, where it is very slow, the oldest events, but never the end.

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

/// Events that are kept for readers that are behind.
const KEPT_EVENTS: usize = 10_000;

/// What is told of a run that has ended without a word.
pub const BUG: &str = "this is a bug in deepanalyze";

/// Where a run tells, and readers find it. It may be cloned and sent to other threads, and outlives the run. What
/// telling costs does not depend on the tree, and is next to nothing where nobody reads.
#[derive(Debug, Clone, Default)]
pub struct RunFeed {
    shared: Arc<FeedShared>,
}

#[derive(Debug, Default)]
struct FeedShared {
    state: Mutex<FeedState>,
    news: Condvar,
    /// Those who look after several runs.
    wakers: OnceLock<Wakers>,
}

#[derive(Debug, Default)]
struct FeedState {
    newest: Option<Arc<Snapshot>>,
    /// The newest events, the last of them being number `told`.
    events: VecDeque<RunEvent>,
    told: u64,
    end: Option<Result<RunEnd, String>>,
    /// Readers that wait for anything at all, and those that wait for a snapshot, too. With none of them
    /// the run does not call the system.
    waiting: usize,
    waiting_for_snapshots: usize,
    /// Which root of a batch has its turn.
    root: usize,
    /// Whether each pass is an event, and the passes that were done when one was told of last.
    tells_passes: bool,
    told_pass: Option<u64>,
}

/// What is new to a reader.
#[derive(Debug, Clone, Default)]
pub struct RunNews {
    /// The newest snapshot, where the reader has not seen it.
    pub snapshot: Option<Arc<Snapshot>>,
    /// The events since it looked, in order.
    pub events: Vec<RunEvent>,
    /// Events before these that are not kept any more.
    pub missed: u64,
    /// How it all ended, or why it failed: nothing comes after it.
    pub end: Option<Result<RunEnd, String>>,
}

impl RunFeed {
    /// The same feed, in which every pass is an event where that is wanted: readers miss none of them, and other
    /// events may be dropped the sooner for a reader that is far behind.
    pub fn telling_every_pass(self, tells_passes: bool) -> RunFeed {
        self.shared.lock().tells_passes = tells_passes;
        self
    }

    /// A reader who gets the newest snapshot at once, and all that comes after it.
    pub fn subscribe(&self) -> FeedReader {
        FeedReader { event: self.shared.lock().told, ..self.from_start() }
    }

    /// A reader who gets the kept events, too.
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

    /// How a run waits for a locked database: until it is told to end, and readers hear of it.
    pub fn patience(&self, control: &ControlReceiver) -> Patience {
        let (control, feed) = (control.clone(), self.clone());
        let tell = move |why: &str| feed.tell(RunEvent::Waiting(why.to_owned()));
        Patience::new(move || control.is_told_to_end(), tell)
    }

    /// Does something that tells, and says at last how it ended; where it panics, that is said.
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

    /// Takes in what a run tells: a snapshot of how far it has come, or an event.
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
        // Nobody else may have it: what goes with it need not be done under the lock.
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

    /// Says how it all ended, or why it failed, unless that was said; the newest snapshot is the last.
    pub fn end(&self, end: Result<RunEnd, String>) {
        let mut state = self.shared.lock();
        state.end.get_or_insert(end);
        self.shared.wake(state);
    }
}

/// Ends a feed of which nobody says how it ended.
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

/// One reader of a feed. A copy goes on from where this one is.
#[derive(Debug, Clone)]
pub struct FeedReader {
    shared: Arc<FeedShared>,
    /// The number of the newest snapshot, and of the newest event, that it has seen.
    step: u64,
    event: u64,
    pace: Duration,
    /// When it wants another snapshot; none before its first.
    due: Option<Instant>,
}

impl FeedReader {
    /// The same reader, who wants a snapshot no more often than this. Events and the end come at once.
    pub fn paced(self, pace: Duration) -> FeedReader {
        FeedReader { pace, ..self }
    }

    /// What is new now.
    pub fn look(&mut self) -> RunNews {
        let shared = Arc::clone(&self.shared);
        let state = shared.lock();
        self.take(&state)
    }

    /// What is new, as soon as anything is; nothing where the time is up.
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

    /// Whether it wants another snapshot by now.
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
