//! Another engine's look at the root behind a closing search: a short search of its own, and one of
//! the verdict's move alone where it would play another. The other engine is the run's second, or
//! that of a recheck.

use std::time::{Duration, Instant};

use deepanalyze_core::chess::{Game, legal_uci};
use deepanalyze_core::search::{Answer, Limit, Search};
use deepanalyze_engine::{Engines, Event, LongEnd, LongSearch, Wakeup};
use deepanalyze_store::{AnalysisId, ClosingId, ClosingRow, SecondLook};
use deepanalyze_view::{ClosingMove, load_as_grown, told_verdict};
use shakmaty::uci::UciMove;

use super::watched::Watched;
use super::{LATE, TICK, TreeToClose, kept};
use crate::context::RunWork;
use crate::feed::event::{ClosingProgress, RunEvent};
use crate::outcome::RunError;
use crate::recheck::{EventsTaken, take_event};
use crate::under_way::next_ticket;

/// Of a closing search's nodes its look takes one part in this many, that at a single move half as
/// much: with fewer its word said less.
const PART: u64 = 4;

/// Of the time of both its look takes one part in this many, that at a single move half as much.
const PART_OF_TIME: u32 = 6;

/// The times of a closing search and of the second engine's look behind it.
#[derive(Debug, Clone, Copy)]
pub struct SecondTimes {
    /// The end of the closing search.
    pub closing: LongEnd,
    /// The time of the look at all moves; `None` where nodes end it.
    own: Option<Duration>,
}

/// Leaves the second engine its time, if there is one: one that is set, else a sixth of what there is;
/// and half as much for a single move.
pub fn times_beside(
    end: LongEnd,
    now: Instant,
    set: Option<Duration>,
    engines: &mut dyn Engines,
) -> SecondTimes {
    match end {
        LongEnd::Until(at) if engines.second().is_some() => {
            let all = at.saturating_duration_since(now);
            let own = set.unwrap_or(all / PART_OF_TIME).min(all / 3);
            SecondTimes { closing: LongEnd::Until(at - own - own / 2), own: Some(own) }
        }
        end => SecondTimes { closing: end, own: None },
    }
}

/// Outcome of a look.
enum Looked {
    Answered(Answer),
    /// The reason there is none.
    Failed(String),
    /// The run is to end, or to do something else.
    Ended,
}

/// A recheck's look ends after one part in this many of the time that is left.
const PART_OF_RECHECK: u32 = 4;

/// One look of an engine.
struct Look<'a> {
    tree: &'a TreeToClose,
    /// True if the run's own engines make it, else their second.
    is_own: bool,
    /// The only move to search; `None` for all.
    only: Option<UciMove>,
    end: LongEnd,
}

/// Lets the second engine look, if there is one, and stores what it finds; false if that was cut off.
/// An engine that fails is reported; the verdict stands without it.
///
/// # Errors
///
/// [`RunError`] if the database fails.
pub fn second_look(
    work: &mut RunWork<'_>,
    tree: &TreeToClose,
    game: &Game,
    closing: ClosingId,
    times: SecondTimes,
    watch: &mut Watched,
) -> Result<bool, RunError> {
    let Some(second) = work.engines.second() else { return Ok(true) };
    let engine = second.profile().engine.clone();
    let shares = kept(work.store, tree, closing)?.map(|row| row.shares).unwrap_or_default();
    let nodes: u64 = shares.iter().map(|share| share.answer.nodes).sum();
    // A function of its inputs, as the closing search is.
    let end = |part: u32, now: Instant| match times.own {
        Some(own) => LongEnd::Until(now + own / part),
        None => LongEnd::At(Limit::Nodes((nodes / (PART * u64::from(part))).max(1))),
    };
    let mut only = None;
    for part in [1, 2] {
        let look = Look { tree, is_own: false, only, end: end(part, work.engines.now()) };
        let done = kept(work.store, tree, closing)?.map(|row| row.looks).unwrap_or_default();
        let done = done.into_iter().find(|done| done.engine == engine && look.is_done_by(done));
        let own = match done {
            Some(done) => done.answer.best,
            None => match look.make(work, watch)? {
                Looked::Answered(answer) => {
                    let own = answer.best;
                    let look = SecondLook { engine: engine.clone(), only, answer };
                    work.store.keep_second_look(closing, &tree.root, &look)?;
                    own
                }
                Looked::Failed(why) => {
                    let warning = format!("no word from the second engine {engine:?}: {why}");
                    (work.tell)(RunEvent::Warning(warning));
                    return Ok(true);
                }
                Looked::Ended => return Ok(false),
            },
        };
        let row = work.store.analysis(tree.analysis)?;
        let told = row.map(|row| told_verdict(work.store, &row, game)).transpose()?.flatten();
        only = told.map(|told| told.best()).filter(|told| *told != own);
        if only.is_none() {
            break;
        }
    }
    Ok(true)
}

