//! Places for engine processes and their command lines, and their records of failures.

use std::time::{Duration, Instant};

use crate::Settings;

/// Different searches failed at in a row that retire a slot.
const IN_A_ROW: usize = 3;
/// Number of failed starts in a row after which a source is down. With the default pauses this is
/// some three seconds: a connection may be gone for a moment.
const STARTS: u32 = 6;

/// A slot's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SlotState {
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
pub(super) struct EngineSlot {
    pub(super) source: usize,
    pub(super) state: SlotState,
    /// No engine is started before that moment.
    pub(super) rests_until: Option<Instant>,
    retired: bool,
    /// True if it is left out, since it was retired.
    rests: bool,
    /// Engines lost since the last answer.
    losses: u32,
    /// Different searches failed at since the last answer.
    failed: Vec<u64>,
    /// All slots' answers when the first of them failed.
    answers_then: u64,
}

impl EngineSlot {
    pub(super) fn new(source: usize) -> EngineSlot {
        EngineSlot {
            source,
            state: SlotState::Cold,
            rests_until: None,
            retired: false,
            rests: false,
            losses: 0,
            failed: Vec::new(),
            answers_then: 0,
        }
    }

    /// True if a process exists.
    pub(super) fn has_engine(&self) -> bool {
        matches!(self.state, SlotState::Idle | SlotState::Busy)
    }

    /// True if it is left out.
    pub(super) fn rests(&self) -> bool {
        self.rests
    }

    /// Lets it retry; it stays retired until it answers.
    pub(super) fn end_rest(&mut self) {
        self.rests = false;
        self.rests_until = None;
    }

    /// Notes an answer. True if it was retired before.
    pub(super) fn answered(&mut self) -> bool {
        self.state = SlotState::Idle;
        self.losses = 0;
        self.failed.clear();
        std::mem::take(&mut self.retired)
    }

    /// Notes its loss.
    pub(super) fn lost(&mut self, now: Instant, backoff: Duration) {
        self.state = SlotState::Cold;
        self.losses = self.losses.saturating_add(1);
        self.rests_until = now.checked_add(pause(backoff, self.losses));
    }

    /// Notes a failed search.
    pub(super) fn failed(&mut self, ticket: u64, answers: u64) {
        if self.failed.is_empty() {
            self.answers_then = answers;
        }
        if !self.failed.contains(&ticket) {
            self.failed.push(ticket);
        }
    }

    /// True if it failed again and again while others answered.
    pub(super) fn deserves_rest(&self, answers: u64) -> bool {
        self.failed.len() >= IN_A_ROW && answers > self.answers_then
    }

    /// Leaves it out until then; returns how many searches it failed at.
    pub(super) fn retire(&mut self, until: Instant) -> usize {
        self.retired = true;
        self.rests = true;
        self.rests_until = Some(until);
        self.failed.len()
    }
}

/// A command line.
#[derive(Debug, Default)]
pub(super) struct CommandLine {
    /// Failed starts since the last good one.
    pub(super) failed_starts: u32,
    /// It is not tried again before that moment.
    pub(super) tries_at: Option<Instant>,
    /// True if it was reported as down.
    told: bool,
}

impl CommandLine {
    /// True if its last start did not fail.
    pub(super) fn starts(&self) -> bool {
        self.failed_starts == 0
    }

    /// True if too many starts in a row failed.
    pub(super) fn is_down(&self) -> bool {
        self.failed_starts >= STARTS
    }

    /// Records a start. True if the last one failed.
    pub(super) fn started(&mut self) -> bool {
        let before = std::mem::take(self);
        before.failed_starts > 0
    }

    /// Records a failed start. True if the source is now down and was not yet reported so.
    pub(super) fn not_started(&mut self, now: Instant, backoff: Duration) -> bool {
        self.failed_starts = self.failed_starts.saturating_add(1);
        self.tries_at = now.checked_add(pause(backoff, self.failed_starts));
        self.is_down() && !std::mem::replace(&mut self.told, true)
    }

    /// Retries at once and resets the failures, since no engine works any more.
    pub(super) fn hurry(&mut self) {
        self.failed_starts = self.failed_starts.min(1);
        self.tries_at = None;
    }
}

/// The pause doubles with each failure in a row.
fn pause(first: Duration, failures: u32) -> Duration {
    let factor = 1_u32.checked_shl(failures.saturating_sub(1)).unwrap_or(u32::MAX);
    first.saturating_mul(factor).min(Settings::LONGEST_BACKOFF)
}
