//! The passes of a stage, served from memo and engines.

use std::sync::Arc;

use crate::context::RunContext;
use crate::feed::event::RunEvent;
use crate::outcome::{RunEnd, RunError};
use crate::pass::{Pass, TreeState};
use deepanalyze_core::tree::{Growth, Served, Server, Service, TableFacts, grow_by};
use deepanalyze_view::{Line, best_lines};

/// Why passes end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassesEnd {
    /// The run ends.
    Run(RunEnd),
    /// Another run has stored other answers than this one, or some were invalidated: the tree is to
    /// be read again.
    Overtaken,
    /// The user has changed the directives: the tree is to be grown again.
    Directed,
}

/// Why a tree is grown again from its root.
pub enum Again {
    /// The root has other directives.
    Directed,
    /// Tables know positions of it that they did not have before: it begins with these facts.
    Tables(TableFacts),
    /// Closing searches have found moves of its root that it does not follow.
    Found,
}

/// Passes until the run ends, or the tree is to be read or grown again; returns its verdict then.
/// Unless the database itself fails, all answers are in the file afterwards.
pub(super) fn passes(
    run: &mut RunContext<'_>,
    growth: &mut Growth,
    count: usize,
) -> Result<(PassesEnd, Arc<[Line]>), RunError> {
    let mut passes = Passes { run: &mut *run, count, settles: false, lines: Arc::default() };
    let grown = grow_by(growth, &mut passes);
    let lines = std::mem::take(&mut passes.lines);
    match grown {
        Ok(PassesEnd::Overtaken) => Ok((PassesEnd::Overtaken, lines)),
        Ok(stop) => Ok((if run.save(growth)? { stop } else { PassesEnd::Overtaken }, lines)),
        Err(error) if !error.is_of_writing() => match run.save(growth) {
            Ok(_) => Err(error),
            Err(save) => Err(RunError::Unsaved { error: Box::new(error), save }),
        },
        Err(error) => Err(error),
    }
}

/// The barrier between two passes: answers are durable when this returns, and so is a settled
/// depth, which is then reported. `false` if the tree is to be read again.
fn barrier(
    run: &mut RunContext<'_>,
    TreeState { growth, lines }: &mut TreeState<'_>,
    settles: bool,
) -> Result<bool, RunError> {
    if !settles {
        return Ok(run.save_answers()?);
    }
    run.rows.note_settled(growth);
    if !run.save(growth)? {
        return Ok(false);
    }
    if let Some(stable) = &mut run.stable {
        stable.settled(growth);
    }
    if let Some(settled) = growth.settled().last().copied() {
        let elapsed = run.engines.now().saturating_duration_since(run.budget.started());
        (run.tell)(RunEvent::Settled {
            settled,
            best: lines.first().cloned().map(Box::new),
            elapsed,
        });
    }
    Ok(true)
}

/// The passes of a run.
struct Passes<'r, 'w> {
    run: &'r mut RunContext<'w>,
    /// Number of lines to report.
    count: usize,
    /// True if the pass before has settled a depth.
    settles: bool,
    /// The best lines of the tree before the pass.
    lines: Arc<[Line]>,
}

impl Server for Passes<'_, '_> {
    type End = PassesEnd;
    type Error = RunError;

    fn before_pass(&mut self, growth: &mut Growth) -> Result<Option<Self::End>, RunError> {
        self.run.redirect()?;
        self.lines = best_lines(growth, self.count);
        let best = self.lines.first();
        if best.is_some() {
            self.run.budget.has_verdict();
        }
        let first = best.and_then(|best| Some((best.best()?, best.value)));
        self.run.rows.note(growth, first);
        // A depth just settled is to be kept first.
        let is_over = !self.settles && self.run.is_stable(&self.lines);
        Ok(is_over.then_some(PassesEnd::Run(RunEnd::Stable)))
    }

    fn requests(&mut self, growth: &mut Growth) -> Vec<Service> {
        if growth.depth() > self.run.target { Vec::new() } else { growth.requests() }
    }

    fn serve(
        &mut self,
        growth: &mut Growth,
        services: Vec<Service>,
    ) -> Result<Served<Self::End>, RunError> {
        let done = growth.depth() > self.run.target;
        let tree = TreeState { growth, lines: &self.lines };
        // The engines work during the write. Their answers are taken in behind the barrier.
        let mut pass = Pass::begin(self.run, tree, services)?;
        if done {
            pass.has_caught_up();
        }
        if !barrier(pass.run, &mut pass.tree, self.settles)? {
            return Ok(Served::End(PassesEnd::Overtaken));
        }
        let served = match (pass.is_stable(), done) {
            (true, _) => {
                // A tree grown again replaces the one before it.
                pass.has_caught_up();
                pass.end_settled(RunEnd::Stable)
            }
            (_, true) => pass.end_settled(RunEnd::Settled),
            _ => pass.serve(),
        };
        let served = served?;
        if let Served::Answers(services) = &served {
            self.settles = services.is_empty();
        }
        Ok(served)
    }
}
