//! The pool: processes of one engine, and their searches.

mod roster;
mod shared;
mod startup;
mod worker;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, at, bounded, never, select_biased, unbounded};

use deepanalyze_core::search::{KeptHash, Limit, Profile, Search};

use super::Settings;
use super::engines::{Engines, Event, LongSearch, PoolNotice, Wakeup};
use super::error::{EngineError, Reason};
use super::process::Program;
use super::uci::Offer;

use roster::PoolJob;
use shared::PoolShared;
use startup::{EngineIdentity, FirstEngine, programs, start_firsts};
use worker::SlotThread;
#[cfg(all(any(test, feature = "testing"), unix))]
pub use worker::panicking::{PANICS, mute_pool};

/// Processes of one engine, from one command line or several, that serve searches, first come,
/// first served.
///
/// Dropping the pool kills every process group and joins every thread, within a fraction of a
/// second.
pub struct Pool {
    shared: Arc<PoolShared>,
    profile: Profile,
    engines: usize,
    events: Receiver<Event>,
    /// Dropped to stop all workers.
    stop: Option<Sender<std::convert::Infallible>>,
    workers: Vec<std::thread::JoinHandle<()>>,
    second: Option<Box<Pool>>,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool")
            .field("profile", &self.profile)
            .field("roster", &self.shared.roster())
            .finish_non_exhaustive()
    }
}

impl Pool {
    /// Starts the first engine of each command line, side by side, and checks the options against
    /// those offered. The others are started when there is work for them. All must have the same
    /// name and options; only the limits of numbers, folders in texts, and defaults of options that
    /// are set may differ.
    ///
    /// Of several command lines, those whose engine exits or does not speak in time are tried again
    /// while others work, and reported as faults.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if a program is missing or cannot be run, no engine starts or speaks UCI in
    /// time, one does not take an option, or two are not the same.
    pub fn start(settings: &Settings) -> Result<Pool, EngineError> {
        let programs = programs(settings)?;
        let (stop, stopped) = bounded(0);
        let (sender, events) = unbounded();
        let (identity, firsts) = start_firsts(&programs, settings, &stopped)?;
        let profile = profile_of(&identity, settings);
        let shared = Arc::new(PoolShared::new(settings, identity, sender, stopped));
        let sources = shared.roster().sources_of_slots();
        let engines = sources.len();
        let stop = Some(stop);
        let second = match settings.second.as_deref().map(|second| second_of(second, &profile)) {
            Some(Err(error)) if settings.needs_second => return Err(error),
            Some(Err(error)) => {
                shared.tell(Event::Notice(PoolNotice::NoSecond { error }));
                None
            }
            Some(Ok(second)) => Some(Box::new(second)),
            None => None,
        };
        let workers = Vec::new();
        let mut pool = Pool { shared, profile, engines, events, stop, workers, second };
        // The slots begin with the first of each source.
        let mut firsts = firsts.into_iter();
        for (slot, source) in sources.into_iter().enumerate() {
            if let Some(program) = programs.get(source) {
                pool.hire(slot, program.clone(), firsts.next())?;
            }
        }
        Ok(pool)
    }

    /// The engine's name, the options set, and the limit.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Queues a search; its ticket comes back in every event about it.
    ///
    /// A finished position, or one with all moves excluded, fails at once: asked for it, engines
    /// make up a move, hang or die.
    pub fn submit(&mut self, ticket: u64, search: Search) {
        let Settings { limit, keep_hash, .. } = self.shared.settings;
        self.submit_as(ticket, search, limit, keep_hash);
    }

    /// Queues a search with another limit or hash treatment than the settings'. Such answers belong
    /// to another profile than the pool's.
    pub fn submit_as(&mut self, ticket: u64, search: Search, limit: Limit, keep_hash: bool) {
        self.queue(ticket, search, limit, keep_hash, None);
    }

    /// Queues a search, which may be a long one.
    fn queue(
        &mut self,
        ticket: u64,
        search: Search,
        limit: Limit,
        keep_hash: bool,
        long: Option<Arc<LongSearch>>,
    ) {
        if let Some(error) = EngineError::nothing_to_search(&self.profile.engine, &search) {
            return self.shared.tell(Event::Failed { ticket, error });
        }
        let abandoned = self.shared.want(ticket);
        self.shared.submit(PoolJob {
            ticket,
            search,
            limit,
            keep_hash,
            long,
            abandoned,
            failures: Vec::new(),
            came_back: false,
            hangs: 0,
        });
    }

    /// Cancels a search. No more events follow. An engine that is searching is told to stop, and
    /// its answer is discarded.
    pub fn abandon(&mut self, ticket: u64) {
        self.shared.abandon(ticket);
    }

    /// Removes the searches that no engine has begun, and returns their tickets. No events follow
    /// for them.
    pub fn withdraw(&mut self) -> Vec<u64> {
        self.shared.withdraw()
    }

