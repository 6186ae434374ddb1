//! `deepanalyze grow` on a single position: its tree, and the closing search behind it.

use std::time::{Duration, Instant};

use crate::error::CliError;
use crate::progress::{Reporter, followed, time};
use deepanalyze_core::search::Profile;
use deepanalyze_engine::{Engines, Pool, kill_all};
use deepanalyze_report::{RootNotes, RootSummary, Stages, with_tables};
use deepanalyze_runner::{
    ClosingLimit, Exhausted, InProgress, Plan, Prepared, RunEnd, RunFeed, RunLimits, RunOutcome,
    RunWork, Shutdown, grow_on,
};
use deepanalyze_store::{Store, StoreError};

use super::args::GrowArgs;
use super::closing::{ClosingEnd, ClosingPlan};
use super::command_line;

/// A run on a single position.
pub struct SingleRun<'a> {
    /// What was asked for.
    pub args: &'a GrowArgs,
    /// The tree's part of it.
    pub plan: &'a Plan,
    /// What follows the tree.
    pub closing: ClosingPlan,
    /// Where all of it is kept.
    pub store: &'a mut Store,
    /// What ends it.
    pub shutdown: &'a Shutdown,
    /// Who tells of it.
    pub reporter: &'a mut Reporter,
}

/// A closing search that is to be made, and how much.
type NextClosing = (Result<Prepared, CliError>, ClosingLimit);

impl SingleRun<'_> {
    /// Grows the tree and makes the closing search, where one is to follow and the run has come to its own
    /// end. Says how all of it ended.
    pub fn grow_and_close(
        mut self,
        mut engines: Box<dyn Engines + Send>,
    ) -> Result<RunEnd, CliError> {
        let began = Instant::now();
        let (plan, closing) = (self.plan, self.closing);
        let mut progress = InProgress::new(&*engines);
        let mut outcome = self.tree(plan, &mut progress, &mut *engines)?;
        let is_overrun = closing.is_overrun(outcome.ending, outcome.elapsed);
        let mut next = self.next(&outcome);
        if let (ClosingPlan::InTime(whole), Some(_)) =
            (closing, closing.left(outcome.ending, outcome.elapsed))
            && let Some(why) = why_not(next.as_ref())
        {
            self.reporter.line(why);
            next = None;
            let later = self.tree(&rest(plan, whole), &mut progress, &mut *engines)?;
            outcome = later.instead_of(&outcome);
        }
        drop(engines);
        self.tell_end(plan, &outcome);
        if is_overrun {
            let note = "note: the tree has taken all of the time; there is no closing search";
            self.reporter.line(note);
        }
        match next {
            Some(next) => self.close(next, outcome.ending, began),
            None => Ok(outcome.ending),
        }
    }

    /// The tree, or a later part of it, followed by the reporter.
    fn tree(
        &mut self,
        plan: &Plan,
        progress: &mut InProgress,
        engines: &mut (dyn Engines + Send),
    ) -> Result<RunOutcome, CliError> {
        let feed = RunFeed::default().telling_every_pass(self.args.verbose);
        let (store, control) = (&mut *self.store, self.shutdown.receiver());
        let outcome = followed(
            self.reporter,
            &feed,
            |outcome: &RunOutcome| outcome.ending,
            |tell| grow_on(plan, RunWork { store, engines, control, tell, progress }),
        )??;
        Ok(outcome)
    }

    /// The closing search that follows a tree, if any.
    fn next(&self, outcome: &RunOutcome) -> Option<NextClosing> {
        let wanted = self.closing.wanted(outcome.ending, outcome.elapsed);
        outcome
            .analysis
            .zip(wanted)
            .map(|(analysis, limit)| (self.prepared(analysis, limit), limit))
    }

    /// Makes the closing search of a tree that has ended so. Says how the run ended.
    fn close(
        mut self,
        (prepared, limit): NextClosing,
        ending: RunEnd,
        began: Instant,
    ) -> Result<RunEnd, CliError> {
        let closing = self.closing;
        let closed = prepared.and_then(|prepared| self.make_closing(prepared, limit));
        let failed =
            |error: CliError| error.about("the tree is kept, but the closing search failed");
        match closed.map_err(failed)? {
            ClosingEnd::Ended(outcome) => {
                self.reporter.closed(self.plan.game.root(), &outcome);
                self.tell_verdict()?;
                let is_interrupted = outcome.ending == RunEnd::Interrupted;
                Ok(if is_interrupted { RunEnd::Interrupted } else { ending })
            }
            ClosingEnd::Failed(error) => {
                let warning = format!("warning: the closing search failed: {}", error.message());
                self.reporter.line(&warning);
                let left = closing.left(ending, began.elapsed());
                left.map_or(Ok(ending), |left| self.grow_instead(left))
            }
        }
    }

    /// Lets the tree grow in the time that a closing search has left: engines that have failed at that may well do
    /// this, as they did before. Says how it ended.
    fn grow_instead(&mut self, left: Duration) -> Result<RunEnd, CliError> {
        self.reporter.line(&format!("note: the tree has the {} that are left", time(left)));
        let settings = self.args.fleet.choose(&self.args.engine)?.0;
        let say = || self.reporter.line("waiting for the engine to start");
        let Some(pool) = self.shutdown.unless_told(move || Pool::start(&settings), say)? else {
            kill_all();
            return Ok(RunEnd::Interrupted);
        };
        let mut pool = pool?;
        let plan = rest(self.plan, left);
        let outcome = self.tree(&plan, &mut InProgress::new(&pool), &mut pool)?;
        drop(pool);
        self.tell_end(&plan, &outcome);
        Ok(outcome.ending)
    }

    /// Says which move counts by now, the tree's or the closing search's.
    fn tell_verdict(&self) -> Result<(), CliError> {
        let (store, game) = (&*self.store, &self.plan.game);
        let Some(row) = store.analyses_of(game)?.into_iter().next() else { return Ok(()) };
        let stages = Stages::of(store, row)?;
        let root = RootSummary::of(store, &stages, &RootNotes::read(store)?)?;
        if let Some(told) = root.and_then(|root| root.told) {
            self.reporter.told(game.root(), &told);
        }
        Ok(())
    }

    /// Says what has come out, and why there may be no more to do.
    fn tell_end(&self, plan: &Plan, outcome: &RunOutcome) {
        let reporter = &self.reporter;
        reporter.clear();
        let show = show_command(self.args, outcome);
        reporter.end(outcome, self.store.path(), show.as_deref());
        if let Some(nothing_left) = nothing_left(plan, outcome) {
            reporter.line(&nothing_left);
        }
    }
}

