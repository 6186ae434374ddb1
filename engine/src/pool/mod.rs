//! The pool: processes of one engine, and the searches they are given.

mod engines;
mod event;
mod identity;
mod roster;
mod shared;
mod startup;
mod trial;
mod wanted;
mod worker;

use std::collections::BTreeMap;
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use deepanalyze_core::chess::{Ending, fen_of};
use deepanalyze_core::search::{KeptHash, Limit, Profile, Search};

use super::error::{EngineError, Reason};
use super::settings::Settings;
use super::uci::Offer;

pub use event::{Event, PoolNotice};
use identity::Identity;
use roster::{Job, Roster};
use shared::Shared;
use startup::{First, programs, start_firsts};
use worker::Worker;
#[cfg(all(any(test, feature = "testing"), unix))]
pub use worker::panicking::{PANICS, mute_pool};

/// Processes of one engine, from one command line or several, that serve searches, first come,
/// first served.
///
/// Dropping the pool kills every process group and joins every thread, within a fraction of a
/// second.
pub struct Pool {
    shared: Arc<Shared>,
    profile: Profile,
    engines: usize,
    events: Receiver<Event>,
    /// Its end tells all workers to stop.
    stop: Option<Sender<std::convert::Infallible>>,
    workers: Vec<std::thread::JoinHandle<()>>,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool")
            .field("profile", &self.profile)
            .field("running", &self.running())
            .field("busy", &self.busy())
            .field("waiting", &self.waiting())
            .finish_non_exhaustive()
    }
}

impl Pool {
    /// Starts the first engine of each command line, side by side, and checks the options against
    /// what they offer. The others are started when there is work for them. All must call
    /// themselves the same and offer the same options; only the limits of numbers, folders in
    /// texts, and defaults of options that are set may differ.
    ///
    /// Of several command lines, those whose engine exits or does not speak in time are tried again
    /// while others work, and told of as faults.
    ///
    /// # Errors
    ///
    /// [`EngineError`] where a program is missing or cannot be run, no engine starts or speaks UCI
    /// in time, one does not take an option, or two are not the same.
    pub fn start(settings: &Settings) -> Result<Pool, EngineError> {
        let programs = programs(settings)?;
        let (stop, stopped) = bounded(0);
        let (sender, events) = unbounded();
        let (identity, firsts) = start_firsts(&programs, settings, &stopped)?;
        let roster = Roster::new(settings);
        let slots = roster.sources_of_slots();
        let profile = profile_of(&identity, settings);
        let shared = Shared::new(settings.clone(), programs, identity, roster, sender, stopped);
        let mut pool = Pool {
            shared: Arc::new(shared),
            profile,
            engines: slots.len(),
            events,
            stop: Some(stop),
            workers: Vec::new(),
        };
        // The slots begin with the first of each source.
        let mut firsts = firsts.into_iter();
        for (slot, source) in slots.into_iter().enumerate() {
            pool.hire(slot, source, firsts.next())?;
        }
        Ok(pool)
    }

    /// The engine's name, the options that were set, and the limit.
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

    /// The same at another limit, or with the hash treated otherwise, than the settings say. Such
    /// answers belong to another profile than the pool's.
    pub fn submit_as(&mut self, ticket: u64, search: Search, limit: Limit, keep_hash: bool) {
        if Ending::of(&search.position).is_some() || search.allowed().is_empty() {
            let fen = fen_of(&search.position);
            let error = EngineError::new(&self.profile.engine, Reason::NothingToSearch(fen));
            return self.shared.tell(Event::Failed { ticket, error });
        }
        let (failures, came_back, hangs) = (Vec::new(), false, 0);
        let abandoned = self.shared.wanted().add(ticket);
        self.shared.submit(Job {
            ticket,
            search,
            limit,
            keep_hash,
            abandoned,
            failures,
            came_back,
            hangs,
        });
    }

    /// Ends a search that nobody waits for any more; nothing more will be heard of it. An engine that is
    /// searching is told to stop, and what it says is thrown away.
    pub fn abandon(&mut self, ticket: u64) {
        self.shared.wanted().remove(ticket);
        self.shared.roster().forget(ticket);
    }

    /// Takes back the searches that no engine has begun with; nothing more will be heard of them.
    /// Gives their tickets.
    pub fn withdraw(&mut self) -> Vec<u64> {
        let tickets = self.shared.roster().withdraw().into_iter().map(|job| job.ticket);
        let tickets: Vec<u64> = tickets.collect();
        tickets.iter().for_each(|ticket| self.shared.wanted().remove(*ticket));
        tickets
    }

    /// What came of the searches, in the order in which it happened.
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// The options that the engine offers.
    pub fn offers(&self) -> Vec<Offer> {
        self.shared.identity.offers().to_vec()
    }

    /// What makes this build of the engine, with the options that are set, as lines: another build on
    /// another computer has others.
    pub fn build(&self) -> Vec<String> {
        self.shared.identity.essence()
    }

    /// How many engine processes there may be.
    pub fn engines(&self) -> usize {
        self.engines
    }

    /// How many of them work, or could be started: none of those that are left out or do not start.
    /// At least one, for what waits is not to wait for ever.
    pub fn up(&self) -> usize {
        self.shared.roster().up().max(1)
    }

    /// How many engine processes there are now.
    pub fn running(&self) -> usize {
        self.shared.roster().running()
    }

    /// How many engines are searching.
    pub fn busy(&self) -> usize {
        self.shared.roster().busy()
    }

    /// How many searches wait for an engine.
    pub fn waiting(&self) -> usize {
        self.shared.roster().waiting()
    }

    /// Kills every engine, joins every thread; the searches under way are lost.
    pub fn abort(self) {
        drop(self);
    }

    /// Starts the thread of a slot.
    fn hire(
        &mut self,
        slot: usize,
        source: usize,
        first: Option<First>,
    ) -> Result<(), EngineError> {
        let shared = Arc::clone(&self.shared);
        let Some(program) = shared.programs.get(source).cloned() else {
            return Ok(());
        };
        let engine = match first.transpose() {
            Ok(engine) => engine,
            Err(error) => {
                shared.not_started(slot, &error);
                None
            }
        };
        if engine.is_some() {
            shared.roster().started(slot);
        }
        let worker = Worker::new(shared, slot, program, engine);
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

fn profile_of(identity: &Identity, settings: &Settings) -> Profile {
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
