//! The searches under way: which position each is about, whatever pass it was started for.

use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashMap;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::PositionKey;
use crate::engine::{Pool, Search};

/// Searches begun by this process. A ticket is never used again: what was left running at the end of
/// one root's work may come back during the next one's.
static TICKETS: AtomicU64 = AtomicU64::new(0);

/// A search under way.
#[derive(Debug)]
pub struct Flown {
    /// The position.
    pub position: Chess,
    /// Its list when the search began.
    pub excluded: Vec<UciMove>,
}

/// The searches under way, of each position at most one: the next rank needs the one before.
#[derive(Debug, Default)]
pub struct Flight {
    searches: HashMap<u64, Flown>,
    tickets: HashMap<PositionKey, u64>,
}

impl Flight {
    /// Gives a search to the pool.
    pub fn start(&mut self, pool: &mut Pool, search: Search) {
        let ticket = TICKETS.fetch_add(1, Ordering::Relaxed);
        let flown = Flown { position: search.position.clone(), excluded: search.excluded.clone() };
        self.tickets.insert(PositionKey::of(&search.position), ticket);
        self.searches.insert(ticket, flown);
        pool.submit(ticket, search);
    }

    /// A search has ended.
    pub fn land(&mut self, ticket: u64) -> Option<Flown> {
        let flown = self.searches.remove(&ticket)?;
        self.tickets.remove(&PositionKey::of(&flown.position));
        Some(flown)
    }

    /// The position of a search under way.
    pub fn position(&self, ticket: u64) -> Option<&Chess> {
        self.searches.get(&ticket).map(|flown| &flown.position)
    }

    /// Whether a position is being searched.
    pub fn has(&self, key: &PositionKey) -> bool {
        self.tickets.contains_key(key)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.searches.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.searches.is_empty()
    }
}
