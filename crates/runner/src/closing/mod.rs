//! The closing search of a tree: its root once more, on cleared hashes.
//! `docs/algorithm.md` defines it, `docs/worth.md` says what it gives.
//!
//! Each engine's result is kept every few seconds, so that it survives however the search ends.

mod plan;
mod prepared;
mod second;
mod share;
mod stored;
mod watched;

use std::time::{Duration, Instant};

use deepanalyze_core::tree::{Growth, RootShare};
use deepanalyze_engine::{EngineError, Engines, Event, LongEnd, Wakeup};
use deepanalyze_store::{
    AnalysisId, ClosingId, ClosingRow, ClosingShareRow, NewClosing, Store, StoreError,
};
use deepanalyze_view::{Closing, ClosingMove};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::context::RunWork;
use crate::feed::event::{ClosingProgress, RunEvent};
use crate::job::Job;
use crate::outcome::{RunEnd, RunError};
use crate::under_way::next_ticket;

pub use plan::{ClosingLimit, ClosingPlan};
pub use prepared::PreparedFor;
pub use second::recheck_look;
use second::{second_look, times_beside};
use share::ClosingShare;
pub use stored::StoredClosing;
use watched::Watched;

/// Pause between events.
const TICK: Duration = Duration::from_millis(250);

/// Pause between writes of the results so far.
const KEPT_EVERY: Duration = Duration::from_secs(2);

/// Grace for the move of an engine that searches by its own clock.
const LATE: Duration = Duration::from_millis(300);

/// A tree whose root can be searched once more.
#[derive(Debug)]
pub struct TreeToClose {
    analysis: AnalysisId,
    root: Chess,
    passes: u64,
    /// Shares of a search to a limit: an engine has one thread, so that its answer is always the
    /// same.
    to_limit: Vec<RootShare>,
    /// Shares of a search that the clock ends.
    by_clock: Vec<RootShare>,
}

impl TreeToClose {
    /// The tree after its last pass; `None` if its root is an end.
    pub fn of(growth: &Growth, analysis: AnalysisId, engines: &dyn Engines) -> Option<TreeToClose> {
        let (engines, threads) = (engines.long_searches(), engines.threads());
        let is_open =
            engines > 0 && growth.analysed() > 0 && growth.graph().known(growth.root()).is_none();
        let [to_limit, by_clock] = if is_open {
            [1, threads].map(|threads| growth.root_shares(engines, threads))
        } else {
            return None;
        };
        let (root, passes) = (growth.position(growth.root()), growth.passes());
        let tree = TreeToClose { analysis, root, passes, to_limit, by_clock };
        (!tree.to_limit.is_empty()).then_some(tree)
    }

    /// The root's moves that no search may choose.
    fn excluded(&self) -> &[UciMove] {
        let all = self.to_limit.iter().find(|share| share.all);
        all.map_or(&[], |share| &share.elsewhere)
    }

    fn shares(&self, end: LongEnd) -> &[RootShare] {
        match end {
            LongEnd::At(_) => &self.to_limit,
            LongEnd::Until(_) => &self.by_clock,
        }
    }
}

/// Outcome of a closing search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosingOutcome {
    /// How it ended: settled if it ran to its end.
    pub ending: RunEnd,
    /// Its result; `None` if no engine had found anything yet.
    pub closing: Option<Closing>,
}

/// Makes the closing search of a tree, and lets the second engine look, if there is one.
///
/// # Errors
///
/// An engine's, if nothing was found or not all of what was asked for; [`StoreError::Growing`] if
/// another process grows the tree.
pub fn close(
    work: &mut RunWork<'_>,
    tree: &TreeToClose,
    job: &Job,
    end: LongEnd,
) -> Result<ClosingOutcome, RunError> {
    let _lock = work.store.lock(tree.analysis)?;
    let now = work.engines.now();
    let times = times_beside(end, now, job.second_time, work.engines);
    let mut watch = Watched::new(work, job.game.clone())?;
    let (id, outcome) = search_root(work, tree, times.closing, &mut watch)?;
    if outcome.closing.is_none() || outcome.ending == RunEnd::Interrupted {
        return Ok(outcome);
    }
    let is_whole = second_look(work, tree, &job.game, id, times, &mut watch)?;
    let ending = if is_whole { outcome.ending } else { RunEnd::Interrupted };
    Ok(ClosingOutcome { ending, ..outcome })
}

