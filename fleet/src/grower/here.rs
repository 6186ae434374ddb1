//! The engines of this computer, where it has any.

use crossbeam_channel::{Receiver, never};

use crate::message::Asked;
use deepanalyze_engine::{Event, Pool};

/// Them, or nobody.
#[derive(Debug)]
pub(super) struct Here {
    pool: Option<Pool>,
    silence: Receiver<Event>,
}

impl Here {
    pub(super) fn new(pool: Option<Pool>) -> Here {
        Here { pool, silence: never() }
    }

    /// Whether there is one, which says what is right.
    pub(super) fn is_there(&self) -> bool {
        self.pool.is_some()
    }

    /// What they tell.
    pub(super) fn events(&self) -> &Receiver<Event> {
        self.pool.as_ref().map_or(&self.silence, Pool::events)
    }

    /// How many work or could be started.
    pub(super) fn up(&self) -> usize {
        self.pool.as_ref().map_or(0, Pool::up)
    }

    /// Gives them a search.
    pub(super) fn submit(&mut self, ticket: u64, asked: Asked, keep_hash: bool) {
        if let Some(pool) = &mut self.pool {
            pool.submit_as(ticket, asked.search, asked.limit, keep_hash);
        }
    }

    /// Nobody wants a search any more.
    pub(super) fn abandon(&mut self, ticket: u64) {
        if let Some(pool) = &mut self.pool {
            pool.abandon(ticket);
        }
    }
}
