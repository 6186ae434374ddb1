//! One search on one engine, and what is learned from it; once more with `MultiPV` where
//! `searchmoves` turns out not to work.
//!
//! The two ways give different answers: so all engines of a pool go the same one, a change is told
//! of, and it takes evidence that the engine cannot do otherwise. An excluded move that comes back is
//! evidence. A hang is none, since any search may hang. But some engines that do not know
//! `searchmoves` never answer it: what hung twice, on an engine that has never answered
//! `searchmoves`, is tried with `MultiPV`, and the answer is the evidence.

use std::time::Instant;

use crate::deadline::Watch;
use crate::error::{EngineError, Reason};
use crate::instance::{Failure, Instance, Order};
use deepanalyze_core::search::{Answer, Search};

use super::event::{Event, PoolNotice};
use super::roster::{ATTEMPTS, Job};
use super::shared::{Learned, Shared};

/// So many hangs leave a search one attempt: that one may go the other way.
const HANGS: usize = ATTEMPTS - 1;

/// What came of one search.
pub(super) enum TrialEnd {
    Answered(Answer),
    /// The engine is killed, the search is tried again.
    Fault(EngineError),
    /// The same, but the engine never came to the search: no attempt of it.
    Untouched(EngineError),
    /// No attempt will help. The engine is killed all the same, it may be searching.
    Hopeless(EngineError),
    /// Nobody wants the answer any more; the engine has stopped, and is free.
    Abandoned,
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
    pub(super) fn run(mut self) -> TrialEnd {
        let ignores = self.shared.learned().ignores_searchmoves;
        if !ignores && self.is_to_try_multipv() {
            return self.try_multipv();
        }
        match self.attempt(ignores) {
            Err(Failure::Excluded(error)) => {
                if !self.gives_searchmoves_up(&error) {
                    return TrialEnd::Fault(error);
                }
                let second = self.attempt(true);
                self.outcome(second)
            }
            first => self.outcome(first),
        }
    }

    /// Whether an excluded move that came back means that the engine ignores `searchmoves`: it does,
    /// if it never was seen to obey, or gives excluded moves again and again.
    fn gives_searchmoves_up(&mut self, error: &EngineError) -> bool {
        let again = std::mem::replace(&mut self.job.came_back, true);
        self.goes_on_with_multipv(again, PoolNotice::SearchmovesIgnored { error: error.clone() })
    }

    /// Searches alternatives with `MultiPV` from now on, and tells of it; not where `searchmoves` was
    /// seen to be obeyed, unless it is certain that it is not any more.
    fn goes_on_with_multipv(&self, certain: bool, notice: PoolNotice) -> bool {
        let mut learned = self.shared.learned();
        if learned.obeys_searchmoves && !certain && !learned.ignores_searchmoves {
            return false;
        }
        let first = !std::mem::replace(&mut learned.ignores_searchmoves, true);
        // Without MultiPV there is no other way; the search fails with an error that says so.
        if first && self.engine.multipv() > 1 {
            self.shared.tell(Event::Notice(notice));
        }
        true
    }

    /// Whether all attempts so far hung as if the engine did not know `searchmoves`.
    fn is_to_try_multipv(&self) -> bool {
        usize::from(self.job.hangs) >= HANGS
            && !self.shared.learned().obeys_searchmoves
            && enough_lines(self.engine, &self.job.search).is_ok()
    }

    /// Makes a search with `MultiPV` that hung with `searchmoves`. Where another engine has answered
    /// `searchmoves` meanwhile, the answer is not kept: it would be the only one of its way.
    fn try_multipv(mut self) -> TrialEnd {
        let tried = self.attempt(true);
        let engine = self.shared.identity.name.clone();
        let notice = PoolNotice::SearchmovesUnanswered { engine };
        if tried.is_err() || self.goes_on_with_multipv(false, notice) {
            return self.outcome(tried);
        }
        let plain = self.attempt(false);
        self.outcome(plain)
    }

    fn outcome(&self, result: Result<Answer, Failure>) -> TrialEnd {
        let error = match result {
            Ok(answer) => return TrialEnd::Answered(answer),
            Err(Failure::Idle(error)) => return TrialEnd::Untouched(error),
            Err(Failure::Abandoned) => return TrialEnd::Abandoned,
            Err(Failure::Hung(error) | Failure::Excluded(error) | Failure::Error(error)) => error,
        };
        match &error.reason {
            Reason::Stopped => TrialEnd::Stopped,
            Reason::NoAlternatives(_) => TrialEnd::Hopeless(error),
            Reason::LimitIgnored { .. } if !self.shared.learned().keeps_limit => {
                TrialEnd::Hopeless(error)
            }
            _ => TrialEnd::Fault(error),
        }
    }

    /// One `go`, the plain way or with `MultiPV`.
    fn attempt(&mut self, ignores_searchmoves: bool) -> Result<Answer, Failure> {
        let search = &self.job.search;
        let lines = match ignores_searchmoves {
            true => enough_lines(self.engine, search)?,
            false => 1,
        };
        let Job { limit, keep_hash, ref abandoned, .. } = *self.job;
        let order = Order { search, limit, lines, keep_hash, abandoned };
        let by_searchmoves = lines == 1 && !search.excluded.is_empty();
        let mut watch = self.watch(lines);
        let answer = self.engine.search(&order, &mut watch);
        let mut learned = self.shared.learned();
        learned.experience.answers_probes |= watch.answers_probes();
        if let Ok(answer) = &answer {
            learned.answered(answer.time, by_searchmoves);
        } else if by_searchmoves && matches!(answer, Err(Failure::Hung(_))) {
            self.job.hangs += 1;
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
