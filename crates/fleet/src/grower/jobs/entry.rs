//! One search with its history, and searches on their way in and out.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::message::{LimitedSearch, Token};
use crate::subjects::Lane;

/// After so many workers have failed at a search, the engine of this computer makes it.
const WORKERS: usize = 3;
/// So it does after so many failures, whoever has failed.
const FAILURES: u32 = 6;

/// A search with its history.
#[derive(Debug)]
pub(super) struct PendingJob {
    pub id: Token,
    pub asked: LimitedSearch,
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

impl PendingJob {
    /// A search that waits.
    pub fn new(id: Token, asked: LimitedSearch, lane: Lane, keep_hash: bool) -> PendingJob {
        PendingJob {
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

/// A search to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Publication {
    /// Its name.
    pub id: Token,
    /// Its queue.
    pub lane: Lane,
    /// Which sending this is, from 1.
    pub attempt: u32,
    /// What is searched.
    pub asked: LimitedSearch,
}

/// A search that was sent, and that nobody says he has.
#[derive(Debug, Clone, PartialEq)]
pub struct Lost {
    /// Its name.
    pub id: Token,
    /// Its queue.
    pub lane: Lane,
    /// How often it was sent.
    pub attempts: u32,
}

/// A search that an engine of this computer is to begin.
#[derive(Debug, Clone)]
pub struct Beginning {
    /// Its ticket.
    pub ticket: u64,
    /// What is searched.
    pub asked: LimitedSearch,
    /// Whether what is on the hash stays there.
    pub keep_hash: bool,
    /// How often workers have failed at it.
    pub failures: u32,
}

/// A search that has ended, or that nobody wants any more.
#[derive(Debug)]
pub struct Ended {
    /// Its ticket.
    pub ticket: u64,
    /// Its name, where the fleet has heard of it.
    pub sent: Option<Token>,
    /// Whether more than one worker may have it.
    pub is_sent_again: bool,
    /// Whether an engine of this computer has it.
    pub here: bool,
}

/// Where a search was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MadeBy {
    /// On this computer, or nowhere.
    Us,
    /// By a worker, and the job is off its queue.
    Worker,
    /// By a worker for a run before this one: the job of this one is still there.
    EarlierRun,
}
