//! The searches under way, each with its position, for any pass, stage, or root of a batch; and
//! waiting for them when a run is to end.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hashbrown::HashMap;
use shakmaty::Chess;

use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::search::{Limit, Search};
use deepanalyze_engine::Engines;
use deepanalyze_store::ProfileId;

use crate::control::ControlReceiver;

/// Searches begun by this process. A ticket is never used again.
static TICKETS: AtomicU64 = AtomicU64::new(0);

/// The ticket of a new search.
pub fn next_ticket() -> u64 {
    TICKETS.fetch_add(1, Ordering::Relaxed)
}

/// How searches are made, and their answers' profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asking {
    /// Answers' key.
    pub profile: ProfileId,
    /// Limit of each search.
    pub limit: Limit,
    /// True if the hash is kept.
    pub keep_hash: bool,
}

/// A search under way.
#[derive(Debug)]
pub struct SearchUnderWay {
    /// The position, and its list when the search began.
    pub search: Search,
    /// Profile of the answer.
    pub profile: ProfileId,
    /// True if it was left running at the end of an earlier root's work.
    pub of_earlier_root: bool,
    /// True if not needed yet.
    pub is_guess: bool,
}

/// The searches under way. Of one profile, each position has at most one: the next rank needs the
/// one before.
#[derive(Debug, Default)]
pub struct SearchesUnderWay {
    searches: HashMap<u64, SearchUnderWay>,
    tickets: HashMap<(ProfileId, PositionKey), u64>,
}

impl SearchesUnderWay {
    /// Gives a search to the engines; a guess is one not needed yet.
    pub fn start(
        &mut self,
        engines: &mut dyn Engines,
        asking: Asking,
        search: Search,
        is_guess: bool,
    ) {
        let Asking { profile, limit, keep_hash } = asking;
        let ticket = next_ticket();
        let entry =
            SearchUnderWay { search: search.clone(), profile, of_earlier_root: false, is_guess };
        self.tickets.insert((profile, PositionKey::of(&search.position)), ticket);
        self.searches.insert(ticket, entry);
        if is_guess {
            engines.submit_guess(ticket, search, limit, keep_hash)
        } else {
            engines.submit(ticket, search, limit, keep_hash)
        }
    }

    /// Marks the running search of a position as needed; `false` without one.
    pub fn require(
        &mut self,
        engines: &mut dyn Engines,
        profile: ProfileId,
        key: PositionKey,
    ) -> bool {
        let Some(ticket) = self.tickets.get(&(profile, key)) else { return false };
        let guess = self.searches.get_mut(ticket).filter(|entry| entry.is_guess);
        if let Some(entry) = guess {
            entry.is_guess = false;
            engines.require(*ticket);
        }
        true
    }

    /// Turns to another root: running searches go on, and their answers are kept.
    pub fn turn_to_another_root(&mut self) {
        self.searches.values_mut().for_each(|entry| entry.of_earlier_root = true);
    }

    /// Cancels all searches. An answer that is on its way may still come.
    pub fn abandon(&self, engines: &mut dyn Engines) {
        self.searches.keys().for_each(|ticket| engines.abandon(*ticket));
    }

    /// Forgets all of them.
    pub fn forget(&mut self) {
        self.searches.clear();
        self.tickets.clear();
    }

    /// Ends a search.
    pub fn finish(&mut self, ticket: u64) -> Option<SearchUnderWay> {
        let entry = self.searches.remove(&ticket)?;
        self.tickets.remove(&(entry.profile, PositionKey::of(&entry.search.position)));
        Some(entry)
    }

    /// The position of a search under way.
    pub fn position(&self, ticket: u64) -> Option<&Chess> {
        self.searches.get(&ticket).map(|entry| &entry.search.position)
    }

    /// True if a position is being searched for a profile.
    pub fn has(&self, profile: ProfileId, key: PositionKey) -> bool {
        self.tickets.contains_key(&(profile, key))
    }

    /// The search of a position.
    #[cfg(test)]
    pub fn ticket(&self, profile: ProfileId, position: &Chess) -> Option<u64> {
        self.tickets.get(&(profile, PositionKey::of(position))).copied()
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.searches.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.searches.is_empty()
    }
}

/// Time for running searches to end by themselves.
const GRACE: Duration = Duration::from_secs(1);

/// Requests to end after which no search is waited for.
const AT_ONCE: u32 = 2;

/// The grace period of running searches.
#[derive(Debug, Clone, Copy)]
pub struct Grace {
    /// Its end.
    pub until: Instant,
    /// Requests to end before it.
    told: u32,
}

impl Grace {
    /// Begins now.
    pub fn begin(engines: &dyn Engines, control: &ControlReceiver) -> Grace {
        Grace { until: engines.now() + GRACE, told: control.times_told_to_end() }
    }

    /// True if searches are still waited for. A further request to end cuts the wait short.
    pub fn lasts(self, control: &ControlReceiver) -> bool {
        let times = control.times_told_to_end();
        times == self.told && times < AT_ONCE
    }
}
