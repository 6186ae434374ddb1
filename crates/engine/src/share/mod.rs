//! One set of engines for several runs side by side.
//!
//! [`EngineShare`] drives the engines in a thread of its own; each run gets [`SharedEngines`],
//! through which it sees no other run. `fair_queue` picks the search that a free engine begins,
//! `dispatcher` tracks the runs' searches; both have neither a thread nor a clock.

mod broker;
mod dispatcher;
mod fair_queue;
mod handle;

use std::collections::VecDeque;
use std::time::SystemTime;

use shakmaty::Chess;

use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::search::{Answer, Limit, Search, WorkerId};

use crate::engines::LongSearch;

pub use broker::EngineShare;
pub use handle::SharedEngines;

/// Messages that are kept.
const KEPT_MESSAGES: usize = 50;

/// State of all engines, and counts since they were started.
#[derive(Debug, Clone, Default)]
pub struct EngineStates {
    /// One per engine that works or could be started, and per engine that still searches.
    pub engines: Vec<EngineState>,
    /// Engines that work or could start.
    pub up: usize,
    /// Searches answered.
    pub searches: u64,
    /// Their engine nodes.
    pub nodes: u64,
    /// Engines' failures.
    pub faults: u64,
    /// Faults and other news of the engines, the newest first.
    pub messages: VecDeque<EngineMessage>,
    /// Number of messages so far.
    pub told: u64,
}

/// State of one engine.
#[derive(Debug, Clone)]
pub struct EngineState {
    /// Its number, from 1.
    pub number: usize,
    /// Its search; `None` if it is free.
    pub searching: Option<EngineSearch>,
}

/// A search under way.
#[derive(Debug, Clone)]
pub struct EngineSearch {
    /// Its run.
    pub run: RunKey,
    /// The position.
    pub position: Chess,
    /// Number of excluded moves, each answered before.
    pub excluded: usize,
    /// Its limit; `None` if the clock ends it, as for a closing search.
    pub limit: Option<Limit>,
    /// Its start.
    pub since: SystemTime,
}

/// A run's number, given by the owner of the shared engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunKey(pub i64);

/// News of the engines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineMessage {
    /// Time of the news.
    pub at: SystemTime,
    /// The text.
    pub text: String,
}

impl EngineStates {
    /// Adds news.
    fn tell(&mut self, at: SystemTime, text: String) {
        self.messages.truncate(KEPT_MESSAGES - 1);
        self.messages.push_front(EngineMessage { at, text });
        self.told += 1;
    }
}

/// An event of no run: its run is gone, or it concerns all.
#[derive(Debug, Clone)]
pub enum Unclaimed {
    /// The answer of a search whose run is gone.
    Answer(Box<Orphan>),
    /// A worker is found wrong: its answers to any run are to be removed.
    Quarantined {
        /// It.
        worker: WorkerId,
        /// Evidence against it.
        why: String,
    },
}

/// The answer of a search whose run is gone.
#[derive(Debug, Clone)]
pub struct Orphan {
    /// The search.
    pub search: Search,
    /// Its limit.
    pub limit: Limit,
    /// True if the hash was kept.
    pub keep_hash: bool,
    /// The engine's answer.
    pub answer: Answer,
    /// The fleet's worker that answered; `None` for an engine of this computer.
    pub worker: Option<WorkerId>,
}

/// A run's request.
#[derive(Debug, Clone)]
struct SharedQuestion {
    search: Search,
    limit: Limit,
    keep_hash: bool,
    /// True if the answer is not yet needed.
    is_guess: bool,
    /// If it is a long one. It belongs to the run that asked, and ends with it.
    long: Option<Box<LongSearch>>,
}

impl SharedQuestion {
    /// True if one answer serves both.
    fn is_same(&self, other: &SharedQuestion) -> bool {
        self.long.is_none()
            && other.long.is_none()
            && (self.limit, self.keep_hash) == (other.limit, other.keep_hash)
            && PositionKey::of(&self.search.position) == PositionKey::of(&other.search.position)
            && self.search.excluded == other.search.excluded
    }
}