    /// Events, in the order in which they happened.
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// The options that the engine offers.
    pub fn offers(&self) -> Vec<Offer> {
        self.shared.identity.offers().to_vec()
    }

    /// The lines that identify this build of the engine, with the options set: another build has
    /// others.
    pub fn build(&self) -> Vec<String> {
        self.shared.identity.essence()
    }

    /// Maximum number of engine processes.
    pub fn engines(&self) -> usize {
        self.engines
    }

    /// Engines that work or could be started, without those left out or not starting. At least one,
    /// so that a search does not wait for ever.
    pub fn up(&self) -> usize {
        self.shared.roster().up().max(1)
    }

    /// Number of engine processes now.
    pub fn running(&self) -> usize {
        self.shared.roster().running()
    }

    /// Number of engines searching.
    pub fn busy(&self) -> usize {
        self.shared.roster().busy()
    }

    /// Searches waiting for an engine.
    pub fn waiting(&self) -> usize {
        self.shared.roster().waiting()
    }

    /// Starts the thread of a slot.
    fn hire(
        &mut self,
        slot: usize,
        program: Program,
        first: Option<FirstEngine>,
    ) -> Result<(), EngineError> {
        let shared = Arc::clone(&self.shared);
        let engine = match first {
            Some(Ok(engine)) => {
                shared.roster().started(slot);
                Some(engine)
            }
            Some(Err(error)) => {
                shared.not_started(slot, &error);
                None
            }
            None => None,
        };
        let worker = SlotThread { shared, slot, program, engine };
        let thread = std::thread::Builder::new()
            .name(format!("engine {}", slot + 1))
            .spawn(move || worker.run())
            .map_err(|e| EngineError::new(&self.profile.engine, Reason::Spawn(e.to_string())))?;
        self.workers.push(thread);
        Ok(())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.stop = None;
        self.shared.wake();
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

impl Engines for Pool {
    fn profile(&self) -> &Profile {
        Pool::profile(self)
    }

    fn submit(&mut self, ticket: u64, search: Search, limit: Limit, keep_hash: bool) {
        Pool::submit_as(self, ticket, search, limit, keep_hash);
    }

    fn submit_long(&mut self, ticket: u64, long: LongSearch) {
        let (search, limit) = (long.search.clone(), long.end.limit());
        self.queue(ticket, search, limit, false, Some(Arc::new(long)));
    }

    fn long_searches(&self) -> usize {
        self.up()
    }

    fn threads(&self) -> usize {
        // Engines from several command lines may run on several computers.
        let here = if self.shared.settings.sources.len() == 1 { self.up() } else { 1 };
        (1..=here).rev().find(|times| self.shared.identity.has_threads(*times)).unwrap_or(1)
    }

    fn second(&mut self) -> Option<&mut dyn Engines> {
        Some(&mut **self.second.as_mut()?)
    }

    fn take_second(&mut self) -> Option<Box<dyn Engines + Send>> {
        Some(self.second.take()?)
    }

    fn withdraw(&mut self) -> Vec<u64> {
        Pool::withdraw(self)
    }

    fn abandon(&mut self, ticket: u64) {
        Pool::abandon(self, ticket);
    }

    fn up(&self) -> usize {
        Pool::up(self)
    }

    fn now(&self) -> Instant {
        Instant::now()
    }

    fn wait(&mut self, wake: &Receiver<()>, until: Option<Instant>) -> Wakeup {
        let time = until.map_or_else(never, at);
        // Control first: a request to end does not wait behind prompt answers.
        select_biased! {
            recv(wake) -> _ => Wakeup::Control,
            // The sender lives as long as the pool; without it no event would come.
            recv(self.events) -> event => Wakeup::Event(event.unwrap_or(Event::Broken)),
            recv(time) -> _ => Wakeup::Time,
        }
    }

    fn poll(&mut self) -> Option<Event> {
        self.events.try_recv().ok()
    }

    fn is_quiet(&self) -> bool {
        self.events.is_empty()
    }
}

/// Starts the second engine, which must be another one than the first.
fn second_of(settings: &Settings, first: &Profile) -> Result<Pool, EngineError> {
    let second = Pool::start(settings)?;
    if second.profile.engine == first.engine {
        Err(EngineError::new(&first.engine, Reason::SameAsFirst))
    } else {
        Ok(second)
    }
}

fn profile_of(identity: &EngineIdentity, settings: &Settings) -> Profile {
    let options: BTreeMap<String, String> = identity
        .set
        .iter()
        .map(|(name, value)| (name.clone(), value.clone().unwrap_or_default()))
        .collect();
    Profile {
        engine: identity.name.clone(),
        options,
        limit: settings.limit,
        kept_hash: settings.keep_hash.then_some(KeptHash::Unknown),
    }
}
