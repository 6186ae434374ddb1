//! Engines in virtual time, for tests and measurements: no process, no thread, no sleep. A run with
//! them is the same every time, and takes no longer than its own work.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use deepanalyze_core::search::{Answer, Limit, Profile, Search, WorkerId};

use super::engines::{Engines, Event, LongEnd, LongSearch, PoolNotice, Wakeup};
use super::error::EngineError;

/// A search that a fake engine begins.
#[derive(Debug, Clone)]
pub struct FakeStart {
    /// The search.
    pub search: Search,
    /// Its limit.
    pub limit: Limit,
    /// True if the hash is kept.
    pub keep_hash: bool,
    /// If it is a long one.
    pub long: Option<LongSearch>,
    /// Time left, if the clock ends it.
    pub left: Option<Duration>,
    /// Time since the beginning.
    pub at: Duration,
}

/// Outcome of a fake engine's search.
#[derive(Debug, Clone)]
pub struct FakeSearch {
    /// Duration of the search; also the answer's.
    pub takes: Duration,
    /// Changes of the pool, reported with the search's end.
    pub notices: Vec<PoolNotice>,
    /// Attempts that fail before its end, reported with it.
    pub faults: Vec<EngineError>,
    /// The end. An error is final, as after several attempts.
    pub end: Result<Answer, EngineError>,
    /// The fleet's worker that makes it, if any.
    pub worker: Option<WorkerId>,
    /// A worker that it proves wrong; reported before its end.
    pub quarantines: Option<WorkerId>,
    /// A long one's iterations, and their times.
    pub iterations: Vec<(Duration, Answer)>,
}

impl FakeSearch {
    /// A search that ends at once, without a fault.
    pub fn ending(end: Result<Answer, EngineError>) -> FakeSearch {
        FakeSearch {
            takes: Duration::ZERO,
            notices: Vec::new(),
            faults: Vec::new(),
            end,
            worker: None,
            quarantines: None,
            iterations: Vec::new(),
        }
    }

    /// Sets the duration.
    #[must_use]
    pub fn taking(self, takes: Duration) -> FakeSearch {
        FakeSearch { takes, ..self }
    }
}

/// A search that a fake engine makes.
struct FakeRunning {
    ticket: u64,
    made: FakeSearch,
}

/// Action at a given time, independent of the engines.
type FakeAction = Box<dyn FnOnce()>;

/// Decides the outcome of a search.
type FakeScript = Box<dyn FnMut(&FakeStart) -> FakeSearch>;

/// Time of something planned, counted from the beginning, and the order in which it was planned.
type FakeMoment = (Duration, u64);

/// Engines whose searches end as a function says, in the time that it says. The clock moves only
/// while the run waits.
pub struct FakeEngines<S = FakeScript> {
    profile: Profile,
    count: usize,
    threads: usize,
    script: S,
    began: Instant,
    /// Time since then; shared with the second engine.
    clock: Arc<Mutex<Duration>>,
    second: Option<Box<FakeEngines>>,
    /// Counts what is planned.
    planned: u64,
    /// Not begun; with their tickets.
    waiting: VecDeque<(u64, FakeStart)>,
    running: BTreeMap<FakeMoment, FakeRunning>,
    /// Iterations of running searches.
    iterations: BTreeMap<FakeMoment, (u64, Answer)>,
    actions: BTreeMap<FakeMoment, FakeAction>,
    events: VecDeque<Event>,
    busy: Duration,
    quarantined: Vec<WorkerId>,
}

impl<S> std::fmt::Debug for FakeEngines<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FakeEngines")
            .field("now", &self.clock)
            .field("running", &self.running.len())
            .field("waiting", &self.waiting.len())
            .finish_non_exhaustive()
    }
}

impl FakeEngines {
    /// Creates this many engines, with a script that is called when a search begins.
    pub fn new(
        count: usize,
        profile: Profile,
        script: impl FnMut(&FakeStart) -> FakeSearch + 'static,
    ) -> FakeEngines {
        FakeEngines::scripted(count, profile, Box::new(script))
    }
}