/// A plan that goes on for so long. The directives of a file are the root's by now, and those that were given since count.
fn rest(plan: &Plan, time: Duration) -> Plan {
    let limits = RunLimits { time: Some(time), ..plan.limits };
    Plan { limits, directives: None, ..plan.clone() }
}

/// Why no closing search can follow a tree in the time that is left, so that the tree goes on; nothing where one can.
fn why_not(next: Option<&NextClosing>) -> Option<&'static str> {
    match next {
        None => Some("note: no answer in the first half of the time; the tree has the second, too"),
        Some((Ok(Prepared::NoSpeed), _)) => Some(
            "note: the engine does not say how many nodes it searches; the tree has all of the time",
        ),
        Some((Ok(Prepared::Known(_)), _)) => {
            Some("note: this tree has been searched so before; it has the rest of the time, too")
        }
        Some((Ok(Prepared::Wanted(search)), _)) if !search.fits => {
            Some("note: too little time for a closing search of this tree; the tree has all of it")
        }
        Some(_) => None,
    }
}

/// Why a run has ended before its time, and what would go on; nothing where it has not.
fn nothing_left(plan: &Plan, outcome: &RunOutcome) -> Option<String> {
    if outcome.ending != RunEnd::Settled {
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

/// Says so where the root has an analysis that goes by endgame tables, and the run begins one beside it that differs
/// in nothing else.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn begins_another(
    store: &Store,
    plan: &Plan,
    profile: &Profile,
) -> Result<Option<String>, StoreError> {
    let profile = Profile { limit: plan.schedule.first(), ..profile.clone() };
    let own = plan.tables.as_ref().map(|used| used.tables);
    let mut alike = store.analyses_of(&plan.game)?;
    alike.retain(|row| row.profile == profile && row.breadth == plan.breadth);
    if alike.iter().any(|row| row.tables == own) {
        return Ok(None);
    }
    let by_tables = alike.into_iter().find(|row| row.tables.is_some());
    Ok(by_tables.map(|row| {
        let tables = with_tables(row.tables);
        let tables = tables.trim_start_matches(", ");
        format!("note: analysis {} of this root goes by {tables}; this is another one", row.id.0)
    }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::time::Duration;

    use super::*;
    use deepanalyze_core::chess::Score;
    use deepanalyze_core::search::Limit;
    use deepanalyze_report::{Closing as Known, ClosingAsked, ClosingMove, NamedMove};

    #[test]
    fn a_tree_goes_on_where_nothing_can_follow_it() {
        let next = |prepared| (Ok(prepared), ClosingLimit::Time(Duration::from_secs(30)));
        let (tree_limit, limit) = (Limit::Depth(10), Limit::Nodes(1_000));
        let asked = ClosingAsked { tree_limit, passes: 3, limit, engines: 1 };
        let named = NamedMove { uci: "e2e4".parse().unwrap(), san: "e4".to_owned() };
        let best = ClosingMove { named, score: Score::Cp(30), line: Vec::new() };
        let known = Known { asked, best, others: Vec::new(), nodes: 1_000 };
        let reason = |prepared| why_not(Some(&next(prepared))).unwrap_or("it follows");
        assert!(why_not(None).unwrap().starts_with("note: no answer in the first half"));
        assert!(reason(Prepared::Known(known)).starts_with("note: this tree has been searched"));
        assert!(reason(Prepared::NoSpeed).starts_with("note: the engine does not say"));
        // A finished position has no second half.
        assert_eq!(reason(Prepared::Finished), "it follows");
    }
}
