//! A grower's searches: those waiting, those with engines of this computer, and those with the
//! fleet. Without a connection or a clock.
//!
//! - **Nothing depends on the broker's memory.** A search that was sent, and that no worker reports,
//!   is sent again after ten seconds; the pause doubles each time. A worker's signs of life name its
//!   jobs.
//! - **A search that takes far longer than usual** is queued once more beside: the first answer
//!   counts.
//! - **Required searches go before guesses.** A guess that becomes required changes its queue.

mod entry;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Duration, Instant};

use crate::message::{LimitedSearch, Token};
use crate::subjects::Lane;

use entry::{Away, PendingJob};
pub use entry::{Beginning, Ended, Lost, MadeBy, Publication};

/// Time for which a job may go unreported.
pub const UNSEEN: Duration = Duration::from_secs(10);
/// The longest such pause.
const LONGEST_UNSEEN: Duration = Duration::from_secs(300);
/// This many times the usual is slow.
const SLOW: u32 = 10;
/// Shorter ones are never slow.
const NEVER_SLOW: Duration = Duration::from_secs(10);
/// A guess turned required is sent again if unreported for this long.
const UNSEEN_GUESS: Duration = Duration::from_secs(3);

/// The searches.
#[derive(Debug)]
pub struct Jobs {
    run: String,
    entries: BTreeMap<u64, PendingJob>,
    tickets: HashMap<Token, u64>,
    required: VecDeque<u64>,
    guesses: VecDeque<u64>,
    /// Usual length of searches; later ones count more.
    usual: Duration,
    sent_again: u64,
}

impl Jobs {
    /// No jobs yet; their names begin with the run's.
    pub fn new(run: String) -> Jobs {
        Jobs {
            run,
            entries: BTreeMap::new(),
            tickets: HashMap::new(),
            required: VecDeque::new(),
            guesses: VecDeque::new(),
            usual: Duration::ZERO,
            sent_again: 0,
        }
    }

    /// The run's name.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Queues a search.
    pub fn submit(&mut self, ticket: u64, asked: LimitedSearch, lane: Lane, keep_hash: bool) {
        let Ok(id) = Token::try_from(format!("{}-{ticket}", self.run)) else {
            return;
        };
        self.tickets.insert(id.clone(), ticket);
        self.entries.insert(ticket, PendingJob::new(id, asked, lane, keep_hash));
        self.queue_of(lane).push_back(ticket);
    }

    /// The next search for an engine of this computer: any, or one that stays here.
    pub fn next_here(&mut self, any: bool) -> Option<Beginning> {
        let ticket = self.pop(|entry| !entry.here && (any || entry.stays_here()))?;
        let entry = self.entries.get_mut(&ticket)?;
        entry.here = true;
        let (asked, keep_hash, failures) = (entry.asked.clone(), entry.keep_hash, entry.failures());
        Some(Beginning { ticket, asked, keep_hash, failures })
    }

    /// The next search for the fleet.
    pub fn next_away(&mut self, now: Instant) -> Option<Publication> {
        let ticket = self.pop(|entry| !entry.stays_here())?;
        let entry = self.entries.get_mut(&ticket)?;
        let pause = UNSEEN.saturating_mul(1 << entry.attempts.min(5)).min(LONGEST_UNSEEN);
        entry.away = Some(Away { lost_at: now + pause, since: None });
        entry.attempts += 1;
        self.sent_again += u64::from(entry.attempts > 1);
        let PendingJob { id, lane, attempts, asked, .. } = entry;
        Some(Publication { id: id.clone(), lane: *lane, attempt: *attempts, asked: asked.clone() })
    }

