//! The engines as a run sees them: processes of this machine, or a test's stand-in.

use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use deepanalyze_core::search::{Answer, Limit, Profile, Search, WorkerId};

use super::error::EngineError;

/// Why [`Engines::wait`] returned.
#[derive(Debug)]
pub enum Wakeup {
    /// Event of a search or an engine.
    Event(Event),
    /// The waiting thread was woken: its control has changed, or an engine has become free for it.
    Control,
    /// The moment has come.
    Time,
}

/// A long search of one position, on a cleared hash.
#[derive(Debug, Clone)]
pub struct LongSearch {
    /// The position, and the excluded moves.
    pub search: Search,
    /// Its end.
    pub end: LongEnd,
    /// Engines whose threads the search has: its own, and others that rest meanwhile. 1 where
    /// [`Engines::threads`] is.
    pub threads: usize,
}

/// End of a long search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongEnd {
    /// A depth or a node limit.
    At(Limit),
    /// The clock.
    Until(Instant),
}

impl LongEnd {
    /// The limit of the search; a depth that none reaches if the clock ends it.
    pub fn limit(self) -> Limit {
        match self {
            LongEnd::At(limit) => limit,
            LongEnd::Until(_) => Limit::Depth(u8::MAX.into()),
        }
    }
}

/// Engines that serve searches, first come, first served, and their clock.
///
/// A run takes its time from here and waits only here: with engines in virtual time
/// (`FakeEngines`), the whole run is in virtual time.
pub trait Engines {
    /// The engine's name, the options set, and the limit.
    fn profile(&self) -> &Profile;

    /// Queues a search up to a limit, on a cleared or kept hash; its ticket comes back in every
    /// event about it. A finished position, or one with all moves excluded, fails at once. With
    /// another limit or hash than the profile's, the answer belongs to another profile.
    fn submit(&mut self, ticket: u64, search: Search, limit: Limit, keep_hash: bool);

    /// Queues a speculative search; all others go before it.
    fn submit_guess(&mut self, ticket: u64, search: Search, limit: Limit, keep_hash: bool) {
        self.submit(ticket, search, limit, keep_hash);
    }

    /// Makes a guess a normal search.
    fn require(&mut self, ticket: u64) {
        let _ = ticket;
    }

    /// Queues a long search. Each of its iterations is an event, then its answer; an abandoned one
    /// has only its iterations. No events follow where [`Engines::long_searches`] is 0.
    fn submit_long(&mut self, ticket: u64, long: LongSearch) {
        let _ = (ticket, long);
    }

    /// Engines that can make a long search each, side by side.
    fn long_searches(&self) -> usize {
        0
    }

    /// Engines of this computer that one long search can have the threads of; 1 where engines have
    /// one thread only, or other runs use them, too.
    fn threads(&self) -> usize {
        1
    }

    /// Another engine, for a look at the root after each closing search; its events come from itself
    /// alone.
    fn second(&mut self) -> Option<&mut dyn Engines> {
        None
    }

    /// Gives the other engine away, to be shared as these are.
    fn take_second(&mut self) -> Option<Box<dyn Engines + Send>> {
        None
    }

    /// Removes the searches that no engine has begun, and returns their tickets. No events follow
    /// for them.
    fn withdraw(&mut self) -> Vec<u64>;

    /// Cancels a search. No more events follow, and its engine is soon free for another. Engines
    /// that cannot be interrupted go on.
    fn abandon(&mut self, ticket: u64) {
        let _ = ticket;
    }

    /// Stops asking a worker, which others have found wrong.
    fn quarantine(&mut self, worker: &WorkerId, why: &str) {
        let _ = (worker, why);
    }

    /// Engines that work or could be started; at least one.
    fn up(&self) -> usize;

    /// The time now.
    fn now(&self) -> Instant;

    /// Waits for the next event, a wake-up or a moment, whichever comes first.
    fn wait(&mut self, wake: &Receiver<()>, until: Option<Instant>) -> Wakeup;

    /// The next event, if one waits.
    fn poll(&mut self) -> Option<Event>;

    /// True if no event waits.
    fn is_quiet(&self) -> bool;

    /// Is the time virtual? It then passes only during waits; where several share such engines,
    /// only while all of them wait.
    fn is_virtual(&self) -> bool {
        false
    }
}