/// Lets the engine of a recheck look at the root, for a quarter of the closing search's nodes and of
/// what is left of the limits, unless it has looked before, or has made the tree. One that fails is
/// reported.
///
/// # Errors
///
/// [`RunError`] if the database fails.
pub fn recheck_look(work: &mut RunWork<'_>, analysis: AnalysisId) -> Result<(), RunError> {
    let engine = work.engines.profile().engine.clone();
    let row = work.store.analysis(analysis)?;
    if row.is_none_or(|row| row.profile.engine == engine) {
        return Ok(());
    }
    let closings = work.store.present_closings(analysis)?;
    let is_done = |done: &SecondLook| done.engine == engine && done.only.is_none();
    if closings.iter().flat_map(|row| &row.looks).any(is_done) {
        return Ok(());
    }
    let nodes = |row: &ClosingRow| row.shares.iter().map(|share| share.answer.nodes).sum::<u64>();
    let Some(closing) = closings.iter().max_by_key(|row| nodes(row)) else { return Ok(()) };
    let grown = load_as_grown(work.store, analysis)?;
    let Some(tree) = TreeToClose::of(&grown.growth, analysis, work.engines) else {
        return Ok(());
    };
    let left = work.progress.budget.left(work.engines.now()).nodes.unwrap_or(u64::MAX);
    let end = LongEnd::At(Limit::Nodes((nodes(closing).min(left) / PART).max(1)));
    let look = Look { tree: &tree, is_own: true, only: None, end };
    let mut watch = Watched::new(work, grown.game.clone())?;
    match look.make(work, &mut watch)? {
        Looked::Answered(answer) => {
            work.progress.budget.spend(answer.nodes, true);
            let look = SecondLook { engine, only: None, answer };
            work.store.keep_second_look(closing.id, &tree.root, &look)?;
        }
        Looked::Failed(why) => {
            let warning = format!("{engine:?} gave no move of its own for the root: {why}");
            (work.tell)(RunEvent::Warning(warning));
        }
        Looked::Ended => {}
    }
    Ok(())
}

impl Look<'_> {
    fn engines<'w>(&self, work: &'w mut RunWork<'_>) -> Option<&'w mut dyn Engines> {
        if self.is_own { Some(&mut *work.engines) } else { work.engines.second() }
    }

    /// True if an earlier look has come to the same limit.
    fn is_done_by(&self, done: &SecondLook) -> bool {
        let is_enough =
            matches!(self.end, LongEnd::At(Limit::Nodes(nodes)) if nodes <= done.answer.nodes);
        is_enough && done.only == self.only
    }

    /// Makes the search. By the clock its last iteration is an answer, too.
    fn make(&self, work: &mut RunWork<'_>, watch: &mut Watched) -> Result<Looked, RunError> {
        let Look { tree, end, .. } = *self;
        // A recheck has its leaves to ask, too.
        let now = work.engines.now();
        let part = |at: Instant| now + at.saturating_duration_since(now) / PART_OF_RECHECK;
        let deadline = work.progress.budget.deadline().filter(|_| self.is_own).map(part);
        let Some(engines) = self.engines(work) else { return Ok(Looked::Ended) };
        let ticket = next_ticket();
        // To a limit with one thread: its answer is always the same. A recheck's is not to take the night.
        let is_alone = matches!(end, LongEnd::At(_)) && !self.is_own;
        let threads = if is_alone { 1 } else { engines.threads() };
        engines.submit_long(ticket, self.search(threads));
        let last = match end {
            LongEnd::Until(at) => Some(at + LATE),
            LongEnd::At(_) => deadline,
        };
        let (name, began) = (engines.profile().engine.clone(), engines.now());
        let mut best: Option<Answer> = None;
        let ended = loop {
            if work.control.is_told_to_end() || watch.wants_something_else(work)? {
                break Looked::Ended;
            }
            let wake = work.control.wake().clone();
            let Some(engines) = self.engines(work) else { break Looked::Ended };
            let now = engines.now();
            if last.is_some_and(|last| last <= now) {
                let late = || Looked::Failed("nothing found in its time".to_owned());
                break best.take().map_or_else(late, Looked::Answered);
            }
            (work.tell)(RunEvent::Closing(ClosingProgress {
                other: Some(name.clone()),
                best: best.as_ref().map(|answer| ClosingMove::of(&tree.root, answer)),
                nodes: best.as_ref().map_or(0, |answer| answer.nodes),
                engines: threads,
                elapsed: now.saturating_duration_since(began),
                left: last.map(|last| last.saturating_duration_since(now)),
            }));
            let Some(engines) = self.engines(work) else { break Looked::Ended };
            let until = last.into_iter().chain([now + TICK]).min();
            let Wakeup::Event(event) = engines.wait(&wake, until) else { continue };
            match event {
                Event::Iteration { ticket: of, answer } if of == ticket => best = Some(answer),
                Event::Answered { ticket: of, answer, .. } if of == ticket => {
                    return Ok(Looked::Answered(answer));
                }
                Event::Failed { ticket: of, error } if of == ticket => {
                    return Ok(Looked::Failed(error.to_string()));
                }
                Event::GivenWay { ticket: of } if of == ticket => {
                    let none = || Looked::Failed("it gave way to other searches".to_owned());
                    return Ok(best.take().map_or_else(none, Looked::Answered));
                }
                Event::Retracted { ticket: of } if of == ticket => best = None,
                // Searches that the recheck before has left running.
                other if self.is_own => take_event(work, other, &mut EventsTaken::default())?,
                Event::Fault { error, attempt, .. } => {
                    let position = Some(tree.root.clone());
                    (work.tell)(RunEvent::Fault { error, attempt, position });
                }
                Event::Broken => break Looked::Failed("its thread has ended".to_owned()),
                Event::Notice(notice) => (work.tell)(RunEvent::Notice(notice)),
                _ => {}
            }
        };
        if let Some(engines) = self.engines(work) {
            engines.abandon(ticket);
        }
        Ok(ended)
    }

    fn search(&self, threads: usize) -> LongSearch {
        let Look { tree, only, end, .. } = *self;
        let position = tree.root.clone();
        let excluded = match only {
            Some(only) => legal_uci(&position).into_iter().filter(|uci| *uci != only).collect(),
            None => tree.excluded().to_vec(),
        };
        let search = Search { position, excluded };
        LongSearch { search, end, threads }
    }
}
