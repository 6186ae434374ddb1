//! One search with its history.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::message::{Asked, Token};
use crate::subjects::Lane;

/// After so many workers have failed at a search, the engine of this computer makes it.
const WORKERS: usize = 3;
/// So it does after so many failures, whoever has failed.
const FAILURES: u32 = 6;

/// A search with its history.
#[derive(Debug)]
pub(super) struct Entry {
    pub id: Token,
    pub asked: Asked,
    pub keep_hash: bool,
    pub lane: Lane,
    pub here: bool,
    pub queued: bool,
    pub away: Option<Away>,
    pub attempts: u32,
    /// Whether an engine of this computer is to make it, because workers have failed.
    pub only_here: bool,
    failed: BTreeSet<Token>,
    failures: u32,
}

/// How a search is doing that was sent.
#[derive(Debug)]
pub(super) struct Away {
    /// When it counts as lost unless somebody says that he has it.
    pub lost_at: Instant,
    /// Since when somebody has it.
    pub since: Option<Instant>,
}

impl Entry {
    /// A search that waits.
    pub fn new(id: Token, asked: Asked, lane: Lane, keep_hash: bool) -> Entry {
        Entry {
            id,
            asked,
            keep_hash,
            lane,
            here: false,
            queued: true,
            away: None,
            attempts: 0,
            only_here: false,
            failed: BTreeSet::new(),
            failures: 0,
        }
    }

    /// Whether no worker can make it: it goes on from a hash that is here, or workers have failed at it.
    pub fn stays_here(&self) -> bool {
        self.keep_hash || self.only_here
    }

    /// How often workers have failed at it.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// A worker has failed at it. Gives which failure this is.
    pub fn note_failure(&mut self, worker: &Token) -> u32 {
        self.failed.insert(worker.clone());
        self.failures += 1;
        self.only_here |= self.failed.len() >= WORKERS || self.failures >= FAILURES;
        self.failures
    }
}
