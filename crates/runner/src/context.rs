//! What the passes of a run share, and when it is written.

use std::sync::Arc;

use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::search::{Search, WorkerId};
use deepanalyze_core::tree::Growth;
use deepanalyze_engine::Engines;
use deepanalyze_store::{AnalysisId, Store, StoreError, TakenBack};
use deepanalyze_view::{Line, is_believed};

use crate::closing::ClosingBeside;
use crate::control::limits::Budget;
use crate::control::{ControlReceiver, RunTarget};
use crate::facts::{CountsLookUp, LookUp};
use crate::feed::event::{Progress, RunEvent, RunListener, Speaking};
use crate::lists::AnswerLists;
use crate::look_ahead::LookAhead;
use crate::stage::StandingVerdict;
use crate::tree_rows::{RowsWritten, TreeRows};
use crate::under_way::{Asking, SearchesUnderWay};
use crate::watched::{DirectivesSeen, UntilStable};

/// What the passes of a run share: store, engines, limits, and whom to tell.
pub struct RunContext<'a> {
    pub store: &'a mut Store,
    pub engines: &'a mut dyn Engines,
    pub budget: &'a mut Budget,
    pub control: &'a ControlReceiver,
    pub tell: &'a mut RunListener<'a>,
    /// None where the tree is not kept.
    pub analysis: Option<AnalysisId>,
    /// The verdict of the stage before, which counts until this one has come far enough.
    pub standing: Option<StandingVerdict>,
    /// The closing search that may count beside the tree.
    pub closing: Option<ClosingBeside>,
    /// The depth to settle.
    pub target: u32,
    /// How stable the verdict is, where the run is to end by it.
    pub stable: Option<UntilStable>,
    /// How engines are asked for this tree.
    pub asking: Asking,
    pub lists: AnswerLists,
    pub under_way: &'a mut SearchesUnderWay,
    /// The directives of the root, which others may change.
    pub directives: DirectivesSeen,
    /// What is known of tablebases; none where the tree does not go by them.
    pub look_up: Option<LookUp>,
    /// What is known of what people play; none where the tree knows no games.
    pub counts: Option<CountsLookUp>,
    /// How often answers had been taken back when the tree was read.
    pub taken_back: u64,
    /// Whether this run has taken some back since then: the tree is to be read again.
    pub is_void: bool,
    /// None where engines are to wait rather than guess.
    pub look_ahead: Option<LookAhead>,
    pub rows: TreeRows,
}

