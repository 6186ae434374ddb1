//! The workers that a grower hears of.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::message::{Token, WorkerState};

use super::long::run_of_long;

/// A worker that is silent for so long is gone.
const SILENT: Duration = Duration::from_secs(10);

/// After so long a worker is asked once more to show that its engine is the same.
const ASK_AGAIN: Duration = Duration::from_secs(15);

/// More workers than this are not heard.
const MOST: usize = 10_000;
/// More of those in quarantine are not told of in a sign of life.
const MOST_TOLD: usize = 100;

/// What a grower thinks of a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkerStanding {
    /// It has not been checked yet.
    Proving,
    /// Its answers count.
    Trusted,
    /// Its answers do not count; why.
    Quarantined(String),
}

#[derive(Debug)]
struct KnownWorker {
    state: WorkerState,
    heard: Instant,
    /// When it was last asked to show that its engine is the same.
    asked: Instant,
    standing: WorkerStanding,
}

/// The workers that have this grower's engine.
#[derive(Debug, Default)]
pub struct Workers {
    known: BTreeMap<Token, KnownWorker>,
    /// Those whose answers do not count in this run, wherever they are, and why.
    barred: BTreeMap<Token, String>,
}

impl Workers {
    /// A sign of life; `true` where the worker is new.
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

    /// Forgets who is silent or has left; gives their names.
    pub fn forget_silent(&mut self, now: Instant) -> Vec<(Token, String)> {
        let is_gone = |known: &KnownWorker| {
            known.state.leaves || now.saturating_duration_since(known.heard) >= SILENT
        };
        let gone = self.known.extract_if(.., |_, known| is_gone(known));
        gone.map(|(worker, known)| (worker, known.state.name)).collect()
    }

    /// What is thought of a worker; nothing where it is unknown.
    pub fn standing(&self, worker: &Token) -> Option<&WorkerStanding> {
        self.known.get(worker).map(|known| &known.standing)
    }

    /// Thinks otherwise of a worker.
    pub fn set_standing(&mut self, worker: &Token, standing: WorkerStanding) {
        if let Some(known) = self.known.get_mut(worker) {
            known.standing = standing;
        }
    }

    /// The answers of a worker do not count any more in this run, wherever it is.
    pub fn bar(&mut self, worker: &Token, why: &str) {
        self.barred.insert(worker.clone(), why.to_owned());
        self.set_standing(worker, WorkerStanding::Quarantined(why.to_owned()));
    }

    /// Whether that is so.
    pub fn is_barred(&self, worker: &Token) -> bool {
        self.barred.contains_key(worker)
    }

    /// What people call a worker.
    pub fn name(&self, worker: &Token) -> String {
        let known = self.known.get(worker);
        known.map_or_else(|| worker.to_string(), |known| known.state.name.clone())
    }

    /// Those whose answers count, that do not rest.
    pub fn trusted(&self) -> impl Iterator<Item = &WorkerState> {
        let all = self.known.values().filter(|known| known.standing == WorkerStanding::Trusted);
        all.map(|known| &known.state).filter(|state| state.rests.is_none() && !state.leaves)
    }

    /// Those that have not shown yet that their engine is the same.
    pub fn proving(&self) -> Vec<Token> {
        let proving =
            self.known.iter().filter(|(_, known)| known.standing == WorkerStanding::Proving);
        proving.map(|(worker, _)| worker.clone()).collect()
    }

    /// Those that were asked long ago: the question or the answer is lost, perhaps. They count as asked now.
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

    /// The one with the least to do for each engine whose answers count, apart from some, and from those whose engines
    /// all have long searches.
    pub fn another(&self, apart_from: &[Token]) -> Option<Token> {
        let others = self.trusted().filter(|state| !apart_from.contains(&state.worker));
        let others = others.filter(|state| state.takes > 0);
        let load = |state: &&WorkerState| 1000 * state.jobs.len() / state.engines.max(1);
        others.min_by_key(load).map(|state| state.worker.clone())
    }

    /// How many engines each has for long searches of this run: all that no other run has for one.
    pub fn for_long<'a>(&'a self, run: &'a str) -> impl Iterator<Item = (&'a Token, usize)> {
        let is_other = move |id: &&Token| run_of_long(id).is_some_and(|of| of != run);
        self.trusted().map(move |state| {
            let of_others = state.jobs.iter().filter(is_other).count();
            (&state.worker, state.engines.saturating_sub(of_others))
        })
    }

    /// Those of the fleet whose answers do not count, and why.
    pub fn quarantined(&self) -> Vec<(Token, String)> {
        let barred = self.barred.iter().filter(|(worker, _)| self.known.contains_key(*worker));
        barred.take(MOST_TOLD).map(|(worker, why)| (worker.clone(), why.clone())).collect()
    }

    /// Whether an engine of those whose answers count has nothing to do.
    pub fn has_free_engine(&self) -> bool {
        self.trusted().any(|state| state.jobs.len() < state.engines)
    }

    /// What each does that takes no jobs: its name, and why not.
    pub fn idle(&self) -> Vec<(String, String)> {
        let why = |known: &KnownWorker| match (&known.standing, &known.state.rests) {
            (WorkerStanding::Quarantined(_), _) => "is in quarantine".to_owned(),
            (_, Some(rests)) => format!("paused: {rests}"),
            (WorkerStanding::Proving, None) => "has not been checked yet".to_owned(),
            (WorkerStanding::Trusted, None) => "takes no jobs".to_owned(),
        };
        self.known.values().map(|known| (known.state.name.clone(), why(known))).collect()
    }

    /// How many jobs they take, all together.
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
    fn only_workers_that_are_trusted_awake_and_heard_of_take_jobs() {
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