impl<S: FnMut(&FakeStart) -> FakeSearch> FakeEngines<S> {
    /// [`FakeEngines::new`] with a script that borrows.
    pub fn scripted(count: usize, profile: Profile, script: S) -> FakeEngines<S> {
        FakeEngines {
            profile,
            count: count.max(1),
            threads: 1,
            script,
            began: Instant::now(),
            clock: Arc::default(),
            second: None,
            planned: 0,
            waiting: VecDeque::new(),
            running: BTreeMap::new(),
            iterations: BTreeMap::new(),
            actions: BTreeMap::new(),
            events: VecDeque::new(),
            busy: Duration::ZERO,
            quarantined: Vec::new(),
        }
    }

    /// Lets one long search have the threads of this many engines.
    pub fn lend_threads(&mut self, engines: usize) {
        self.threads = engines.clamp(1, self.count);
    }

    /// Plans an action outside the engines: Ctrl-C, or a locked database. It happens while the run
    /// waits.
    pub fn at(&mut self, time: Duration, action: impl FnOnce() + 'static) {
        let moment = self.moment(time);
        self.actions.insert(moment, Box::new(action));
    }

    /// Puts one engine of another kind beside them, on the same clock.
    pub fn put_beside(
        &mut self,
        profile: Profile,
        script: impl FnMut(&FakeStart) -> FakeSearch + 'static,
    ) -> &mut FakeEngines {
        let mut second = FakeEngines::new(1, profile, script);
        (second.began, second.clock) = (self.began, Arc::clone(&self.clock));
        self.second.insert(Box::new(second))
    }

    /// Virtual time passed.
    pub fn elapsed(&self) -> Duration {
        *self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets time pass, never backwards.
    fn come_to(&self, time: Duration) {
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        *clock = time.max(*clock);
    }

    /// Total engine time of all searches begun, up to their planned ends.
    pub fn busy(&self) -> Duration {
        self.busy
    }

    /// The workers reported wrong, once for each report.
    pub fn quarantined(&self) -> &[WorkerId] {
        &self.quarantined
    }

    /// Number of searches under way.
    pub fn running(&self) -> usize {
        self.running.len()
    }

    fn moment(&mut self, time: Duration) -> FakeMoment {
        self.planned += 1;
        (time.max(self.elapsed()), self.planned)
    }

    /// Starts waiting searches.
    fn begin(&mut self) {
        while self.running.len() < self.count
            && let Some((ticket, start)) = self.waiting.pop_front()
        {
            let left = match start.long.as_ref().map(|long| long.end) {
                Some(LongEnd::Until(at)) => {
                    Some(at.saturating_duration_since(self.began + self.elapsed()))
                }
                Some(LongEnd::At(_)) | None => None,
            };
            let at = self.elapsed();
            let mut made = (self.script)(&FakeStart { at, left, ..start });
            for (after, answer) in std::mem::take(&mut made.iterations) {
                let moment = self.moment(self.elapsed() + after);
                self.iterations.insert(moment, (ticket, answer));
            }
            let takes = made.takes;
            let end = made.end.map(|answer| Answer { time: takes, ..answer });
            self.busy += takes;
            let moment = self.moment(self.elapsed() + takes);
            self.running.insert(moment, FakeRunning { ticket, made: FakeSearch { end, ..made } });
            self.events.push_back(Event::Started { ticket });
        }
    }

    /// Reports due iterations.
    fn iterate(&mut self) {
        let now = self.elapsed();
        while let Some(entry) = self.iterations.first_entry()
            && entry.key().0 <= now
        {
            let (ticket, answer) = entry.remove();
            if self.running.values().any(|running| running.ticket == ticket) {
                self.events.push_back(Event::Iteration { ticket, answer });
            }
        }
    }

    /// Ends the searches that are due.
    fn end_due(&mut self) {
        let now = self.elapsed();
        while let Some(entry) = self.running.first_entry()
            && entry.key().0 <= now
        {
            let FakeRunning { ticket, made } = entry.remove();
            let FakeSearch { notices, faults, end, worker, quarantines, .. } = made;
            self.events.extend(notices.into_iter().map(Event::Notice));
            let why = "it is made up".to_owned();
            self.events.extend(quarantines.map(|worker| Event::Quarantined { worker, why }));
            let faults = (1..).zip(faults).map(|(attempt, error)| Event::Fault {
                ticket: Some(ticket),
                error,
                attempt,
            });
            self.events.extend(faults);
            self.events.push_back(match end {
                Ok(answer) => Event::Answered { ticket, answer, worker },
                Err(error) => Event::Failed { ticket, error },
            });
            self.begin();
        }
    }

    /// Advances the time to the next end of a search or action, at most to `until`; `false` if that
    /// comes first.
    fn pass(&mut self, until: Option<Duration>) -> bool {
        let search = self.running.keys().next().map(|moment| moment.0);
        let action = self.actions.keys().next().map(|moment| moment.0);
        let iteration = self.iterations.keys().next().map(|moment| moment.0);
        let next = [search, iteration, action].into_iter().flatten().min();
        match (next, until) {
            (Some(next), until) if until.is_none_or(|until| next <= until) => self.come_to(next),
            (_, Some(until)) => {
                self.come_to(until);
                return false;
            }
            // Nothing will ever happen: a test that hangs in virtual time ends.
            (_, None) => self.events.push_back(Event::Broken),
        }
        let now = self.elapsed();
        while let Some(entry) = self.actions.first_entry()
            && entry.key().0 <= now
        {
            (entry.remove())();
        }
        self.iterate();
        self.end_due();
        true
    }
}

impl<S: FnMut(&FakeStart) -> FakeSearch> Engines for FakeEngines<S> {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn submit(&mut self, ticket: u64, search: Search, limit: Limit, keep_hash: bool) {
        if let Some(error) = EngineError::nothing_to_search(&self.profile.engine, &search) {
            return self.events.push_back(Event::Failed { ticket, error });
        }
        let start =
            FakeStart { search, limit, keep_hash, long: None, left: None, at: self.elapsed() };
        self.waiting.push_back((ticket, start));
        self.begin();
    }

