//! Rechecks: trees whose best moves another profile might change. No tree is changed; some of its
//! leaves are asked again, in the order of their power to make another move the best
//! (`docs/algorithm.md`, section 11).
//!
//! Several trees take turns: each has an equal part of what is left of the limits. Unfinished ones
//! then have another turn with what the others have left.

mod events;
mod tree;

use std::time::{Duration, Instant};

use deepanalyze_core::search::Limit;
use deepanalyze_engine::{Engines, Wakeup};
use deepanalyze_store::{AnalysisId, AnalysisRow, Store};
use deepanalyze_view::{Rechecked, describe_root};

use crate::context::RunWork;
use crate::control::limits::{RunLimits, Spent};
use crate::control::{ControlReceiver, must_end};
use crate::feed::event::{RunEvent, RunListener};
use crate::outcome::{RunEnd, RunError};
use crate::under_way::Grace;

pub use events::MovesUnderWay;
use events::take_events;
pub(crate) use events::{EventsTaken, take_event};
use tree::{TreeAsked, recheck_tree};

/// The shortest turn.
const SHORTEST: Duration = Duration::from_millis(1);

/// Plies by which the limit of a checked search is deeper, and the factor for its nodes.
const DEEPER: u32 = 2;
const TIMES: u64 = 4;

/// A limit two plies deeper; of nodes, four times as many.
pub fn deeper(limit: Limit) -> Limit {
    match limit {
        Limit::Depth(depth) => Limit::Depth(depth.saturating_add(DEEPER)),
        Limit::Nodes(nodes) => {
            Limit::Nodes(nodes.saturating_mul(TIMES).min(i64::MAX.unsigned_abs()))
        }
    }
}

/// Plan of a recheck.
#[derive(Debug, Clone)]
pub struct RecheckPlan {
    /// The analyses, in the order of their turns.
    pub analyses: Vec<RecheckRoot>,
    /// Possible error, in centipawns, of a score not asked again; `None` to derive it from the
    /// errors that the two profiles have shown.
    pub within: Option<u32>,
    /// Limits of the recheck.
    pub limits: RunLimits,
}

/// An analysis to check.
#[derive(Debug, Clone)]
pub struct RecheckRoot {
    /// Its row.
    pub row: AnalysisRow,
    /// Its root's name.
    pub name: String,
    /// The limit of the new searches.
    pub limit: Limit,
}

impl RecheckRoot {
    /// An analysis named by its position.
    pub fn of(row: AnalysisRow, limit: Limit) -> RecheckRoot {
        let name = row.game().map_or_else(|| row.root.clone(), |game| describe_root(&game));
        RecheckRoot { row, name, limit }
    }
}

/// Outcome of an analysis.
#[derive(Debug)]
pub enum RootRecheck {
    /// Checked to its end, or as far as the limits allowed.
    Checked(Box<Rechecked>),
    /// Its root has no move.
    NoMove,
    /// It cannot be checked; others can.
    Failed(RunError),
    /// It had no turn.
    Left,
}

/// Recheck results.
#[derive(Debug)]
pub struct RecheckOutcome {
    /// How it ended: settled if every analysis is checked to its end, or cannot be.
    pub ending: RunEnd,
    /// Outcome of each analysis.
    pub roots: Vec<RootRecheck>,
    /// Searches of this run.
    pub searches: u64,
    /// How long it took.
    pub elapsed: Duration,
}

/// Asks the leaves of trees again.
///
/// # Errors
///
/// [`RunError`] if the database fails, or the engines' threads; earlier answers are kept. An engine
/// that fails at a leaf fails the analysis alone.
pub fn recheck(
    plan: &RecheckPlan,
    store: &mut Store,
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    tell: &mut RunListener<'_>,
) -> Result<RecheckOutcome, RunError> {
    let mut work = RunWork::new(store, engines, control, tell);
    work.progress.budget.limit(plan.limits);
    let mut roots: Vec<_> = plan.analyses.iter().map(|_| RootRecheck::Left).collect();
    let ending = all_turns(&mut work, plan, &mut roots)?;
    wind_down(&mut work, ending);
    let (budget, now) = (&work.progress.budget, work.engines.now());
    let (searches, elapsed) = (budget.all_searches(), budget.elapsed(now));
    Ok(RecheckOutcome { ending, roots, searches, elapsed })
}

/// Asks again the leaves of a tree just grown, with the run's engines and the rest of its limits.
pub(crate) fn recheck_grown(
    work: &mut RunWork<'_>,
    analysis: AnalysisId,
    limit: Limit,
    within: u32,
) -> Result<(RunEnd, Option<Box<Rechecked>>), RunError> {
    // Guesses, and searches that outlast the tree's limits: they would hold its engines.
    work.progress.under_way.abandon(work.engines);
    work.progress.rechecked = Some(analysis);
    let asked = TreeAsked { analysis, limit: deeper(limit), within: Some(within) };
    let checked = recheck_tree(work, asked);
    wind_down(work, checked.as_ref().map_or(RunEnd::Limit, |(end, _)| *end));
    work.progress.under_way.forget();
    checked
}