    /// Notes that a worker has these jobs.
    pub fn seen<'a>(&mut self, jobs: impl IntoIterator<Item = &'a Token>, now: Instant) {
        for id in jobs {
            let entry = self.tickets.get(id).and_then(|ticket| self.entries.get_mut(ticket));
            if let Some(away) = entry.and_then(|entry| entry.away.as_mut()) {
                away.lost_at = away.lost_at.max(now + UNSEEN);
                away.since.get_or_insert(now);
            }
        }
    }

    /// Takes a search off the queue while its answer waits for a second.
    pub fn hold(&mut self, ticket: u64) {
        let Some(entry) = self.entries.get_mut(&ticket) else { return };
        entry.away = None;
        let (lane, queued) = (entry.lane, std::mem::take(&mut entry.queued));
        if queued {
            self.queue_of(lane).retain(|other| *other != ticket);
        }
    }

    /// Puts a job that the broker refused back in front.
    pub fn not_taken(&mut self, id: &Token) {
        let Some(ticket) = self.ticket(id) else { return };
        let is_away = |entry: &PendingJob| entry.away.is_some() && !entry.queued;
        if self.entries.get(&ticket).is_some_and(is_away) {
            self.make_again(ticket);
        }
    }

    /// Requeues lost and slow searches. Returns the lost ones.
    pub fn look(&mut self, now: Instant) -> Vec<Lost> {
        let slow = (self.usual * SLOW).max(NEVER_SLOW);
        let (mut lost, mut again) = (Vec::new(), Vec::new());
        for (ticket, entry) in &mut self.entries {
            let Some(away) = &entry.away else { continue };
            let patience = slow.saturating_mul(1 << entry.attempts.min(10));
            let is_slow = entry.lane == Lane::Required
                && away.since.is_some_and(|since| now.saturating_duration_since(since) > patience);
            let is_lost = away.lost_at <= now;
            if is_lost {
                let (id, lane, attempts) = (entry.id.clone(), entry.lane, entry.attempts);
                lost.push(Lost { id, lane, attempts });
                entry.away = None;
            }
            let is_idle = !entry.here && !entry.queued;
            if (is_lost || is_slow) && is_idle {
                entry.queued = true;
                again.push((*ticket, entry.lane));
            }
        }
        for (ticket, lane) in again.into_iter().rev() {
            self.queue_of(lane).push_front(ticket);
        }
        lost
    }

    /// Makes all searches sent due again: the broker may have lost them.
    pub fn hurry(&mut self, now: Instant) {
        for away in self.entries.values_mut().filter_map(|entry| entry.away.as_mut()) {
            away.lost_at = away.lost_at.min(now + UNSEEN);
        }
    }

    /// The ticket of an open job.
    pub fn ticket(&self, id: &Token) -> Option<u64> {
        self.tickets.get(id).copied()
    }

    /// A search with this request under any name: an earlier run used another.
    pub fn find(&self, asked: &LimitedSearch) -> Option<u64> {
        let is_same = |entry: &PendingJob| !entry.keep_hash && entry.asked == *asked;
        self.entries.iter().find(|(_, entry)| is_same(entry)).map(|(ticket, _)| *ticket)
    }

    /// A search's request.
    pub fn asked(&self, ticket: u64) -> Option<&LimitedSearch> {
        self.entries.get(&ticket).map(|entry| &entry.asked)
    }

    /// Forgets an answered search.
    pub fn answered(&mut self, ticket: u64, took: Duration) -> Option<Ended> {
        self.usual = (3 * self.usual + took) / 4;
        self.end(ticket)
    }

    /// Forgets a search.
    pub fn end(&mut self, ticket: u64) -> Option<Ended> {
        let PendingJob { id, here, queued, lane, attempts, .. } = self.entries.remove(&ticket)?;
        self.tickets.remove(&id);
        if queued {
            self.queue_of(lane).retain(|other| *other != ticket);
        }
        let (sent, is_sent_again) = ((attempts > 0).then_some(id), attempts > 1);
        Some(Ended { ticket, sent, is_sent_again, here })
    }

    /// Requeues a search that a worker failed at or answered invalidly: for the engine of this
    /// computer after several failures. Returns the number of this failure.
    pub fn failed(&mut self, ticket: u64, worker: &Token) -> Option<u32> {
        let failures = self.entries.get_mut(&ticket)?.note_failure(worker);
        self.make_again(ticket);
        Some(failures)
    }

    /// Requeues a search for the engine here.
    pub fn make_here(&mut self, ticket: u64) {
        if let Some(entry) = self.entries.get_mut(&ticket) {
            entry.only_here = true;
        }
        self.make_again(ticket);
    }

    /// Requeues a search.
    pub fn make_again(&mut self, ticket: u64) {
        let Some(entry) = self.entries.get_mut(&ticket) else { return };
        entry.away = None;
        let (here, lane) = (entry.here, entry.lane);
        if !here && !std::mem::replace(&mut entry.queued, true) {
            self.queue_of(lane).push_front(ticket);
        }
    }

    /// Notes that an engine here failed for good; `true` if no worker has the search.
    pub fn failed_here(&mut self, ticket: u64) -> bool {
        let entry = self.entries.get_mut(&ticket);
        entry.is_none_or(|entry| {
            entry.here = false;
            entry.away.is_none()
        })
    }

    /// Makes a guess required. Returns its name and whether it was sent.
    pub fn require(&mut self, ticket: u64, now: Instant) -> Option<(Token, bool)> {
        let entry = self.entries.get_mut(&ticket).filter(|entry| entry.lane == Lane::Guess)?;
        entry.lane = Lane::Required;
        // It may stand behind all guesses.
        if let Some(away) = entry.away.as_mut().filter(|away| away.since.is_none()) {
            away.lost_at = away.lost_at.min(now + UNSEEN_GUESS);
        }
        let (id, queued, away) = (entry.id.clone(), entry.queued, entry.away.is_some());
        if queued {
            self.guesses.retain(|other| *other != ticket);
            self.required.push_back(ticket);
        }
        Some((id, away))
    }

    /// Removes searches that no engine is known to have.
    pub fn withdraw(&mut self) -> Vec<Ended> {
        let has_begun = |entry: &PendingJob| {
            entry.here || entry.away.as_ref().is_some_and(|away| away.since.is_some())
        };
        let left = self.entries.iter().filter(|(_, entry)| !has_begun(entry));
        let left: Vec<u64> = left.map(|(ticket, _)| *ticket).collect();
        left.into_iter().filter_map(|ticket| self.end(ticket)).collect()
    }

    /// The first queued search `may` accepts.
    fn pop(&mut self, may: impl Fn(&PendingJob) -> bool) -> Option<u64> {
        let entries = &mut self.entries;
        for queue in [&mut self.required, &mut self.guesses] {
            let is_next = |ticket: &u64| entries.get(ticket).is_some_and(&may);
            if let Some(ticket) = queue.iter().position(is_next).and_then(|at| queue.remove(at)) {
                if let Some(entry) = entries.get_mut(&ticket) {
                    entry.queued = false;
                }
                return Some(ticket);
            }
        }
        None
    }

    fn queue_of(&mut self, lane: Lane) -> &mut VecDeque<u64> {
        match lane {
            Lane::Required => &mut self.required,
            Lane::Guess => &mut self.guesses,
        }
    }
}

/// Counts of searches.
impl Jobs {
    /// Searches waiting.
    pub fn waiting(&self) -> usize {
        self.required.len() + self.guesses.len()
    }

    /// Searches on engines here.
    pub fn here(&self) -> usize {
        self.entries.values().filter(|entry| entry.here).count()
    }

    /// Searches with the fleet.
    pub fn away(&self) -> usize {
        self.entries.values().filter(|entry| entry.away.is_some()).count()
    }

    /// Names of all sent.
    pub fn sent(&self) -> Vec<Token> {
        let sent = self.entries.values().filter(|entry| entry.attempts > 0);
        sent.map(|entry| entry.id.clone()).collect()
    }

    /// Number of repeats.
    pub fn sent_again(&self) -> u64 {
        self.sent_again
    }
}

#[cfg(test)]
mod tests;