    fn submit_long(&mut self, ticket: u64, long: LongSearch) {
        let (search, limit, keep_hash) = (long.search.clone(), long.end.limit(), false);
        let start = FakeStart {
            search,
            limit,
            keep_hash,
            long: Some(long),
            left: None,
            at: self.elapsed(),
        };
        self.waiting.push_back((ticket, start));
        self.begin();
    }

    fn long_searches(&self) -> usize {
        self.count
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn withdraw(&mut self) -> Vec<u64> {
        self.waiting.drain(..).map(|(ticket, _)| ticket).collect()
    }

    fn second(&mut self) -> Option<&mut dyn Engines> {
        Some(&mut **self.second.as_mut()?)
    }

    fn abandon(&mut self, ticket: u64) {
        self.waiting.retain(|(waiting, _)| *waiting != ticket);
        self.running.retain(|_, running| running.ticket != ticket);
        self.begin();
    }

    fn quarantine(&mut self, worker: &WorkerId, _: &str) {
        self.quarantined.push(worker.clone());
    }

    fn up(&self) -> usize {
        self.count
    }

    fn now(&self) -> Instant {
        self.began + self.elapsed()
    }

    fn wait(&mut self, wake: &Receiver<()>, until: Option<Instant>) -> Wakeup {
        let until = until.map(|until| until.saturating_duration_since(self.began));
        loop {
            if wake.try_recv().is_ok() {
                return Wakeup::Control;
            }
            if let Some(event) = self.events.pop_front() {
                return Wakeup::Event(event);
            }
            if !self.pass(until) {
                return Wakeup::Time;
            }
        }
    }

    fn poll(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn is_quiet(&self) -> bool {
        self.events.is_empty()
    }

    fn is_virtual(&self) -> bool {
        true
    }
}
