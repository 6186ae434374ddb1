//! `deepanalyze grow` on a single position: its tree, and the closing search behind it.

use std::time::{Duration, Instant};

use crate::cli::error::CliError;
use crate::cli::progress::{Reporter, followed, time};
use crate::engine::{Engines, Pool, kill_all};
use crate::run::{
    ClosingEnd, ClosingLimit, End, Exhausted, InProgress, Plan, Prepared, Publisher, RunEnd,
    RunLimits, RunOutcome, Shutdown, grow_on,
};
use crate::store::Store;

use super::args::GrowArgs;
use super::closing::{Closed, Closing, close, prepared};
use super::command_line::command_line;

/// Grows the tree and makes the closing search, where one is to follow and the run has come to its own
/// end. Says how all of it ended.
pub fn grow_and_close(
    (args, closing): (&GrowArgs, Closing),
    plan: &Plan,
    (store, mut engines): (&mut Store, Box<dyn Engines + Send>),
    shutdown: &Shutdown,
    reporter: &mut Reporter,
) -> Result<End, CliError> {
    let began = Instant::now();
    let mut progress = InProgress::new(&*engines);
    let mut tree = |plan: &Plan, store: &mut Store, reporter: &mut Reporter| {
        tree((args, plan), &mut progress, (store, &mut *engines), shutdown, reporter)
    };
    let mut outcome = tree(plan, store, reporter)?;
    let wanted = closing.wanted(outcome.ending, outcome.elapsed);
    let mut next = outcome.analysis.zip(wanted).map(|(analysis, limit)| {
        let prepared = prepared(args, (analysis, limit), store);
        (prepared, limit)
    });
    if let (Closing::InTime(whole), Some(_)) =
        (closing, closing.left(outcome.ending, outcome.elapsed))
        && let Some(why) = why_not(next.as_ref())
    {
        reporter.line(why);
        next = None;
        let limits = RunLimits { time: Some(whole), ..plan.limits };
        // The directives of a file are the root's by now, and those that were given since count.
        let rest = Plan { limits, directives: None, ..plan.clone() };
        let later = tree(&rest, store, reporter)?;
        outcome = later.instead_of(&outcome);
    }
    drop(engines);
    tell_end((args, plan), &outcome, store, reporter);
    let Some((prepared, limit)) = next else { return Ok(outcome.ending) };
    let about = |error: CliError| error.about("the tree is kept, but the closing search failed");
    let closed = prepared
        .and_then(|prepared| close(args, (prepared, closing, limit), store, shutdown, reporter))
        .map_err(about)?;
    match closed {
        Closed::Nothing => Ok(outcome.ending),
        Closed::Ended(end) => {
            let interrupted = end == ClosingEnd::Interrupted;
            reporter.closed(plan.game.root(), end);
            Ok(if interrupted { End::Interrupted } else { outcome.ending })
        }
        Closed::Failed(error) => {
            reporter.line(&format!("warning: the closing search failed: {}", error.message()));
            let left = closing.left(outcome.ending, began.elapsed());
            let later = left.map(|left| instead(args, (plan, left), store, shutdown, reporter));
            later.unwrap_or(Ok(outcome.ending))
        }
    }
}

/// Lets the tree grow in the time that a closing search has left: engines that have failed at that may well do this, as
/// they did before. Says how it ended.
fn instead(
    args: &GrowArgs,
    (plan, left): (&Plan, Duration),
    store: &mut Store,
    shutdown: &Shutdown,
    reporter: &mut Reporter,
) -> Result<End, CliError> {
    reporter.line(&format!("note: the tree has the {} that are left", time(left)));
    let settings = args.fleet.choose(&args.engine)?.0;
    let say = || reporter.line("waiting for the engine to start");
    let Some(pool) = shutdown.unless_told(move || Pool::start(&settings), say)? else {
        kill_all();
        return Ok(End::Interrupted);
    };
    let mut pool = pool?;
    let limits = RunLimits { time: Some(left), ..plan.limits };
    let plan = Plan { limits, directives: None, ..plan.clone() };
    let mut progress = InProgress::new(&pool);
    let outcome = tree((args, &plan), &mut progress, (store, &mut pool), shutdown, reporter)?;
    drop(pool);
    tell_end((args, &plan), &outcome, store, reporter);
    Ok(outcome.ending)
}

