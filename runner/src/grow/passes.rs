//! The passes of a stage, served from memo and engines.

use crate::context::RunContext;
use crate::error::RunError;
use crate::pass::{Pass, PassEnd, TreeState};
use deepanalyze_core::tree::{Growth, Served, Server, Service, grow_by};
use deepanalyze_report::{BestLines, LinesTold};

use super::End;

/// Why passes have ended.
pub(super) enum Ended {
    /// The run ends.
    Run(End, BestLines),
    /// Another run has stored other answers, or some were taken back: the tree is to be read again.
    Overtaken,
    /// The tree is to be grown again under other directives.
    Directed,
}

/// Passes until the run ends, or the tree is to be read or grown again. Whatever ends it but the database
/// itself, all that was answered is in the file afterwards.
pub(super) fn passes(
    run: &mut RunContext<'_>,
    growth: &mut Growth,
    told: LinesTold,
) -> Result<Ended, RunError> {
    match grow_by(growth, &mut Passes { run, told, settles: false, lines: BestLines::default() }) {
        Ok(Ended::Overtaken) => Ok(Ended::Overtaken),
        Ok(end) => Ok(if run.save(growth)? { end } else { Ended::Overtaken }),
        Err(error) if !error.is_of_writing() => match run.save(growth) {
            Ok(_) => Err(error),
            Err(save) => Err(RunError::Unsaved { error: Box::new(error), save }),
        },
        Err(error) => Err(error),
    }
}

/// The passes of a run.
struct Passes<'r, 'w> {
    run: &'r mut RunContext<'w>,
    told: LinesTold,
    /// Whether the pass before has settled a depth.
    settles: bool,
    /// What the tree says before the pass.
    lines: BestLines,
}

impl Server for Passes<'_, '_> {
    type End = Ended;
    type Error = RunError;

    fn before_pass(&mut self, growth: &mut Growth) -> Result<Option<Self::End>, RunError> {
        self.run.redirect()?;
        self.lines = BestLines::of(growth, self.told);
        self.run.rows.note(growth, self.lines.best.as_deref());
        // Where a depth has just been settled, it is to be kept first.
        let is_over = !self.settles && self.run.is_stable(&self.lines);
        Ok(is_over.then(|| Ended::Run(End::Stable, std::mem::take(&mut self.lines))))
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
        // The engines work while the pass before is written. What they answer is taken in later.
        let mut pass = Pass::begin(self.run, tree, services)?;
        if done {
            pass.has_caught_up();
        }
        if !pass.save_answers()? || self.settles && !pass.save_settled()? {
            return Ok(Served::End(Ended::Overtaken));
        }
        let served = match (pass.is_stable(), done) {
            (true, _) => {
                // A tree that was grown again takes the place of the one before it.
                pass.has_caught_up();
                pass.end_settled(End::Stable)
            }
            (_, true) => pass.end_settled(End::Settled),
            _ => pass.serve(),
        };
        let end = match served? {
            PassEnd::Served(services) => {
                self.settles = services.is_empty();
                return Ok(Served::Answers(services));
            }
            PassEnd::Ended(end) => Ended::Run(end, std::mem::take(&mut self.lines)),
            PassEnd::Overtaken => Ended::Overtaken,
            PassEnd::Directed => Ended::Directed,
        };
        Ok(Served::End(end))
    }
}
