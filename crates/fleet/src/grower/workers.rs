//! The workers known to a grower.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::message::{Token, WorkerState};

use super::long::run_of_long;

/// Silence after which a worker is gone.
const SILENT: Duration = Duration::from_secs(10);

/// Time after which a worker is asked again to prove its engine.
const ASK_AGAIN: Duration = Duration::from_secs(15);

/// The most workers that are heard.
const MOST: usize = 10_000;
/// The most in quarantine that a sign of life lists.
const MOST_TOLD: usize = 100;

/// A grower's trust in a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkerStanding {
    /// It has not been checked yet.
    Proving,
    /// Its answers count.
    Trusted,
    /// Its answers are ignored; why.
    Quarantined(String),
}

#[derive(Debug)]
struct KnownWorker {
    state: WorkerState,
    heard: Instant,
    /// When it was last asked to prove its engine.
    asked: Instant,
    standing: WorkerStanding,
}

/// The workers that have this grower's engine.
#[derive(Debug, Default)]
pub struct Workers {
    known: BTreeMap<Token, KnownWorker>,
    /// Workers whose answers do not count in this run, even if absent, and why.
    barred: BTreeMap<Token, String>,
}

impl Workers {
    /// Notes a sign of life; `true` if new.
    pub fn hear(&mut self, state: WorkerState, now: Instant) -> bool {
        if let Some(known) = self.known.get_mut(&state.worker) {
            (known.state, known.heard) = (state, now);
            return false;
        }
        if self.known.len() >= MOST {
            return false;
        }
        let worker = state.worker.clone();
        let why = self.barred.get(&worker).cloned();
        let standing = why.map_or(WorkerStanding::Proving, WorkerStanding::Quarantined);
        self.known.insert(worker, KnownWorker { state, heard: now, asked: now, standing });
        true
    }

    /// Removes silent or departed workers; their names.
    pub fn forget_silent(&mut self, now: Instant) -> Vec<(Token, String)> {
        let is_gone = |known: &KnownWorker| {
            known.state.leaves || now.saturating_duration_since(known.heard) >= SILENT
        };
        let gone = self.known.extract_if(.., |_, known| is_gone(known));
        gone.map(|(worker, known)| (worker, known.state.name)).collect()
    }

    /// A worker's standing; `None` if it is unknown.
    pub fn standing(&self, worker: &Token) -> Option<&WorkerStanding> {
        self.known.get(worker).map(|known| &known.standing)
    }

    /// Changes a worker's standing.
    pub fn set_standing(&mut self, worker: &Token, standing: WorkerStanding) {
        if let Some(known) = self.known.get_mut(worker) {
            known.standing = standing;
        }
    }

    /// Ignores a worker's answers in this run, even if it is absent.
    pub fn bar(&mut self, worker: &Token, why: &str) {
        self.barred.insert(worker.clone(), why.to_owned());
        self.set_standing(worker, WorkerStanding::Quarantined(why.to_owned()));
    }

    /// True if barred.
    pub fn is_barred(&self, worker: &Token) -> bool {
        self.barred.contains_key(worker)
    }

    /// A worker's display name.
    pub fn name(&self, worker: &Token) -> String {
        let known = self.known.get(worker);
        known.map_or_else(|| worker.to_string(), |known| known.state.name.clone())
    }

    /// Trusted workers that do not rest.
    pub fn trusted(&self) -> impl Iterator<Item = &WorkerState> {
        let all = self.known.values().filter(|known| known.standing == WorkerStanding::Trusted);
        all.map(|known| &known.state).filter(|state| state.rests.is_none() && !state.leaves)
    }

    /// Workers that have not proved their engine yet.
    pub fn proving(&self) -> Vec<Token> {
        let proving =
            self.known.iter().filter(|(_, known)| known.standing == WorkerStanding::Proving);
        proving.map(|(worker, _)| worker.clone()).collect()
    }

    /// Takes the workers asked long ago: question or answer may be lost. They count as asked now.
    pub fn due_to_be_asked(&mut self, now: Instant) -> Vec<Token> {
        let is_due = |known: &KnownWorker| {
            known.standing == WorkerStanding::Proving
                && now.saturating_duration_since(known.asked) >= ASK_AGAIN
        };
        let due = self.known.values_mut().filter(|known| is_due(known));
        let ask = |known: &mut KnownWorker| {
            known.asked = now;
            known.state.worker.clone()
        };
        due.map(ask).collect()
    }

