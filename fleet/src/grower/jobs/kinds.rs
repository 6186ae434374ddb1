//! Searches on their way in and out.

use crate::message::{Asked, Token};
use crate::subjects::Lane;

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
    pub asked: Asked,
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
    pub asked: Asked,
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
