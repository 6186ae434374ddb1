//! A place for one engine process, and how its engines have done.

use std::time::{Duration, Instant};

use crate::settings::Settings;

/// A slot that failed at so many different searches in a row is retired.
const IN_A_ROW: usize = 3;

/// What a slot is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It has no engine.
    Cold,
    /// It starts one.
    Starting,
    /// Its engine waits.
    Idle,
    /// Its engine searches.
    Busy,
}

/// A place for one engine process.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) source: usize,
    pub(super) state: State,
    /// Before that moment no engine is started.
    pub(super) rests_until: Option<Instant>,
    retired: bool,
    /// Whether it is left out, since it was retired.
    rests: bool,
    /// Engines lost since the last answer.
    losses: u32,
    /// The different searches failed at since the last answer.
    failed: Vec<u64>,
    /// All slots' answers when the first of them failed.
    answers_then: u64,
}

impl Slot {
    pub(super) fn new(source: usize) -> Slot {
        Slot {
            source,
            state: State::Cold,
            rests_until: None,
            retired: false,
            rests: false,
            losses: 0,
            failed: Vec::new(),
            answers_then: 0,
        }
    }

    /// Whether there is a process.
    pub(super) fn has_engine(&self) -> bool {
        matches!(self.state, State::Idle | State::Busy)
    }

    /// Whether it is left out.
    pub(super) fn rests(&self) -> bool {
        self.rests
    }

    /// It may try again; it stays retired until it answers.
    pub(super) fn end_rest(&mut self) {
        self.rests = false;
        self.rests_until = None;
    }

    /// Its engine has answered. `true` where it was retired before.
    pub(super) fn answered(&mut self) -> bool {
        self.state = State::Idle;
        self.losses = 0;
        self.failed.clear();
        std::mem::take(&mut self.retired)
    }

    /// Its engine is dead.
    pub(super) fn lost(&mut self, now: Instant, backoff: Duration) {
        self.state = State::Cold;
        self.losses = self.losses.saturating_add(1);
        self.rests_until = now.checked_add(pause(backoff, self.losses));
    }

    /// Its engine failed at a search.
    pub(super) fn failed(&mut self, ticket: u64, answers: u64) {
        if self.failed.is_empty() {
            self.answers_then = answers;
        }
        if !self.failed.contains(&ticket) {
            self.failed.push(ticket);
        }
    }

    /// Whether it failed again and again while others answered.
    pub(super) fn deserves_rest(&self, answers: u64) -> bool {
        self.failed.len() >= IN_A_ROW && answers > self.answers_then
    }

    /// Leaves it out until then; gives the number of searches it failed at.
    pub(super) fn retire(&mut self, until: Instant) -> usize {
        self.retired = true;
        self.rests = true;
        self.rests_until = Some(until);
        self.failed.len()
    }
}

/// The pause doubles with each failure in a row.
pub(super) fn pause(first: Duration, failures: u32) -> Duration {
    let factor = 1_u32.checked_shl(failures.saturating_sub(1)).unwrap_or(u32::MAX);
    first.saturating_mul(factor).min(Settings::LONGEST_BACKOFF)
}