/// Makes the closing search.
fn search_root(
    work: &mut RunWork<'_>,
    tree: &TreeToClose,
    end: LongEnd,
    watch: &mut Watched,
) -> Result<(ClosingId, ClosingOutcome), RunError> {
    let limit = match end {
        LongEnd::At(limit) => Some(limit),
        LongEnd::Until(_) => None,
    };
    let shares = tree.shares(end);
    let engines = shares.iter().map(|share| share.threads).sum::<usize>();
    let engines = u32::try_from(engines).unwrap_or(u32::MAX);
    let new = NewClosing { passes: tree.passes, limit, engines };
    let id = work.store.closing_id(tree.analysis, &new)?;
    // Guesses, and searches that outlast the tree's time: they would hold its engines.
    work.progress.under_way.abandon(work.engines);
    let now = work.engines.now();
    let done = match limit {
        Some(_) => kept(work.store, tree, id)?.map(|row| row.shares).unwrap_or_default(),
        None => Vec::new(),
    };
    // A tree grown again to as many passes may deal otherwise: then nothing is known.
    let fits = |done: &ClosingShareRow| {
        let share = shares.iter().find(|share| share.number.0 == done.number);
        share.is_some_and(|share| share.moves.contains(&done.answer.best))
    };
    let done = if done.iter().all(fits) { done } else { Vec::new() };
    let mut own = Vec::new();
    for share in shares {
        let mut mine = ClosingShare::new(next_ticket(), share);
        let is_mine = |done: &&ClosingShareRow| done.is_done && done.number == share.number.0;
        match done.iter().find(is_mine) {
            Some(done) => mine.answered(done.answer.clone(), true),
            None => {
                let long = mine.search(&tree.root, end);
                work.engines.submit_long(mine.ticket, long);
            }
        }
        own.push(mine);
    }
    let search =
        ClosingSearch { work, tree, id, end, watch, shares: own, failed: None, began: now };
    Ok((id, search.run()?))
}

/// The stored row of a closing search, once its first engine has a result.
fn kept(
    store: &Store,
    tree: &TreeToClose,
    id: ClosingId,
) -> Result<Option<ClosingRow>, StoreError> {
    Ok(store.closings_of(tree.analysis)?.into_iter().find(|row| row.id == id))
}

/// One in progress.
struct ClosingSearch<'a, 'w> {
    work: &'a mut RunWork<'w>,
    tree: &'a TreeToClose,
    id: ClosingId,
    end: LongEnd,
    watch: &'a mut Watched,
    shares: Vec<ClosingShare>,
    /// The first engine failure that no other engine made good.
    failed: Option<EngineError>,
    began: Instant,
}

impl ClosingSearch<'_, '_> {
    fn run(mut self) -> Result<ClosingOutcome, RunError> {
        let waited = self.wait();
        for share in self.shares.iter().filter(|share| !share.is_over) {
            self.work.engines.abandon(share.ticket);
        }
        self.work.progress.under_way.forget();
        self.keep()?;
        let ending = waited?;
        let kept = kept(self.work.store, self.tree, self.id)?;
        let closing = kept.and_then(|row| Closing::of_row(&self.tree.root, &row));
        match (self.failed, self.end, &closing) {
            (Some(error), LongEnd::At(_), _) | (Some(error), _, None) => {
                return Err(error.into());
            }
            (Some(error), LongEnd::Until(_), Some(_)) => {
                let warning = format!("{error}; its moves are left out of the closing search");
                (self.work.tell)(RunEvent::Warning(warning));
            }
            (None, ..) => {}
        }
        Ok(ClosingOutcome { ending, closing })
    }

    /// Until all engines have answered, the time is up, or the user wants something else.
    fn wait(&mut self) -> Result<RunEnd, RunError> {
        let mut kept = self.began;
        loop {
            let now = self.work.engines.now();
            if self.shares.iter().all(|share| share.is_over) {
                return Ok(RunEnd::Settled);
            }
            let control = self.work.control;
            if control.is_told_to_end() || self.watch.wants_something_else(self.work)? {
                return Ok(RunEnd::Interrupted);
            }
            let last = self.last_moment();
            if last.is_some_and(|last| last <= now) {
                self.tell_of_the_late();
                self.shares.iter_mut().for_each(ClosingShare::has_no_time_left);
                return Ok(RunEnd::Limit);
            }
            if now.saturating_duration_since(kept) >= KEPT_EVERY {
                self.keep()?;
                kept = now;
            }
            let progress = self.progress(now);
            (self.work.tell)(RunEvent::Closing(progress));
            let until = last.into_iter().chain([now + TICK]).min();
            if let Wakeup::Event(event) = self.work.engines.wait(control.wake(), until) {
                self.take(event)?;
            }
        }
    }

