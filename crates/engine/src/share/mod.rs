//! One set of engines for several runs side by side.
//!
//! [`EngineShare`] drives the engines in a thread of its own; each run gets [`SharedEngines`], by which it knows
//! nothing of the others. `fair_queue` decides whose search a free engine begins, `dispatcher` knows who waits for
//! what; both have neither a thread nor a clock.

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

/// What all engines do, and have done since they were started.
#[derive(Debug, Clone, Default)]
pub struct EngineStates {
    /// One for each engine that works or could be started, and for each that still searches.
    pub engines: Vec<EngineState>,
    /// How many work or could be started.
    pub up: usize,
    /// Searches that were answered.
    pub searches: u64,
    /// Engine nodes of them.
    pub nodes: u64,
    /// How often an engine failed.
    pub faults: u64,
    /// Faults and other news of the engines, the newest first.
    pub messages: VecDeque<EngineMessage>,
    /// How many messages there have been.
    pub told: u64,
}

/// What one engine does.
#[derive(Debug, Clone)]
pub struct EngineState {
    /// Its number, from 1.
    pub number: usize,
    /// What it searches; nothing where it is free.
    pub searching: Option<EngineSearch>,
}

/// A search under way.
#[derive(Debug, Clone)]
pub struct EngineSearch {
    /// The run that it is for.
    pub run: RunKey,
    /// The position.
    pub position: Chess,
    /// How many moves of the position are left out: as many were answered before.
    pub excluded: usize,
    /// How long it goes on; none where the clock ends it, as a closing search.
    pub limit: Option<Limit>,
    /// When it was begun.
    pub since: SystemTime,
}

/// Which run: whoever shares the engines out gives each of them a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunKey(pub i64);

/// News of the engines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineMessage {
    /// When it was told.
    pub at: SystemTime,
    /// In words.
    pub text: String,
}

impl EngineStates {
    /// Notes news.
    fn tell(&mut self, at: SystemTime, text: String) {
        self.messages.truncate(KEPT_MESSAGES - 1);
        self.messages.push_front(EngineMessage { at, text });
        self.told += 1;
    }
}

/// What is nobody's: no run is there to take it in, or it is the business of all.
#[derive(Debug, Clone)]
pub enum Unclaimed {
    /// The answer of a search whose run is gone.
    Answer(Box<Orphan>),
    /// A worker is found wrong: what it gave to any run is to be taken back.
    Disbelieved {
        /// Which.
        worker: WorkerId,
        /// How it was found wrong.
        why: String,
    },
}

/// The answer of a search whose run is gone.
#[derive(Debug, Clone)]
pub struct Orphan {
    /// What was searched.
    pub search: Search,
    /// How long it was to go on.
    pub limit: Limit,
    /// Whether what was on the hash stayed there.
    pub keep_hash: bool,
    /// What the engine said.
    pub answer: Answer,
    /// The worker of a fleet that has said it; none where an engine of this computer has.
    pub worker: Option<WorkerId>,
}

/// What a run asks.
#[derive(Debug, Clone)]
struct SharedQuestion {
    search: Search,
    limit: Limit,
    keep_hash: bool,
    /// Whether nobody waits for the answer yet.
    is_guess: bool,
    /// Where it is a long one. It is the run's that has asked, and ends with it.
    long: Option<Box<LongSearch>>,
}

impl SharedQuestion {
    /// Whether the answer of one is that of the other.
    fn is_same(&self, other: &SharedQuestion) -> bool {
        self.long.is_none()
            && other.long.is_none()
            && (self.limit, self.keep_hash) == (other.limit, other.keep_hash)
            && PositionKey::of(&self.search.position) == PositionKey::of(&other.search.position)
            && self.search.excluded == other.search.excluded
    }
}