    /// The trusted worker with the fewest jobs per engine, other than these, and than workers whose
    /// engines all have long searches.
    pub fn another(&self, apart_from: &[Token]) -> Option<Token> {
        let others = self.trusted().filter(|state| !apart_from.contains(&state.worker));
        let others = others.filter(|state| state.takes > 0);
        let load = |state: &&WorkerState| 1000 * state.jobs.len() / state.engines.max(1);
        others.min_by_key(load).map(|state| state.worker.clone())
    }

    /// Engines of each worker for long searches of this run: those without one of another run.
    pub fn for_long<'a>(&'a self, run: &'a str) -> impl Iterator<Item = (&'a Token, usize)> {
        let is_other = move |id: &&Token| run_of_long(id).is_some_and(|of| of != run);
        self.trusted().map(move |state| {
            let of_others = state.jobs.iter().filter(is_other).count();
            (&state.worker, state.engines.saturating_sub(of_others))
        })
    }

    /// The fleet's workers whose answers do not count; why.
    pub fn quarantined(&self) -> Vec<(Token, String)> {
        let barred = self.barred.iter().filter(|(worker, _)| self.known.contains_key(*worker));
        barred.take(MOST_TOLD).map(|(worker, why)| (worker.clone(), why.clone())).collect()
    }

    /// True if a trusted worker has a free engine.
    pub fn has_free_engine(&self) -> bool {
        self.trusted().any(|state| state.jobs.len() < state.engines)
    }

    /// Each worker that takes no jobs, and why.
    pub fn idle(&self) -> Vec<(String, String)> {
        let why = |known: &KnownWorker| match (&known.standing, &known.state.rests) {
            (WorkerStanding::Quarantined(_), _) => "is in quarantine".to_owned(),
            (_, Some(rests)) => format!("paused: {rests}"),
            (WorkerStanding::Proving, None) => "has not been checked yet".to_owned(),
            (WorkerStanding::Trusted, None) => "takes no jobs".to_owned(),
        };
        self.known.values().map(|known| (known.state.name.clone(), why(known))).collect()
    }

    /// Number of jobs they take in total.
    pub fn takes(&self) -> usize {
        self.trusted().map(|state| state.takes).fold(0, usize::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str) -> Token {
        Token::try_from(text.to_owned()).unwrap()
    }

    fn state(worker: &str, takes: usize) -> WorkerState {
        WorkerState {
            worker: token(worker),
            name: worker.to_owned(),
            engine: token("engine"),
            engine_name: "Engine".to_owned(),
            options: BTreeMap::new(),
            engines: takes,
            takes,
            busy: 0,
            jobs: Vec::new(),
            answered: 0,
            failed: 0,
            faults: 0,
            nodes: 0,
            seconds: 0,
            rests: None,
            leaves: false,
        }
    }

    #[test]
    fn only_trusted_awake_heard_workers_take_jobs() {
        let (mut workers, now) = (Workers::default(), Instant::now());
        for name in ["a", "b", "c", "d"] {
            assert!(workers.hear(state(name, 3), now));
            assert!(!workers.hear(state(name, 3), now));
        }
        assert_eq!(workers.takes(), 0);
        assert_eq!(workers.due_to_be_asked(now).len(), 0);
        assert_eq!(workers.due_to_be_asked(now + ASK_AGAIN).len(), 4);
        assert_eq!(workers.due_to_be_asked(now + ASK_AGAIN).len(), 0);
        for name in ["a", "b", "c"] {
            workers.set_standing(&token(name), WorkerStanding::Trusted);
        }
        workers.bar(&token("d"), "lies");
        assert_eq!(workers.takes(), 9);
        assert!(workers.has_free_engine());
        for name in ["a", "b", "c"] {
            workers.hear(WorkerState { jobs: vec![token("job"); 3], ..state(name, 3) }, now);
        }
        assert!(!workers.has_free_engine());
        workers.hear(WorkerState { rests: Some("night".to_owned()), ..state("a", 3) }, now);
        assert_eq!(workers.takes(), 6);
        let later = now + SILENT;
        workers.hear(state("a", 3), later);
        workers.hear(WorkerState { leaves: true, ..state("b", 3) }, later);
        let gone: Vec<String> =
            workers.forget_silent(later).into_iter().map(|gone| gone.1).collect();
        assert_eq!(gone, ["b", "c", "d"]);
        assert_eq!(workers.takes(), 3);
        assert_eq!(workers.standing(&token("b")), None);
        workers.hear(state("d", 3), later);
        let barred = WorkerStanding::Quarantined("lies".to_owned());
        assert_eq!(workers.standing(&token("d")), Some(&barred), "it was away for a while");
        assert_eq!(workers.quarantined(), [(token("d"), "lies".to_owned())]);
    }
}
