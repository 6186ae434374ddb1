//! One thread with one slot: starts its engine, takes searches, survives the engine's faults.
//!
//! If `searchmoves` turns out not to work, a search is made once more with `MultiPV`. The two ways
//! give different answers: so all engines of a pool use the same one, a change is reported, and it
//! takes evidence that the engine cannot do otherwise. An excluded move that comes back is
//! evidence. A hang is none, since any search may hang. But some engines that do not know
//! `searchmoves` never answer it: what hung twice, on an engine that has never answered it, is
//! tried with `MultiPV`, and the answer is the evidence.

use std::sync::Arc;
use std::time::Instant;

use crate::deadline::HangWatch;
use crate::engines::{Event, LongEnd, PoolNotice};
use crate::error::{EngineError, Reason};
use crate::instance::{Instance, SearchFailure, SearchOrder};
use crate::process::Program;
use crate::uci::SearchEnd;
use deepanalyze_core::search::{Answer, Search};

use super::roster::{ATTEMPTS, PoolJob, SlotTask};
use super::shared::PoolShared;

/// Hangs that leave a search one attempt: it may go the other way.
const HANGS: usize = ATTEMPTS - 1;

/// One thread with one slot.
pub(super) struct SlotThread {
    pub(super) shared: Arc<PoolShared>,
    /// The slot's number on the roster.
    pub(super) slot: usize,
    pub(super) program: Program,
    pub(super) engine: Option<Instance>,
}

impl SlotThread {
    /// Works until the pool stops.
    pub(super) fn run(self) {
        // Declared first, so that the engine is dead when the run hears of a panic.
        let _guard = PanicGuard(Arc::clone(&self.shared));
        let mut thread = self;
        while let Some(task) = thread.shared.next(thread.slot) {
            match task {
                SlotTask::Serve(job) => thread.serve(job),
                SlotTask::Start => thread.start(),
                SlotTask::Wait(_) => {}
            }
        }
        if let Some(engine) = &mut thread.engine {
            engine.quit();
        }
    }

    /// Starts the engine, which must be the one that the pool began with.
    fn start(&mut self) {
        let shared = &self.shared;
        let started = Instance::start(&self.program, &shared.settings, &shared.stop);
        match started.and_then(|engine| shared.identity.check(&engine).map(|()| engine)) {
            Ok(engine) => {
                self.engine = Some(engine);
                shared.started(self.slot);
            }
            Err(error) if error.reason == Reason::Stopped => {}
            Err(error) => shared.not_started(self.slot, &error),
        }
    }

    fn serve(&mut self, mut job: PoolJob) {
        self.shared.tell(Event::Started { ticket: job.ticket });
        #[cfg(all(any(test, feature = "testing"), unix))]
        panicking::panic_at(&job.search.position);
        let shared = &*self.shared;
        let result = match &mut self.engine {
            Some(engine) => SearchTrial { shared, engine, job: &mut job }.run(),
            // The roster gives searches only to slots with engines.
            None => Err(SearchFailure::Untouched(self.program.error(Reason::Stopped))),
        };
        if !matches!(result, Ok(_) | Err(SearchFailure::Abandoned)) {
            // Dead before the roster knows: another may start in its place at once.
            self.engine = None;
        }
        shared.ended(self.slot, job, result);
    }
}

/// One search, and its engine.
struct SearchTrial<'a> {
    shared: &'a PoolShared,
    engine: &'a mut Instance,
    job: &'a mut PoolJob,
}

