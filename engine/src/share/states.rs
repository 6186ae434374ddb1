//! What the engines are doing, for people who look on.

use std::collections::VecDeque;
use std::time::SystemTime;

use shakmaty::Chess;

use deepanalyze_core::search::Limit;

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
    pub searching: Option<Searching>,
}

/// A search under way.
#[derive(Debug, Clone)]
pub struct Searching {
    /// The run that it is for.
    pub run: RunKey,
    /// The position.
    pub position: Chess,
    /// How many moves of the position are left out: as many were answered before.
    pub excluded: usize,
    /// How long it goes on.
    pub limit: Limit,
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
    pub(super) fn tell(&mut self, at: SystemTime, text: String) {
        self.messages.truncate(KEPT_MESSAGES - 1);
        self.messages.push_front(EngineMessage { at, text });
        self.told += 1;
    }
}
