//! One search with its history, and its messages in and out.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::message::{LimitedSearch, Token};
use crate::subjects::Lane;

/// Workers that failed at a search before the engine here makes it.
const WORKERS: usize = 3;
/// Failures, of any workers, that do the same.
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
    /// True if only an engine here may make it, since workers failed.
    pub only_here: bool,
    failed: BTreeSet<Token>,
    failures: u32,
}

/// State of a search that was sent.
#[derive(Debug)]
pub(super) struct Away {
    /// When it counts as lost unless a worker reports it.
    pub lost_at: Instant,
    /// Since when a worker has it.
    pub since: Option<Instant>,
}

impl PendingJob {
    /// A waiting search.
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

    /// True if no worker can make it: it needs the hash here, or workers have failed at it.
    pub fn stays_here(&self) -> bool {
        self.keep_hash || self.only_here
    }

    /// Number of workers' failures at it.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Notes a worker's failure. Returns its number.
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
    /// The sending's number, from 1.
    pub attempt: u32,
    /// The request.
    pub asked: LimitedSearch,
}

/// A search that was sent and that no worker reports.
#[derive(Debug, Clone, PartialEq)]
pub struct Lost {
    /// Its name.
    pub id: Token,
    /// Its queue.
    pub lane: Lane,
    /// Number of sendings.
    pub attempts: u32,
}

/// A search that an engine of this computer is to begin.
#[derive(Debug, Clone)]
pub struct Beginning {
    /// Its ticket.
    pub ticket: u64,
    /// The request.
    pub asked: LimitedSearch,
    /// True if the hash is kept.
    pub keep_hash: bool,
    /// Number of workers' failures at it.
    pub failures: u32,
}

/// A search that has ended or was cancelled.
#[derive(Debug)]
pub struct Ended {
    /// Its ticket.
    pub ticket: u64,
    /// Its name, if it was ever sent.
    pub sent: Option<Token>,
    /// True if several workers may have it.
    pub is_sent_again: bool,
    /// True if an engine here has it.
    pub here: bool,
}

/// Origin of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MadeBy {
    /// This computer, or none.
    Us,
    /// By a worker, and the job is off its queue.
    Worker,
    /// By a worker for a run before this one: the job of this one is still there.
    EarlierRun,
}