/// Says what has come out, and why there may be no more to do.
fn tell_end(
    (args, plan): (&GrowArgs, &Plan),
    outcome: &RunOutcome,
    store: &Store,
    reporter: &Reporter,
) {
    reporter.clear();
    reporter.end(outcome, store.path(), show_command(args, outcome).as_deref());
    if let Some(nothing_left) = nothing_left(plan, outcome) {
        reporter.line(&nothing_left);
    }
}

/// The tree, or a later part of it, followed by the reporter.
fn tree(
    (args, plan): (&GrowArgs, &Plan),
    progress: &mut InProgress,
    (store, engines): (&mut Store, &mut (dyn Engines + Send)),
    shutdown: &Shutdown,
    reporter: &mut Reporter,
) -> Result<RunOutcome, CliError> {
    let publisher = Publisher::new().telling_every_pass(args.verbose);
    let outcome = followed(reporter, publisher, |mut publisher| {
        let outcome = grow_on(progress, plan, store, engines, shutdown.receiver(), &mut publisher);
        publisher.end(RunEnd::of(&outcome, |outcome| outcome.ending));
        outcome
    })??;
    Ok(outcome)
}

/// Why no closing search can follow a tree in the time that is left, so that the tree goes on; nothing where one can.
fn why_not(next: Option<&(Result<Prepared, CliError>, ClosingLimit)>) -> Option<&'static str> {
    match next {
        None => Some("note: no answer in the first half of the time; the tree has the second, too"),
        Some((Ok(Prepared::NoSpeed), _)) => Some(
            "note: the engine does not say how many nodes it searches; the tree has all of the time",
        ),
        Some((Ok(Prepared::Known(_)), _)) => {
            Some("note: this tree has been searched so before; it has the rest of the time, too")
        }
        Some((Ok(Prepared::Wanted(search)), _)) if !search.fits() => {
            Some("note: too little time for a closing search of this tree; the tree has all of it")
        }
        Some(_) => None,
    }
}

/// Why a run has ended before its time, and what would go on; nothing where it has not.
fn nothing_left(plan: &Plan, outcome: &RunOutcome) -> Option<String> {
    if outcome.ending != End::Settled {
        return None;
    }
    if let Some(why) = outcome.exhausted.filter(|why| why.end_of_root().is_some()) {
        return Some(format!("nothing is left to do: {why}"));
    }
    let why = match (plan.schedule.has_stages(), outcome.exhausted) {
        (_, Some(Exhausted::Decided)) => Exhausted::Decided.to_string(),
        (true, Some(why)) => why.to_string(),
        _ if plan.limits.is_any() => format!("depth {} is complete", plan.depth),
        _ => return None,
    };
    let deeper = if plan.schedule.has_stages() { "" } else { ", or no --engine-depth," };
    Some(format!(
        "nothing is left to do: {why}; a greater --depth or --distance{deeper} would go on"
    ))
}

/// How to see what was grown, if anything was.
fn show_command(args: &GrowArgs, outcome: &RunOutcome) -> Option<String> {
    let analysis = outcome.analysis?.0.to_string();
    Some(command_line(args, &["show", "--analysis", &analysis]))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::time::Duration;

    use super::*;
    use crate::analysis::Closing as Known;
    use crate::chess::Score;
    use crate::search::Limit;

    #[test]
    fn a_tree_goes_on_where_nothing_can_follow_it() {
        let next = |prepared| (Ok(prepared), ClosingLimit::Time(Duration::from_secs(30)));
        let known = Known {
            tree_limit: Limit::Depth(10),
            passes: 3,
            limit: Limit::Nodes(1_000),
            uci: "e2e4".parse().unwrap(),
            score: Score::Cp(30),
            line: Vec::new(),
            nodes: 1_000,
            engines: 1,
        };
        let reason = |prepared| why_not(Some(&next(prepared))).unwrap_or("it follows");
        assert!(why_not(None).unwrap().starts_with("note: no answer in the first half"));
        assert!(reason(Prepared::Known(known)).starts_with("note: this tree has been searched"));
        assert!(reason(Prepared::NoSpeed).starts_with("note: the engine does not say"));
        // A finished position has no second half.
        assert_eq!(reason(Prepared::Finished), "it follows");
    }
}