    /// When to stop waiting for engines. Those ended by the clock get a moment for their move.
    fn last_moment(&self) -> Option<Instant> {
        match self.end {
            LongEnd::Until(at) => Some(at + LATE),
            LongEnd::At(_) => None,
        }
    }

    /// Names an engine that overran its time without a move.
    fn tell_of_the_late(&mut self) {
        let is_late = |share: &&ClosingShare| !share.is_over && share.best.is_some();
        if matches!(self.end, LongEnd::Until(_)) && self.shares.iter().any(|share| is_late(&share))
        {
            let engine = &self.work.engines.profile().engine;
            let warning = format!("engine {engine:?} overran its time and was stopped");
            (self.work.tell)(RunEvent::Warning(warning));
        }
    }

    fn take(&mut self, event: Event) -> Result<(), RunError> {
        let is_limited = matches!(self.end, LongEnd::At(_));
        match event {
            Event::Iteration { ticket, answer } => {
                if let Some(share) = self.share(ticket) {
                    share.iterated(answer);
                }
            }
            Event::Retracted { ticket } => {
                let (store, closing) = (&self.work.store, self.id);
                let mut shares = self.shares.iter_mut();
                if let Some(share) = shares.find(|share| share.ticket == ticket) {
                    store.forget_share(closing, share.retracted())?;
                }
            }
            Event::Answered { ticket, answer, worker } => match self.share(ticket) {
                Some(share) => share.answered(answer, is_limited),
                // Left running by the tree.
                None => self.work.keep_left_running(ticket, answer, worker)?,
            },
            Event::Failed { ticket, error } => match self.share(ticket) {
                Some(share) => {
                    share.is_over = true;
                    self.failed.get_or_insert(error);
                }
                None => drop(self.work.progress.under_way.finish(ticket)),
            },
            Event::GivenWay { ticket } => {
                if let Some(share) = self.share(ticket) {
                    share.is_over = true;
                }
            }
            Event::Fault { ticket, error, attempt } => {
                let position = match ticket {
                    Some(ticket) if self.share(ticket).is_some() => Some(self.tree.root.clone()),
                    _ => None,
                };
                (self.work.tell)(RunEvent::Fault { error, attempt, position });
            }
            Event::Notice(notice) => (self.work.tell)(RunEvent::Notice(notice)),
            Event::Broken => return Err(RunError::EnginesGone),
            // A quarantined worker gives no long searches; the next pass sees it in the database.
            Event::Quarantined { worker, why } => drop(self.work.store.invalidate(&worker, &why)?),
            Event::Started { .. } => {}
        }
        Ok(())
    }

    fn share(&mut self, ticket: u64) -> Option<&mut ClosingShare> {
        self.shares.iter_mut().find(|share| share.ticket == ticket)
    }

    /// Writes the engines' results since the last write.
    fn keep(&mut self) -> Result<(), StoreError> {
        let new: Vec<_> = self.shares.iter_mut().filter_map(ClosingShare::take_new).collect();
        if new.is_empty() {
            return Ok(());
        }
        self.work.store.keep_shares(self.id, &self.tree.root, &new)
    }

    fn progress(&self, now: Instant) -> ClosingProgress {
        let best = self.shares.first().and_then(|share| share.best.as_ref());
        let best = best.map(|answer| ClosingMove::of(&self.tree.root, answer));
        let left = match self.end {
            LongEnd::Until(at) => Some(at.saturating_duration_since(now)),
            LongEnd::At(_) => None,
        };
        let nodes = self.shares.iter().filter_map(|share| share.best.as_ref());
        ClosingProgress {
            other: None,
            best,
            nodes: nodes.map(|answer| answer.nodes).fold(0, u64::saturating_add),
            engines: self.shares.iter().map(|share| share.threads).sum(),
            elapsed: now.saturating_duration_since(self.began),
            left,
        }
    }
}