impl RunContext<'_> {
    /// How far the run has come with a tree. Nothing here looks at the tree itself.
    pub fn progress(&self, growth: &Growth, lines: &Arc<[Line]>) -> Progress {
        let (now, deadline) = (self.engines.now(), self.budget.deadline());
        let settled = growth.settled().last().map(|last| last.depth);
        let standing =
            self.standing.as_ref().filter(|one| !is_believed(settled, one.speaking.settled));
        let own = (lines, Speaking { limit: self.asking.limit, settled });
        let (lines, speaking) = standing.map_or(own, |one| (&one.lines, one.speaking));
        let (closing, are_own) = (self.closing.as_ref(), standing.is_none());
        Progress {
            limit: Some(self.asking.limit),
            depth: growth.depth().min(self.target),
            target: self.target,
            settled,
            passes: growth.passes(),
            positions: growth.analysed(),
            admitted: growth.searches(),
            searches: self.budget.searches(),
            nodes: self.budget.nodes(),
            waiting: 0,
            busy: self.under_way.len(),
            engines: self.engines.up(),
            elapsed: now.saturating_duration_since(self.budget.started()),
            left: deadline.map(|at| at.saturating_duration_since(now)),
            lines: Arc::clone(lines),
            speaking: Some(speaking),
            told: closing.and_then(|closing| closing.told(lines, are_own, self.budget.nodes())),
            ending: None,
        }
    }

    /// Gives a search to the engines; a guess is one that nobody waits for yet.
    pub fn start(&mut self, search: Search, is_guess: bool) {
        self.under_way.start(self.engines, self.asking, search, is_guess);
    }

    /// Waits for a position that is being searched for this tree; `false` where it is not.
    pub fn awaits(&mut self, key: PositionKey) -> bool {
        self.under_way.require(self.engines, self.asking.profile, key)
    }

    /// Takes up the target that the run was given last.
    pub fn redirect(&mut self) -> Result<(), StoreError> {
        let Some(RunTarget { depth, limits }) = self.control.target() else { return Ok(()) };
        self.budget.limit(limits);
        if depth != self.target {
            self.aim(depth)?;
            self.target = depth;
        }
        Ok(())
    }

    /// Notes in the analysis which depth is to be settled.
    fn aim(&mut self, depth: u32) -> Result<(), StoreError> {
        let Some(analysis) = self.analysis else { return Ok(()) };
        self.store.aim(analysis, depth)
    }

    /// Whether the verdict is as stable as the run wants it.
    pub fn is_stable(&self, lines: &[Line]) -> bool {
        let best = lines.first().and_then(Line::best);
        self.stable.as_ref().is_some_and(|stable| stable.is_reached(best))
    }

    /// Whether the user has changed the directives of the root since the tree was begun. Looks once in a
    /// while.
    pub fn is_directed_anew(&mut self, growth: &Growth) -> Result<bool, StoreError> {
        let now = self.engines.now();
        self.directives.have_changed(self.store, growth, self.control.times_directed(), now)
    }

    /// Takes back what a worker gave that is found wrong.
    pub fn take_back(&mut self, worker: &WorkerId, why: &str) -> Result<(), StoreError> {
        // What is not written yet is refused then.
        if let Some(TakenBack { answers: answers @ 1.., trees }) =
            self.store.take_back(worker, why)?
        {
            self.is_void = true;
            (self.tell)(RunEvent::TakenBack { answers, trees });
        }
        Ok(())
    }

    /// Turns to the answers that are there by now, before the tree is read again.
    pub fn begin_again(&mut self) -> Result<(), StoreError> {
        self.lists.forget();
        self.is_void = false;
        self.taken_back = self.store.times_taken_back()?;
        if let Some(look_ahead) = &mut self.look_ahead {
            look_ahead.forget_wants();
        }
        tell_of_disbelieved(self.store, self.engines)
    }

    /// Writes the answers, then the rows of the tree that was made of them. `false` where another
    /// run has stored other answers, or answers were taken back: the tree in memory is void then.
    pub fn save(&mut self, growth: &mut Growth) -> Result<bool, StoreError> {
        if !self.save_answers()? {
            return Ok(false);
        }
        let written = self.rows.write(self.store, growth, self.engines, self.taken_back)?;
        if written == RowsWritten::AnotherTree {
            // The target was at least what the tree before had settled.
            self.aim(self.target)?;
        }
        Ok(written != RowsWritten::Void)
    }

    /// Writes the answers alone, and the facts of tables and games, durable when this returns; `false` as above.
    pub fn save_answers(&mut self) -> Result<bool, StoreError> {
        if let Some(counts) = &mut self.counts {
            counts.save(self.store)?;
        }
        let facts = match &mut self.look_up {
            Some(look_up) => look_up.save(self.store)?,
            None => true,
        };
        Ok(self.lists.save(self.store)? && facts && !self.is_void)
    }

    /// The same where it is time to.
    pub fn save_if_due(&mut self, growth: &mut Growth) -> Result<bool, StoreError> {
        let now = self.engines.now();
        if self.lists.due().is_none_or(|due| due > now) {
            return Ok(true);
        }
        if self.rows.are_due(now) {
            return self.save(growth);
        }
        if !self.lists.settle()? {
            // The others are no part of another tree either.
            self.save_answers()?;
            return Ok(false);
        }
        self.give_answers();
        Ok(true)
    }

    /// Gives what engines have answered to the writer, and goes on.
    pub fn give_answers(&mut self) {
        self.lists.give(self.store, self.engines.now());
    }
}

/// Tells engines which workers were found wrong: of those nothing is kept.
pub(super) fn tell_of_disbelieved(
    store: &Store,
    engines: &mut dyn Engines,
) -> Result<(), StoreError> {
    for (worker, why) in store.disbelieved()? {
        engines.disbelieve(&worker, &why);
    }
    Ok(())
}
