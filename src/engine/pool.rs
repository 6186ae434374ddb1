//! The pool: processes of one engine, and the searches they are given.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::deadline::HangPolicy;
use super::error::{EngineError, Reason};
use super::instance::{Instance, Setup};
use super::profile::{Limit, Profile};
use super::program::Program;
use super::search::{Answer, Search};
use super::shared::{Job, Shared};
use super::worker::Worker;
use crate::chess::{Ending, fen_of};

/// How engines are started and what they are asked.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The engine's command line, split as a shell does; the program is looked up on PATH and then
    /// in /usr/games.
    pub command: String,
    /// How many processes there may be; at least one.
    pub engines: usize,
    /// The options to set, as the user wrote them; the last of several values of one counts.
    pub options: Vec<(String, String)>,
    /// The limit of one search.
    pub limit: Limit,
    /// Leaves the hash as it is between searches: faster, and the answers depend on their order.
    pub keep_hash: bool,
    /// When an engine counts as hung.
    pub hang: HangPolicy,
    /// The pause before an engine that failed is started again. It doubles with every failure in a
    /// row, up to [`Settings::LONGEST_BACKOFF`].
    pub backoff: Duration,
}

impl Settings {
    /// The longest pause before an engine is started again.
    pub const LONGEST_BACKOFF: Duration = Duration::from_secs(30);

    /// One process, no options, hash cleared before each search.
    pub fn new(command: &str, limit: Limit) -> Settings {
        Settings {
            command: command.to_owned(),
            engines: 1,
            options: Vec::new(),
            limit,
            keep_hash: false,
            hang: HangPolicy::default(),
            backoff: Duration::from_millis(100),
        }
    }
}

/// What came of a search, or of an engine.
#[derive(Debug, Clone)]
pub enum Event {
    /// An engine has begun with the search; again after each fault.
    Started {
        /// The search.
        ticket: u64,
    },
    /// The search is done.
    Answered {
        /// The search.
        ticket: u64,
        /// What the engine said.
        answer: Answer,
    },
    /// An engine failed and was killed; its search will be tried again.
    Fault {
        /// The search it failed at; none where it did not start, or died between searches.
        ticket: Option<u64>,
        /// How it failed.
        error: EngineError,
        /// Which failure this is: of the search, or in a row of this engine's starts; from 1.
        attempt: u32,
    },
    /// The search will not be answered: three engines failed at it, or none can serve it.
    Failed {
        /// The search.
        ticket: u64,
        /// Why; a [`Reason::GaveUp`] has the last failure as its source.
        error: EngineError,
    },
}

/// Processes of one engine that serve searches, first come, first served.
///
/// Dropping the pool kills every process group and joins every thread, within a fraction of a
/// second.
pub struct Pool {
    shared: Arc<Shared>,
    profile: Profile,
    engines: usize,
    jobs: Sender<Job>,
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
    /// Starts one engine and checks the options against what it offers. The others are started when
    /// there is work for them, and must call themselves the same.
    ///
    /// # Errors
    ///
    /// [`EngineError`] where the program is missing or does not start, does not speak UCI in time,
    /// or does not take an option.
    pub fn start(settings: &Settings) -> Result<Pool, EngineError> {
        let program = Program::find(&settings.command)?;
        let (stop, stopped) = bounded(0);
        let (jobs, queue) = unbounded();
        let (sender, events) = unbounded();
        let first = Instance::start(&Setup {
            program: &program,
            options: &settings.options,
            patience: settings.hang.startup,
            stop: &stopped,
        })?;
        let profile = profile_of(&first, settings);
        let name = profile.engine.clone();
        let shared = Shared::new(settings.clone(), program, name, queue, sender, stopped);
        let mut pool = Pool {
            shared: Arc::new(shared),
            profile,
            engines: settings.engines.max(1),
            jobs,
            events,
            stop: Some(stop),
            workers: Vec::new(),
        };
        pool.hire(Some(first))?;
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
        self.shared.waiting.fetch_add(1, SeqCst);
        let job = Job { ticket, search, limit, keep_hash, failures: 0, came_back: false };
        // The receiver lives as long as the pool.
        let _ = self.jobs.send(job);
        let wanted = self.waiting() + self.busy();
        if wanted > self.workers.len()
            && self.workers.len() < self.engines
            && let Err(error) = self.hire(None)
        {
            tracing::warn!(%error, "cannot start a thread for another engine");
        }
    }

    /// Takes back the searches that no engine has begun with; nothing more will be heard of them.
    /// Gives their tickets.
    pub fn withdraw(&mut self) -> Vec<u64> {
        self.shared.withdraw()
    }

    /// What came of the searches, in the order in which it happened.
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// How many engine processes there may be.
    pub fn engines(&self) -> usize {
        self.engines
    }

    /// How many engine processes there are now.
    pub fn running(&self) -> usize {
        self.shared.running.load(SeqCst)
    }

    /// How many engines are searching.
    pub fn busy(&self) -> usize {
        self.shared.busy.load(SeqCst)
    }

    /// How many searches wait for an engine.
    pub fn waiting(&self) -> usize {
        self.shared.waiting.load(SeqCst)
    }

    /// Kills every engine, joins every thread; the searches under way are lost.
    pub fn abort(self) {
        drop(self);
    }

    fn hire(&mut self, instance: Option<Instance>) -> Result<(), EngineError> {
        let number = self.workers.len() + 1;
        let shared = Arc::clone(&self.shared);
        shared.hired.fetch_add(1, SeqCst);
        let worker = Worker::new(Arc::clone(&shared), instance);
        let thread = std::thread::Builder::new()
            .name(format!("engine {number}"))
            .spawn(move || worker.run())
            .map_err(|e| {
                shared.hired.fetch_sub(1, SeqCst);
                EngineError::new(&self.profile.engine, Reason::Spawn(e.to_string()))
            })?;
        self.workers.push(thread);
        Ok(())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.stop = None;
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

fn profile_of(instance: &Instance, settings: &Settings) -> Profile {
    let options: BTreeMap<String, String> = instance
        .set()
        .iter()
        .map(|(name, value)| (name.clone(), value.clone().unwrap_or_default()))
        .collect();
    let profile = Profile { engine: instance.name().to_owned(), options, limit: settings.limit };
    if settings.keep_hash { profile.on_kept_hash("true") } else { profile }
}