impl SearchTrial<'_> {
    /// Makes the search.
    fn run(mut self) -> Result<Answer, SearchFailure> {
        let ignores = self.shared.learned().ignores_searchmoves;
        if !ignores && self.is_to_try_multipv() {
            return self.try_multipv();
        }
        match self.attempt(ignores) {
            Err(SearchFailure::Excluded(error)) if self.gives_searchmoves_up(&error) => {
                self.attempt(true)
            }
            first => first,
        }
    }

    /// True if an excluded move that came back means that the engine ignores `searchmoves`: it was
    /// never seen to obey, or gives excluded moves again and again.
    fn gives_searchmoves_up(&mut self, error: &EngineError) -> bool {
        let again = std::mem::replace(&mut self.job.came_back, true);
        self.goes_on_with_multipv(again, PoolNotice::SearchmovesIgnored { error: error.clone() })
    }

    /// Searches alternatives with `MultiPV` from now on, and reports it; not if `searchmoves` was
    /// seen to be obeyed, unless it certainly no longer is.
    fn goes_on_with_multipv(&self, certain: bool, notice: PoolNotice) -> bool {
        let mut learned = self.shared.learned();
        if learned.obeys_searchmoves && !certain && !learned.ignores_searchmoves {
            return false;
        }
        let first = !std::mem::replace(&mut learned.ignores_searchmoves, true);
        // Without MultiPV there is no other way; the search fails with an error that says so.
        if first && self.engine.offers.multipv() > 1 {
            self.shared.tell(Event::Notice(notice));
        }
        true
    }

    /// True if all attempts so far hung as if the engine did not know `searchmoves`.
    fn is_to_try_multipv(&self) -> bool {
        usize::from(self.job.hangs) >= HANGS
            && !self.shared.learned().obeys_searchmoves
            && enough_lines(self.engine, &self.job.search).is_ok()
    }

    /// Makes a search with `MultiPV` that hung with `searchmoves`. If another engine has answered
    /// `searchmoves` meanwhile, the answer is discarded: it would be the only one of its way.
    fn try_multipv(mut self) -> Result<Answer, SearchFailure> {
        let tried = self.attempt(true);
        let engine = self.shared.identity.name.clone();
        let notice = PoolNotice::SearchmovesUnanswered { engine };
        if tried.is_err() || self.goes_on_with_multipv(false, notice) {
            return tried;
        }
        self.attempt(false)
    }

    /// One `go`, the plain way or with `MultiPV`.
    fn attempt(&mut self, ignores_searchmoves: bool) -> Result<Answer, SearchFailure> {
        let search = &self.job.search;
        let lines = if ignores_searchmoves {
            enough_lines(self.engine, search).map_err(SearchFailure::Hopeless)?
        } else {
            1
        };
        let PoolJob { ticket, limit, keep_hash, ref long, ref abandoned, .. } = *self.job;
        let hears = |answer| self.shared.tell(Event::Iteration { ticket, answer });
        let plain = SearchOrder {
            search,
            end: SearchEnd::At(limit),
            lines,
            keep_hash,
            threads: long.as_ref().map_or(1, |long| long.threads),
            abandoned,
            hears: None,
        };
        let order = match long.as_deref() {
            None => plain,
            Some(long) => SearchOrder {
                end: match long.end {
                    LongEnd::At(limit) => SearchEnd::At(limit),
                    LongEnd::Until(at) => {
                        SearchEnd::After(at.saturating_duration_since(Instant::now()))
                    }
                },
                hears: Some(&hears),
                ..plain
            },
        };
        let by_searchmoves = lines == 1 && !search.excluded.is_empty();
        let mut watch = self.watch(lines);
        let result = self.engine.search(&order, &mut watch);
        let mut learned = self.shared.learned();
        learned.experience.answers_probes |= watch.answers_probes();
        match &result {
            // A long search gives no measure for others.
            Ok(_) if long.is_some() => learned.obeys_searchmoves |= by_searchmoves,
            Ok(answer) => learned.answered(answer, by_searchmoves),
            Err(SearchFailure::Hung(_)) if by_searchmoves => self.job.hangs += 1,
            _ => {}
        }
        match result {
            Err(SearchFailure::Error(error))
                if matches!(error.reason, Reason::LimitIgnored { .. }) && !learned.keeps_limit =>
            {
                Err(SearchFailure::Hopeless(error))
            }
            result => result,
        }
    }

    fn watch(&self, lines: usize) -> HangWatch {
        let experience = self.shared.learned().experience;
        let lines = u32::try_from(lines).unwrap_or(u32::MAX);
        let allowance = lines.saturating_mul(1 << self.job.failures.len().min(8));
        let hang = match self.job.long {
            Some(_) => self.shared.settings.hang.for_any_length(),
            None => self.shared.settings.hang,
        };
        HangWatch::start(hang, experience, allowance, Instant::now())
    }
}

/// One line more than there are excluded moves, so that one of them is free.
fn enough_lines(engine: &Instance, search: &Search) -> Result<usize, EngineError> {
    if search.excluded.is_empty() {
        return Ok(1);
    }
    let (lines, greatest) = (search.excluded.len() + 1, engine.offers.multipv());
    if u64::try_from(lines).is_ok_and(|lines| lines <= greatest) {
        return Ok(lines);
    }
    Err(engine.error(Reason::NoAlternatives(match greatest {
        1 => "it offers no MultiPV".to_owned(),
        _ => format!("its MultiPV ends at {greatest} where {lines} lines are needed"),
    })))
}

/// Tells the run if the thread panics: it would wait for an answer for ever.
struct PanicGuard(Arc<PoolShared>);

impl Drop for PanicGuard {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.tell(Event::Broken);
        }
    }
}

#[cfg(all(any(test, feature = "testing"), unix))]
pub mod panicking;