/// Event of a search or an engine.
#[derive(Debug, Clone)]
pub enum Event {
    /// An engine has begun the search; again after each fault.
    Started {
        /// The search.
        ticket: u64,
    },
    /// Progress of a long search.
    Iteration {
        /// The search.
        ticket: u64,
        /// The answer so far.
        answer: Answer,
    },
    /// A long search has given way to the searches of others; no more events follow.
    GivenWay {
        /// The search.
        ticket: u64,
    },
    /// The iterations of a long search are void: its worker is in quarantine. It begins anew.
    Retracted {
        /// The search.
        ticket: u64,
    },
    /// The search is done.
    Answered {
        /// The search.
        ticket: u64,
        /// The engine's answer.
        answer: Answer,
        /// The fleet's worker that answered; `None` for an engine of this computer.
        worker: Option<WorkerId>,
    },
    /// A worker is found wrong: all its answers are invalid, and to be searched again.
    Quarantined {
        /// It.
        worker: WorkerId,
        /// Evidence against it.
        why: String,
    },
    /// An engine failed and was killed; its search will be tried again.
    Fault {
        /// The search it failed at; `None` if it did not start, or died between searches.
        ticket: Option<u64>,
        /// The failure.
        error: EngineError,
        /// Number of the failure, from 1: of the search, or in a row of this command line's starts.
        attempt: u32,
    },
    /// The search will not be answered: three engines failed at it, or none can serve it.
    Failed {
        /// The search.
        ticket: u64,
        /// A [`Reason::GaveUp`](super::Reason::GaveUp) has the last failure as its source.
        error: EngineError,
    },
    /// Engines were left out of the pool or are back, or alternatives are searched in another way.
    Notice(PoolNotice),
    /// A thread of the pool has ended by a fault of this program. Its search is lost: no more
    /// events follow for it.
    Broken,
}

/// A change in how the pool works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PoolNotice {
    /// An engine failed at several searches in a row while others answered.
    Retired {
        /// Its last failure.
        error: EngineError,
        /// Different searches it failed at.
        searches: usize,
        /// Time until its return.
        rest: Duration,
    },
    /// A command line no longer starts an engine, while others work.
    Down {
        /// The last failure.
        error: EngineError,
        /// Failed starts in a row.
        starts: u32,
        /// Pause between attempts.
        pause: Duration,
    },
    /// An engine that was left out, or did not start, works again.
    Back {
        /// Its command line.
        command: String,
    },
    /// An excluded move came back: alternatives are searched with `MultiPV` from now on.
    SearchmovesIgnored {
        /// The move's error.
        error: EngineError,
    },
    /// News of the fleet: a computer is gone, or its answers are rejected.
    Fleet {
        /// The text.
        what: String,
        /// True if it is nothing to worry about.
        is_good: bool,
    },
    /// There is no second engine.
    NoSecond {
        /// The reason.
        error: EngineError,
    },
    /// A search that hung whenever it was made with `searchmoves` was answered with `MultiPV`, and
    /// no engine has ever answered `searchmoves`: alternatives are searched with `MultiPV` from now
    /// on.
    SearchmovesUnanswered {
        /// The engine's name.
        engine: String,
    },
}

/// How alternatives are searched from now on.
const WITH_MULTIPV: &str = "using MultiPV from now on";

impl std::fmt::Display for PoolNotice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PoolNotice::Retired { error, searches, rest } => write!(
                f,
                "{error}; {searches} searches in a row failed while other engines answered: \
                 paused for {}",
                time(*rest)
            ),
            PoolNotice::Down { error, starts, pause } => write!(
                f,
                "{error}; {starts} starts in a row failed while other engines work: trying again \
                 every {}",
                time(*pause)
            ),
            PoolNotice::Fleet { what, .. } => f.write_str(what),
            PoolNotice::NoSecond { error } => write!(f, "no second engine: {error}"),
            PoolNotice::Back { command } => write!(f, "engine command {command:?} works again"),
            PoolNotice::SearchmovesIgnored { error } => {
                write!(f, "{error}: it ignores searchmoves; {WITH_MULTIPV}")
            }
            PoolNotice::SearchmovesUnanswered { engine } => write!(
                f,
                "engine {engine:?} hung on searchmoves twice and answered with MultiPV; {WITH_MULTIPV}"
            ),
        }
    }
}

fn time(duration: Duration) -> impl std::fmt::Display {
    humantime::format_duration(Duration::from_millis(
        u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
    ))
}