/// Turn after turn of several trees, until all are done or the limits are reached.
fn all_turns(
    work: &mut RunWork<'_>,
    plan: &RecheckPlan,
    roots: &mut [RootRecheck],
) -> Result<RunEnd, RunError> {
    let mut open: Vec<_> = plan.analyses.iter().zip(roots).enumerate().collect();
    while !open.is_empty() {
        let mut waiting = open.len();
        for (index, (root, outcome)) in std::mem::take(&mut open) {
            let is_spent = work.progress.budget.is_spent(work.engines.now());
            if let Some(end) = must_end(work.control, is_spent) {
                return Ok(end);
            }
            let end;
            (end, *outcome) = turn(work, plan.within, index, root, waiting)?;
            waiting -= 1;
            if end != RunEnd::Settled {
                open.push((index, (root, outcome)));
            }
        }
    }
    Ok(RunEnd::Settled)
}

/// The turn of one of `of` trees that wait for theirs; settled if it needs no other.
fn turn(
    work: &mut RunWork<'_>,
    within: Option<u32>,
    index: usize,
    RecheckRoot { row, name, limit }: &RecheckRoot,
    of: usize,
) -> Result<(RunEnd, RootRecheck), RunError> {
    let now = work.engines.now();
    let left = part(work.progress.budget.left(now), of);
    work.progress.budget.turn_to_root(left, Spent::default(), now);
    work.progress.rechecked = Some(row.id);
    if let Some(game) = row.game() {
        let (name, root) = (name.clone(), game.root().clone());
        (work.tell)(RunEvent::RootBegins { index, name, root });
    }
    match recheck_tree(work, TreeAsked { analysis: row.id, limit: *limit, within }) {
        Ok((end, Some(checked))) => {
            if end == RunEnd::Settled {
                (work.tell)(RunEvent::Rechecked(checked.clone()));
            }
            Ok((end, RootRecheck::Checked(checked)))
        }
        Ok((_, None)) => Ok((RunEnd::Settled, RootRecheck::NoMove)),
        Err(error) if is_of_root(&error) => {
            (work.tell)(RunEvent::Warning(format!("{name}: {error}")));
            Ok((RunEnd::Settled, RootRecheck::Failed(error)))
        }
        Err(error) => Err(error),
    }
}

/// True if an error concerns one tree only.
fn is_of_root(error: &RunError) -> bool {
    match error {
        RunError::Engine(error) => error.is_given_up(),
        RunError::Store(error) => error.is_damage(),
        _ => false,
    }
}

/// One of `of` equal parts of limits; never zero if something is left.
pub(crate) fn part(limits: RunLimits, of: usize) -> RunLimits {
    let count = u64::try_from(of).unwrap_or(1).max(1);
    let share = |left: Option<u64>| left.map(|left| left.div_ceil(count));
    let time = limits.time.map(|time| time / u32::try_from(count).unwrap_or(u32::MAX));
    let time = time.map(|time| time.max(SHORTEST));
    RunLimits { time, searches: share(limits.searches), nodes: share(limits.nodes) }
}

/// Ends the running searches: at once if all is done, else after a moment.
fn wind_down(work: &mut RunWork<'_>, ending: RunEnd) {
    for ticket in work.engines.withdraw() {
        work.progress.moves.finish(ticket);
    }
    let grace = Grace::begin(work.engines, work.control);
    if ending == RunEnd::Interrupted {
        (work.tell)(RunEvent::Stopping("interrupted".to_owned()));
    }
    let is_waited_for = ending != RunEnd::Settled;
    while is_waited_for && work.progress.moves.len() > 0 && grace.lasts(work.control) {
        if take_one(work, Some(grace.until)) == Some(false) {
            break;
        }
    }
    work.progress.moves.abandon(work.engines);
    // Answers that came meanwhile.
    let now = work.engines.now();
    while take_one(work, Some(now)) == Some(true) {}
    work.progress.moves.forget();
}

/// Handles events until a moment: true if one came; `None` if the control has changed.
fn take_one(work: &mut RunWork<'_>, until: Option<Instant>) -> Option<bool> {
    match work.engines.wait(work.control.wake(), until) {
        Wakeup::Event(event) => {
            // The run ends anyway: an engine that fails now changes nothing.
            if let Err(RunError::Store(error)) = take_events(work, event) {
                let why = format!("an answer is not kept: {error}");
                (work.tell)(RunEvent::Warning(why));
            }
            Some(true)
        }
        Wakeup::Time => Some(false),
        Wakeup::Control => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_divided_and_no_part_is_empty() {
        let hour = Some(Duration::from_secs(3600));
        let limits = RunLimits { time: hour, searches: Some(5), nodes: Some(9) };
        let third = part(limits, 3);
        assert_eq!(third.time, Some(Duration::from_secs(1200)));
        assert_eq!((third.searches, third.nodes), (Some(2), Some(3)));
        assert_eq!(part(RunLimits { searches: Some(1), ..limits }, 9).searches, Some(1));
        assert_eq!(part(RunLimits::default(), 4), RunLimits::default());
    }

    #[test]
    fn deeper_is_two_plies_or_four_times_the_nodes() {
        assert_eq!(deeper(Limit::Depth(10)), Limit::Depth(12));
        assert_eq!(deeper(Limit::Nodes(1000)), Limit::Nodes(4000));
        assert_eq!(deeper(Limit::Nodes(u64::MAX)), Limit::Nodes(i64::MAX.unsigned_abs()));
    }
}
