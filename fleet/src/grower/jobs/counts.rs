//! How many searches there are, and where.

use crate::message::Token;

use super::Jobs;

impl Jobs {
    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.required.len() + self.guesses.len()
    }

    /// How many engines of this computer have one.
    pub fn here(&self) -> usize {
        self.entries.values().filter(|entry| entry.here).count()
    }

    /// How many are with the fleet.
    pub fn away(&self) -> usize {
        self.entries.values().filter(|entry| entry.away.is_some()).count()
    }

    /// The names of those that were sent.
    pub fn sent(&self) -> Vec<Token> {
        let sent = self.entries.values().filter(|entry| entry.attempts > 0);
        sent.map(|entry| entry.id.clone()).collect()
    }

    /// How often one was sent again.
    pub fn sent_again(&self) -> u64 {
        self.sent_again
    }
}
