//! What a run needs of engines, whoever they are: processes of this machine, or a stand-in of a test.

use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use shakmaty::Chess;

use deepanalyze_core::search::{Answer, Limit, Profile, Search, WorkerId};

use super::error::EngineError;

/// Why [`Engines::wait`] has returned.
#[derive(Debug)]
pub enum Wakeup {
    /// Something came of a search, or of an engine.
    Event(Event),
    /// Somebody woke the waiting thread: its control has changed, or an engine has become free for it.
    Control,
    /// The moment has come.
    Time,
}

/// A long search of one position, and short ones before it that fill the hash for it. One process makes all of them.
#[derive(Debug, Clone)]
pub struct LongSearch {
    /// The position, and the moves that are left out.
    pub search: Search,
    /// What ends it.
    pub end: LongEnd,
    /// What is searched before, on a hash that is cleared before the first of it; all moves count there.
    pub rehearsal: Vec<Chess>,
    /// How far each of these goes.
    pub rehearsal_limit: Limit,
}

/// What ends a long search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongEnd {
    /// A depth, or so many nodes.
    At(Limit),
    /// The clock.
    Until(Instant),
}

/// Engines that serve searches, first come, first served, and the clock by which they do.
///
/// A run takes its time from here and waits here alone: with engines that live in virtual time
/// (`FakeEngines`), so does the whole run.
pub trait Engines {
    /// The engine's name, the options that were set, and the limit.
    fn profile(&self) -> &Profile;

    /// Queues a search up to a limit, on a hash that is cleared before or kept; its ticket comes back in every
    /// event about it. A finished position, or one with all moves excluded, fails at once. With another limit
    /// or hash than the profile says, the answer belongs to another profile.
    fn submit(&mut self, ticket: u64, search: Search, limit: Limit, keep_hash: bool);

    /// The same for a search that nobody waits for yet: the others go before it.
    fn submit_guess(&mut self, ticket: u64, search: Search, limit: Limit, keep_hash: bool) {
        self.submit(ticket, search, limit, keep_hash);
    }

    /// Somebody waits for a guess now.
    fn require(&mut self, ticket: u64) {
        let _ = ticket;
    }

    /// Queues a long search. Each of its iterations is told, then its answer; whoever abandons it has the last iteration.
    /// Where [`Engines::long_searches`] says that nobody can make one, nothing is heard of it.
    fn submit_long(&mut self, ticket: u64, long: LongSearch) {
        let _ = (ticket, long);
    }

    /// How many of them can make a long search each, side by side.
    fn long_searches(&self) -> usize {
        0
    }

    /// Takes back the searches that no engine has begun with; nothing more will be heard of them. Gives their
    /// tickets.
    fn withdraw(&mut self) -> Vec<u64>;

    /// Ends a search that nobody waits for any more: nothing more is heard of it, and its engine is soon free
    /// for another. Engines that cannot be interrupted go on.
    fn abandon(&mut self, ticket: u64) {
        let _ = ticket;
    }

    /// What a worker says is not to be asked for any more: others have found it wrong.
    fn disbelieve(&mut self, worker: &WorkerId, why: &str) {
        let _ = (worker, why);
    }

    /// How many engines work or could be started; at least one.
    fn up(&self) -> usize;

    /// What time it is.
    fn now(&self) -> Instant;

    /// Waits for the next event, for somebody who wakes the thread, or until a moment, whichever comes first.
    fn wait(&mut self, wake: &Receiver<()>, until: Option<Instant>) -> Wakeup;

    /// The next event that has happened already.
    fn poll(&mut self) -> Option<Event>;

    /// Whether there is no such event.
    fn is_quiet(&self) -> bool;

    /// Whether the time is virtual: it stands still but while somebody waits. Where several share such engines,
    /// it passes only while all of them wait.
    fn is_virtual(&self) -> bool {
        false
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
    /// An engine has come so far with a long search.
    Iteration {
        /// The search.
        ticket: u64,
        /// What it would answer now.
        answer: Answer,
    },
    /// A long search has given way to the searches of others; nothing more is heard of it.
    GivenWay {
        /// The search.
        ticket: u64,
    },
    /// What was told of a long search does not count: whoever had it is in quarantine. It begins anew.
    Retracted {
        /// The search.
        ticket: u64,
    },
    /// The search is done.
    Answered {
        /// The search.
        ticket: u64,
        /// What the engine said.
        answer: Answer,
        /// The worker of a fleet that has it; none where an engine of this computer has.
        worker: Option<WorkerId>,
    },
    /// A worker is found wrong: nothing that it gave is to be believed, and all of it is to be searched again.
    Disbelieved {
        /// Which.
        worker: WorkerId,
        /// How it was found wrong.
        why: String,
    },
    /// An engine failed and was killed; its search will be tried again.
    Fault {
        /// The search it failed at; none where it did not start, or died between searches.
        ticket: Option<u64>,
        /// How it failed.
        error: EngineError,
        /// Which failure this is: of the search, or in a row of this command line's starts; from 1.
        attempt: u32,
    },
    /// The search will not be answered: three engines failed at it, or none can serve it.
    Failed {
        /// The search.
        ticket: u64,
        /// Why; a [`Reason::GaveUp`](super::Reason::GaveUp) has the last failure as its source.
        error: EngineError,
    },
    /// Engines were left out of the pool or are back, or alternatives are searched in another way.
    Notice(PoolNotice),
    /// A thread of the pool has ended by a fault of this program. What it was searching is lost:
    /// nothing more will be heard of it.
    Broken,
}

/// A change of what the pool works with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PoolNotice {
    /// An engine failed at several searches in a row while others answered.
    Retired {
        /// How it failed last.
        error: EngineError,
        /// How many different searches it failed at.
        searches: usize,
        /// When it is tried again.
        rest: Duration,
    },
    /// A command line does not start an engine any more, while others work.
    Down {
        /// How it failed last.
        error: EngineError,
        /// How many starts in a row failed.
        starts: u32,
        /// How often it is tried again.
        pause: Duration,
    },
    /// An engine that was left out, or did not start, works again.
    Back {
        /// Its command line.
        command: String,
    },
    /// An excluded move came back: alternatives are searched with `MultiPV` from now on.
    SearchmovesIgnored {
        /// Which move came back.
        error: EngineError,
    },
    /// Something has changed in the fleet: a computer is gone, or its answers are not believed.
    Fleet {
        /// In words.
        what: String,
        /// Whether it is nothing to worry about.
        is_good: bool,
    },
    /// A search that hung whenever it was made with `searchmoves` was answered with `MultiPV`, and no
    /// engine has ever answered `searchmoves`: alternatives are searched with `MultiPV` from now on.
    SearchmovesUnanswered {
        /// The engine's name.
        engine: String,
    },
}

/// How alternatives are searched after such a notice.
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
