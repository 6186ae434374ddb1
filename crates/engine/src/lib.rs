//! UCI engines as processes, and the pool of them.
//!
//! [`Pool`] starts processes of one engine, from one command line or several, gives each
//! [`Search`](deepanalyze_core::search::Search) to a free one, and reports the results as
//! [`Event`]s. A process that dies, hangs or lies costs one search: its whole group is killed,
//! another is started, the search is tried again. The rules are in `pool/roster`.
//!
//! A run sees engines only as [`Engines`]; `FakeEngines` (feature `testing`) stand in for them in
//! virtual time.
//!
//! `process` knows pipes and process groups, `uci` only text; `instance` joins the two.
#![deny(clippy::indexing_slicing)]

mod deadline;
mod engines;
mod error;
#[cfg(any(test, feature = "testing"))]
mod fake;
mod instance;
mod pool;
mod process;
mod share;
mod uci;

use std::time::Duration;

use deepanalyze_core::search::Limit;

pub use engines::{Engines, Event, LongEnd, LongSearch, PoolNotice, Wakeup};
pub use error::{EngineError, Reason, Silence};
#[cfg(any(test, feature = "testing"))]
pub use fake::{FakeEngines, FakeSearch, FakeStart};
pub use pool::Pool;
pub use process::{
    StopSignal, dismiss_guard, guard, guard_by, is_installed, kill_all, run_leashed,
};
pub use share::{
    EngineMessage, EngineSearch, EngineShare, EngineState, EngineStates, Orphan, RunKey,
    SharedEngines, Unclaimed,
};
pub use uci::{EngineLine, Offer, OfferKind, ScoreBound, SearchInfo, read_line};
pub use uci::{exceeds, falls_short};

#[cfg(all(any(test, feature = "testing"), unix))]
pub use pool::{PANICS, mute_pool};

/// A command line, and the number of engine processes it may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineSource {
    /// The command line, split as a shell does; the program is looked up on PATH and then in
    /// /usr/games.
    pub command: String,
    /// Maximum number of processes; at least one.
    pub engines: usize,
}

/// The engines' command lines, options and limits.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Command lines of the same engine, on this machine or others; at least one.
    pub sources: Vec<EngineSource>,
    /// The options to set, as the user wrote them; the last of several values of one counts.
    pub options: Vec<(String, String)>,
    /// The limit of one search.
    pub limit: Limit,
    /// Keeps the hash between searches: faster, but the answers depend on their order.
    pub keep_hash: bool,
    /// When an engine counts as hung.
    pub hang: HangPolicy,
    /// The pause before an engine that failed is started again. It doubles with every failure in a
    /// row, up to [`Settings::LONGEST_BACKOFF`].
    pub backoff: Duration,
    /// How long an engine that fails repeatedly is left out while others work.
    pub rest: Duration,
    /// Another engine, beside these: their [second](Engines::second).
    pub second: Option<Box<Settings>>,
    /// True if there is to be no pool without the second.
    pub needs_second: bool,
}

impl Settings {
    /// The longest pause before an engine is started again.
    pub const LONGEST_BACKOFF: Duration = Duration::from_secs(30);

    /// One process, no options, hash cleared before each search.
    pub fn new(command: &str, limit: Limit) -> Settings {
        Settings {
            sources: vec![EngineSource { command: command.to_owned(), engines: 1 }],
            options: Vec::new(),
            limit,
            keep_hash: false,
            hang: HangPolicy::default(),
            backoff: Duration::from_millis(100),
            rest: Duration::from_secs(600),
            second: None,
            needs_second: false,
        }
    }

    /// Sets the number of processes of each command line.
    #[must_use]
    pub fn with_engines(mut self, engines: usize) -> Settings {
        for source in &mut self.sources {
            source.engines = engines;
        }
        self
    }
}

/// The pool's patience with an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HangPolicy {
    /// For `uciok` after the start, and for `readyok` outside a search. Generous: the engine may be
    /// behind a slow connection, or load its network first.
    pub startup: Duration,
    /// Silence after which a searching engine is asked `isready`.
    pub probe: Duration,
    /// The least silence, `isready` unanswered, that counts as a hang.
    pub silence: Duration,
    /// For engines that have never said `readyok` during a search: silence is no hang before it is
    /// this many times the slowest search so far, or the time to this one's last sign of life. Nor
    /// is an endless search before this many times the time to its last new depth. Iterations get
    /// longer by factors of 2 to 4.
    pub silence_factor: u32,
    /// The least time after which an endless search counts as a hang though the engine shows signs
    /// of life. Applies once any search has been answered.
    pub patience: Duration,
    /// An endless search is no hang before this many times the slowest search so far: a machine may
    /// be a hundred times slower for a while.
    pub patience_factor: u32,
}

impl Default for HangPolicy {
    fn default() -> HangPolicy {
        HangPolicy {
            startup: Duration::from_secs(30),
            probe: Duration::from_secs(10),
            silence: Duration::from_secs(60),
            silence_factor: 20,
            patience: Duration::from_secs(120),
            patience_factor: 150,
        }
    }
}

impl HangPolicy {
    /// For searches that may be much longer than others: none counts as hung for its length.
    #[must_use]
    pub fn for_any_length(self) -> HangPolicy {
        HangPolicy { patience: Duration::from_secs(7 * 24 * 3600), ..self }
    }
}
