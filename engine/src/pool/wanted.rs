//! Which searches are still wanted: whoever makes one that is not is to stop.

use std::collections::HashMap;
use std::convert::Infallible;

use crossbeam_channel::{Receiver, Sender, bounded};

/// Disconnects when a search is abandoned; nothing is ever sent on it.
pub(crate) type Abandoned = Receiver<Infallible>;

/// The searches that somebody waits for, by their tickets.
#[derive(Debug, Default)]
pub(super) struct Wanted(HashMap<u64, Sender<Infallible>>);

impl Wanted {
    /// A search is wanted from now on.
    pub(super) fn add(&mut self, ticket: u64) -> Abandoned {
        let (wanted, abandoned) = bounded(0);
        self.0.insert(ticket, wanted);
        abandoned
    }

    /// A search has ended, or nobody wants it any more.
    pub(super) fn remove(&mut self, ticket: u64) {
        self.0.remove(&ticket);
    }
}

/// A search that nobody abandons.
#[cfg(test)]
pub(super) fn never_abandoned() -> Abandoned {
    crossbeam_channel::never()
}
