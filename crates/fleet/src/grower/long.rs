//! A grower's long searches: those waiting, those with an engine of this computer, and those with a
//! worker. Without a connection or a clock.
//!
//! Each is lent to one worker, under a new name each time. If the worker does not report it,
//! another gets it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use deepanalyze_engine::{LongEnd, LongSearch};

use crate::message::Token;

/// Silence about a job after which a heard worker does not have it.
const UNNAMED: Duration = Duration::from_secs(6);
/// The least time left to begin with one.
const SHORTEST: Duration = Duration::from_secs(1);
/// Prefix of all their names.
const KIND: &str = "long-";

/// The run of a job that is a long search.
pub fn run_of_long(id: &Token) -> Option<&str> {
    id.as_str().strip_prefix(KIND)?.split('-').next()
}

/// A long search's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// It waits.
    Nowhere,
    /// An engine of this computer has it.
    Here,
    /// A worker has it.
    At(Loan),
}

/// A long search that a worker has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loan {
    worker: Token,
    /// Its name there.
    pub id: Token,
    /// The worker's last report of it.
    named: Instant,
}

#[derive(Debug)]
struct Pending {
    long: LongSearch,
    place: Place,
    loans: u32,
    failures: u32,
}

impl Pending {
    fn loan(&self) -> Option<&Loan> {
        match &self.place {
            Place::At(loan) => Some(loan),
            Place::Nowhere | Place::Here => None,
        }
    }
}

/// The searches by ticket.
#[derive(Debug)]
pub struct LongSearches {
    run: String,
    pending: BTreeMap<u64, Pending>,
}

impl LongSearches {
    /// None yet; their names contain the run's.
    pub fn new(run: String) -> LongSearches {
        LongSearches { run, pending: BTreeMap::new() }
    }

    /// Queues one.
    pub fn submit(&mut self, ticket: u64, long: LongSearch) {
        let pending = Pending { long, place: Place::Nowhere, loans: 0, failures: 0 };
        self.pending.insert(ticket, pending);
    }

    /// The next one for an engine here.
    pub fn next_here(&mut self) -> Option<(u64, LongSearch)> {
        let (ticket, pending) = self.next()?;
        pending.place = Place::Here;
        Some((ticket, pending.long.clone()))
    }

    /// The next one for this worker, and its name there.
    pub fn next_away(&mut self, worker: Token, now: Instant) -> Option<(u64, Token, LongSearch)> {
        let run = self.run.clone();
        let (ticket, pending) = self.next()?;
        pending.loans += 1;
        let id = Token::try_from(format!("{KIND}{run}-{ticket}-{}", pending.loans)).ok()?;
        pending.place = Place::At(Loan { worker, id: id.clone(), named: now });
        Some((ticket, id, pending.long.clone()))
    }

    fn next(&mut self) -> Option<(u64, &mut Pending)> {
        let mut all = self.pending.iter_mut();
        let next = all.find(|(_, pending)| pending.place == Place::Nowhere)?;
        Some((*next.0, next.1))
    }

    /// Handles a worker's report of its jobs: one missing for a while waits again. Returns the
    /// names of jobs to cancel.
    pub fn hear(&mut self, worker: &Token, names: &[Token], now: Instant) -> Vec<Token> {
        for pending in self.pending.values_mut() {
            let Place::At(loan) = &mut pending.place else { continue };
            if loan.worker == *worker && names.contains(&loan.id) {
                loan.named = now;
            } else if loan.worker == *worker && now.saturating_duration_since(loan.named) >= UNNAMED
            {
                pending.place = Place::Nowhere;
            }
        }
        let own = names.iter().filter(|id| run_of_long(id) == Some(&self.run));
        own.filter(|id| self.loans().all(|loan| loan.id != **id)).cloned().collect()
    }

    /// The search lent to a worker under this name.
    pub fn lent(&mut self, id: &Token, worker: &Token) -> Option<(u64, &LongSearch)> {
        let is_it = |loan: &Loan| loan.id == *id && loan.worker == *worker;
        let mut all = self.pending.iter();
        let found = all.find(|(_, pending)| pending.loan().is_some_and(is_it));
        found.map(|(ticket, pending)| (*ticket, &pending.long))
    }

    /// Requeues one that a worker failed at. Returns its failures.
    pub fn failed(&mut self, ticket: u64) -> u32 {
        let Some(pending) = self.pending.get_mut(&ticket) else { return 0 };
        pending.place = Place::Nowhere;
        pending.failures += 1;
        pending.failures
    }

    /// Requeues all of a worker's: their tickets, and their names there.
    pub fn take_from(&mut self, worker: &Token) -> Vec<(u64, Token)> {
        let mut taken = Vec::new();
        for (ticket, pending) in &mut self.pending {
            if let Some(loan) = pending.loan().filter(|loan| loan.worker == *worker) {
                taken.push((*ticket, loan.id.clone()));
                pending.place = Place::Nowhere;
            }
        }
        taken
    }

