//! What a run needs of engines, whoever they are: processes of this machine, or a stand-in of a test.

use std::time::Instant;

use crossbeam_channel::Receiver;

use deepanalyze_core::search::{Limit, Profile, Search, WorkerId};

use super::pool::Event;

/// Why [`Engines::wait`] has returned.
#[derive(Debug)]
pub enum Wakeup {
    /// Something came of a search, or of an engine.
    Event(Event),
    /// Somebody woke the waiting thread: its control has changed, or an engine has become free for it.
    Control,
    /// The moment has come.
    Time,
}

/// Engines that serve searches, first come, first served, and the clock by which they do.
///
/// A run takes its time from here and waits here alone: with engines that live in virtual time
/// ([`FakeEngines`](super::FakeEngines)), so does the whole run.
pub trait Engines {
    /// The engine's name, the options that were set, and the limit.
    fn profile(&self) -> &Profile;

    /// Queues a search up to a limit, on a hash that is cleared before or kept; its ticket comes back in every
    /// event about it. A finished position, or one with all moves excluded, fails at once. With another limit
    /// or hash than the profile says, the answer belongs to another profile.
    fn submit(&mut self, ticket: u64, search: Search, limit: Limit, keep_hash: bool);

    /// The same for a search that nobody waits for yet: the others go before it.
    fn submit_guess(&mut self, ticket: u64, search: Search, limit: Limit, keep_hash: bool) {
        self.submit(ticket, search, limit, keep_hash);
    }

    /// Somebody waits for a guess now.
    fn require(&mut self, ticket: u64) {
        let _ = ticket;
    }

    /// Takes back the searches that no engine has begun with; nothing more will be heard of them. Gives their
    /// tickets.
    fn withdraw(&mut self) -> Vec<u64>;

    /// Ends a search that nobody waits for any more: nothing more is heard of it, and its engine is soon free
    /// for another. Engines that cannot be interrupted go on.
    fn abandon(&mut self, ticket: u64) {
        let _ = ticket;
    }

    /// What a worker says is not to be asked for any more: others have found it wrong.
    fn disbelieve(&mut self, worker: &WorkerId, why: &str) {
        let _ = (worker, why);
    }

    /// How many engines work or could be started; at least one.
    fn up(&self) -> usize;

    /// What time it is.
    fn now(&self) -> Instant;

    /// Waits for the next event, for somebody who wakes the thread, or until a moment, whichever comes first.
    fn wait(&mut self, wake: &Receiver<()>, until: Option<Instant>) -> Wakeup;

    /// The next event that has happened already.
    fn poll(&mut self) -> Option<Event>;

    /// Whether there is no such event.
    fn is_quiet(&self) -> bool;

    /// Whether the time is virtual: it stands still but while somebody waits. Where several share such engines,
    /// it passes only while all of them wait.
    fn is_virtual(&self) -> bool {
        false
    }
}
