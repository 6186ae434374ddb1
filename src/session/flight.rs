//! The searches under way: which position each is about, whatever pass it was started for.

use hashbrown::HashMap;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::PositionKey;
use crate::engine::{Pool, Search};

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
    next: u64,
    searches: HashMap<u64, Flown>,
    tickets: HashMap<PositionKey, u64>,
}

impl Flight {
    /// Gives a search to the pool.
    pub fn start(&mut self, pool: &mut Pool, search: Search) {
        self.next += 1;
        let flown = Flown { position: search.position.clone(), excluded: search.excluded.clone() };
        self.tickets.insert(PositionKey::of(&search.position), self.next);
        self.searches.insert(self.next, flown);
        pool.submit(self.next, search);
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