    /// Forgets waiting ones without time left; returns their tickets.
    pub fn too_late(&mut self, now: Instant) -> Vec<u64> {
        let is_late = |pending: &Pending| match pending.long.end {
            LongEnd::Until(at) => pending.place == Place::Nowhere && at < now + SHORTEST,
            LongEnd::At(_) => false,
        };
        let late = self.pending.extract_if(.., |_, pending| is_late(pending));
        late.map(|(ticket, _)| ticket).collect()
    }

    /// Forgets one; returns its place.
    pub fn end(&mut self, ticket: u64) -> Option<Place> {
        self.pending.remove(&ticket).map(|pending| pending.place)
    }

    /// Loans to workers.
    pub fn loans(&self) -> impl Iterator<Item = &Loan> {
        self.pending.values().filter_map(Pending::loan)
    }

    /// Number of this worker's loans.
    pub fn of(&self, worker: &Token) -> usize {
        self.loans().filter(|loan| loan.worker == *worker).count()
    }

    /// Waiting ones.
    pub fn waiting(&self) -> usize {
        self.pending.values().filter(|pending| pending.place == Place::Nowhere).count()
    }

    /// Engines here that make them, or rest while one has their threads.
    pub fn here(&self) -> usize {
        let here = self.pending.values().filter(|pending| pending.place == Place::Here);
        here.map(|pending| pending.long.threads).sum()
    }
}

#[cfg(test)]
mod tests {
    use deepanalyze_core::search::Search;
    use shakmaty::Chess;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn token(text: &str) -> Token {
        Token::try_from(text.to_owned()).unwrap()
    }

    fn long(end: LongEnd) -> LongSearch {
        let search = Search { position: Chess::default(), excluded: Vec::new() };
        LongSearch { search, end, threads: 1 }
    }

    /// Three of a run, and now.
    fn three() -> (LongSearches, Instant) {
        let (mut all, now) = (LongSearches::new("run".to_owned()), Instant::now());
        (7..10).for_each(|ticket| all.submit(ticket, long(LongEnd::Until(now + 60 * SECOND))));
        (all, now)
    }

    #[test]
    fn the_first_stays_here_and_each_worker_has_its_own() {
        let (mut all, now) = three();
        assert_eq!(all.next_here().map(|(ticket, _)| ticket), Some(7));
        let (ticket, id, _) = all.next_away(token("a"), now).unwrap();
        assert_eq!((ticket, id.as_str(), run_of_long(&id)), (8, "long-run-8-1", Some("run")));
        assert_eq!((all.here(), all.of(&token("a")), all.waiting()), (1, 1, 1));
        assert!(all.lent(&id, &token("a")).is_some() && all.lent(&id, &token("b")).is_none());
        assert!(matches!(all.end(8), Some(Place::At(loan)) if loan.id == id));
        assert!(all.lent(&id, &token("a")).is_none() && all.end(8).is_none());
    }

    #[test]
    fn unreported_job_is_relent_and_unwanted_is_cancelled() {
        let (mut all, now) = three();
        let (a, b) = (token("a"), token("b"));
        let (ticket, id, _) = all.next_away(a.clone(), now).unwrap();
        assert!(all.hear(&a, &[], now + SECOND).is_empty(), "it is on its way, perhaps");
        assert!(all.hear(&a, &[id.clone(), token("long-other-7-1")], now + 5 * SECOND).is_empty());
        all.hear(&b, &[], now + 20 * SECOND);
        all.hear(&a, &[], now + 10 * SECOND);
        assert_eq!(all.of(&a), 1);
        all.hear(&a, &[], now + 11 * SECOND);
        assert_eq!((all.of(&a), all.waiting()), (0, 3));
        let (again, other, _) = all.next_away(b.clone(), now).unwrap();
        assert_eq!((again, other.as_str()), (ticket, "long-run-7-2"));
        // The first had it after all.
        assert_eq!(all.hear(&a, &[id.clone(), other.clone()], now), [id]);
        assert!(all.lent(&other, &b).is_some(), "that one names it changes nothing for the other");
    }

    #[test]
    fn lost_workers_searches_wait_until_too_late() {
        let (mut all, now) = three();
        let (ticket, id, _) = all.next_away(token("a"), now).unwrap();
        assert_eq!(all.take_from(&token("b")), []);
        assert_eq!(all.take_from(&token("a")), [(ticket, id)]);
        all.next_away(token("b"), now).unwrap();
        assert!(all.too_late(now + 59 * SECOND).is_empty());
        assert_eq!(all.too_late(now + 60 * SECOND), [8, 9], "the other is being searched");
        assert_eq!((all.failed(7), all.failed(7), all.waiting()), (1, 2, 1));
    }
}
