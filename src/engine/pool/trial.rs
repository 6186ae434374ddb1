//! One search on one engine, and what is learned from it; once more with `MultiPV` where
//! `searchmoves` turns out to be ignored.

use std::time::Instant;

use crate::engine::deadline::Watch;
use crate::engine::error::{EngineError, Reason};
use crate::engine::instance::{Failure, Instance, Order};
use crate::search::{Answer, Search};

use super::roster::Job;
use super::shared::{Learned, Shared};

/// What came of one search.
pub(super) enum Outcome {
    Answered(Answer),
    /// The engine is killed, the search is tried again.
    Fault(EngineError),
    /// The same, but the engine never came to the search: no attempt of it.
    Untouched(EngineError),
    /// No attempt will help. The engine is killed all the same, it may be searching.
    Hopeless(EngineError),
    Stopped,
}

/// One search, and the engine that is to make it.
pub(super) struct Trial<'a> {
    pub(super) shared: &'a Shared,
    pub(super) engine: &'a mut Instance,
    pub(super) job: &'a mut Job,
}

impl Trial<'_> {
    /// Makes the search.
    pub(super) fn run(mut self) -> Outcome {
        let ignores = self.shared.learned().ignores_searchmoves;
        match self.attempt(ignores) {
            Err(Failure::Excluded(error)) => {
                if !self.gives_searchmoves_up() {
                    return Outcome::Fault(error);
                }
                let second = self.attempt(true);
                self.outcome(second)
            }
            first => self.outcome(first),
        }
    }

    /// Whether an excluded move that came back means that the engine ignores `searchmoves`: it does,
    /// if it never was seen to obey, or gives excluded moves again and again.
    fn gives_searchmoves_up(&mut self) -> bool {
        let mut learned = self.shared.learned();
        let again = std::mem::replace(&mut self.job.came_back, true);
        if learned.obeys_searchmoves && !again && !learned.ignores_searchmoves {
            return false;
        }
        if !std::mem::replace(&mut learned.ignores_searchmoves, true) {
            let engine = &self.shared.identity.name;
            tracing::info!(engine, "searchmoves is ignored; MultiPV is used instead");
        }
        true
    }

    fn outcome(&self, result: Result<Answer, Failure>) -> Outcome {
        let error = match result {
            Ok(answer) => return Outcome::Answered(answer),
            Err(Failure::Idle(error)) => return Outcome::Untouched(error),
            Err(Failure::Excluded(error) | Failure::Error(error)) => error,
        };
        let mut learned = self.shared.learned();
        match &error.reason {
            Reason::Stopped => Outcome::Stopped,
            Reason::NoAlternatives(_) => Outcome::Hopeless(error),
            Reason::LimitIgnored { .. } if !learned.keeps_limit => Outcome::Hopeless(error),
            Reason::Hung { .. } => {
                // Some engines that do not know searchmoves never answer it.
                let alternatives = !self.job.search.excluded.is_empty();
                if alternatives && !learned.obeys_searchmoves && self.engine.multipv() > 1 {
                    learned.ignores_searchmoves = true;
                }
                Outcome::Fault(error)
            }
            _ => Outcome::Fault(error),
        }
    }

    /// One `go`, the plain way or with `MultiPV`.
    fn attempt(&mut self, ignores_searchmoves: bool) -> Result<Answer, Failure> {
        let search = &self.job.search;
        let lines = match ignores_searchmoves {
            true => enough_lines(self.engine, search)?,
            false => 1,
        };
        let Job { limit, keep_hash, .. } = *self.job;
        let order = Order { search, limit, lines, keep_hash };
        let mut watch = self.watch(lines);
        let answer = self.engine.search(&order, &mut watch);
        let mut learned = self.shared.learned();
        learned.experience.answers_probes |= watch.answers_probes();
        if let Ok(answer) = &answer {
            let by_searchmoves = lines == 1 && !search.excluded.is_empty();
            learned.answered(answer.time, by_searchmoves);
        }
        answer
    }

    fn watch(&self, lines: usize) -> Watch {
        let Learned { experience, .. } = *self.shared.learned();
        let lines = u32::try_from(lines).unwrap_or(u32::MAX);
        let allowance = lines.saturating_mul(1 << self.job.failures.len().min(8));
        Watch::start(self.shared.settings.hang, experience, allowance, Instant::now())
    }
}

/// One line more than there are excluded moves, so that one of them is free.
fn enough_lines(engine: &Instance, search: &Search) -> Result<usize, EngineError> {
    if search.excluded.is_empty() {
        return Ok(1);
    }
    let lines = search.excluded.len() + 1;
    let greatest = engine.multipv();
    if u64::try_from(lines).is_ok_and(|lines| lines <= greatest) {
        return Ok(lines);
    }
    let why = match greatest {
        1 => "it offers no MultiPV".to_owned(),
        _ => format!("its MultiPV ends at {greatest} where {lines} lines are needed"),
    };
    Err(engine.error(Reason::NoAlternatives(why)))
}
