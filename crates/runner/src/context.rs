//! Resources of a run, the state shared by its passes, and when it is written.

use std::sync::Arc;

use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::search::{Answer, Search, WorkerId};
use deepanalyze_core::tree::Growth;
use deepanalyze_engine::Engines;
use deepanalyze_store::{AnalysisId, Invalidated, NewAnswer, Store, StoreError};
use deepanalyze_view::{Line, is_believed};

use crate::closing::StoredClosing;
use crate::control::limits::{Budget, RunLimits};
use crate::control::{ControlReceiver, RunTarget};
use crate::facts::{CountsLookUp, LookUp};
use crate::feed::event::{Progress, RunEvent, RunListener, Speaking};
use crate::lists::AnswerLists;
use crate::look_ahead::LookAhead;
use crate::outcome::RunOutcome;
use crate::recheck::MovesUnderWay;
use crate::tree_rows::{RowsWritten, TreeRows};
use crate::under_way::{Asking, SearchesUnderWay};
use crate::watched::{DirectivesSeen, UntilStable};

/// State shared by the passes of a run: store, engines, limits, listener.
pub struct RunContext<'a> {
    pub store: &'a mut Store,
    pub engines: &'a mut dyn Engines,
    pub budget: &'a mut Budget,
    pub control: &'a ControlReceiver,
    pub tell: &'a mut RunListener<'a>,
    /// `None` if the tree is not kept.
    pub analysis: Option<AnalysisId>,
    /// The outcome of the stage before, whose verdict counts until this one has come far enough.
    pub standing: Option<&'a RunOutcome>,
    /// The closing search that may count beside the tree.
    pub closing: Option<StoredClosing>,
    /// The depth to settle.
    pub target: u32,
    /// How stable the verdict is, if that may end the run.
    pub stable: Option<UntilStable>,
    /// How engines are asked for this tree.
    pub asking: Asking,
    pub lists: AnswerLists,
    pub under_way: &'a mut SearchesUnderWay,
    /// The directives of the root, which others may change.
    pub directives: DirectivesSeen,
    /// Known tablebase facts; `None` if the tree does not use tablebases.
    pub look_up: Option<LookUp>,
    /// Known move counts; `None` if the tree knows no games.
    pub counts: Option<CountsLookUp>,
    /// Number of invalidations of answers when the tree was read.
    pub invalidations: u64,
    /// True if this run has invalidated some since: the tree is to be read again.
    pub is_void: bool,
    /// `None` if engines are to wait rather than guess.
    pub look_ahead: Option<LookAhead>,
    pub rows: TreeRows,
}

impl RunContext<'_> {
    /// The run's progress with a tree. Does not walk the tree.
    pub fn progress(&self, growth: &Growth, lines: &Arc<[Line]>) -> Progress {
        let (now, deadline) = (self.engines.now(), self.budget.deadline());
        let settled = growth.settled().last().map(|last| last.depth);
        let standing = self.standing.filter(|one| !is_believed(settled, one.settled_depth));
        let own = (lines, Speaking { limit: self.asking.limit, settled });
        let (lines, speaking) = standing.map_or(own, |one| (&one.lines, one.speaking()));
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

    /// Gives a search to the engines; a guess is one not needed yet.
    pub fn start(&mut self, search: Search, is_guess: bool) {
        self.under_way.start(self.engines, self.asking, search, is_guess);
    }

    /// Marks the running search of a position as needed by this tree; `false` without one.
    pub fn awaits(&mut self, key: PositionKey) -> bool {
        self.under_way.require(self.engines, self.asking.profile, key)
    }

    /// Applies the run's latest target.
    pub fn redirect(&mut self) -> Result<(), StoreError> {
        let Some(RunTarget { depth, limits }) = self.control.target() else { return Ok(()) };
        self.budget.limit(limits);
        if depth != self.target {
            self.aim(depth)?;
            self.target = depth;
        }
        Ok(())
    }

    /// Records in the analysis the depth to settle.
    fn aim(&mut self, depth: u32) -> Result<(), StoreError> {
        let Some(analysis) = self.analysis else { return Ok(()) };
        self.store.aim(analysis, depth)
    }

    /// True if the verdict is as stable as the run wants it.
    pub fn is_stable(&self, lines: &[Line]) -> bool {
        let best = lines.first().and_then(Line::best);
        self.stable.as_ref().is_some_and(|stable| stable.is_reached(best))
    }

    /// True if the user has changed the directives of the root since the tree was begun. Polls at
    /// intervals.
    pub fn is_directed_anew(&mut self, growth: &Growth) -> Result<bool, StoreError> {
        let now = self.engines.now();
        self.directives.have_changed(self.store, growth, self.control.times_directed(), now)
    }

    /// Invalidates the answers of a worker found wrong.
    pub fn invalidate(&mut self, worker: &WorkerId, why: &str) -> Result<(), StoreError> {
        // Unwritten answers are refused later.
        if let Some(Invalidated { answers: answers @ 1.., trees }) =
            self.store.invalidate(worker, why)?
        {
            self.is_void = true;
            (self.tell)(RunEvent::Invalidated { answers, trees });
        }
        Ok(())
    }

    /// Moves on to the present answers, before the tree is read again.
    pub fn begin_again(&mut self) -> Result<(), StoreError> {
        self.lists.forget();
        self.is_void = false;
        self.invalidations = self.store.invalidations()?;
        if let Some(look_ahead) = &mut self.look_ahead {
            look_ahead.forget_wants();
        }
        quarantine_workers(self.store, self.engines)
    }

    /// Writes the answers, then the rows of the tree made of them. `false` if another run has
    /// stored other answers, or answers were invalidated: the tree in memory is void then.
    pub fn save(&mut self, growth: &mut Growth) -> Result<bool, StoreError> {
        if !self.save_answers()? {
            return Ok(false);
        }
        let written = self.rows.write(self.store, growth, self.engines, self.invalidations)?;
        if written == RowsWritten::AnotherTree {
            // The target was at least what the tree before had settled.
            self.aim(self.target)?;
        }
        Ok(written != RowsWritten::Void)
    }

    /// Writes the answers alone, and the facts of tables and games, durable when this returns;
    /// `false` as above.
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

    /// [`Self::save`] when due.
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

    /// Gives the engines' answers to the writer without waiting.
    pub fn give_answers(&mut self) {
        self.lists.give(self.store, self.engines.now());
    }
}

/// Tells engines which workers are quarantined: their answers are dropped.
pub(super) fn quarantine_workers(
    store: &Store,
    engines: &mut dyn Engines,
) -> Result<(), StoreError> {
    for (worker, why) in store.invalidated()? {
        engines.quarantine(&worker, &why);
    }
    Ok(())
}

/// A run's spending so far, and its running searches: its next part goes on with both.
#[derive(Debug)]
pub struct InProgress {
    pub(crate) budget: Budget,
    pub(crate) under_way: SearchesUnderWay,
    /// Searches of single moves, and the analysis they are made for now.
    pub(crate) moves: MovesUnderWay,
    pub(crate) rechecked: Option<AnalysisId>,
}

/// The store, the engines, and the ways in and out of a run.
pub struct RunWork<'a> {
    /// The database.
    pub store: &'a mut Store,
    /// The engines.
    pub engines: &'a mut dyn Engines,
    /// Run control.
    pub control: &'a ControlReceiver,
    /// Event listener.
    pub tell: &'a mut RunListener<'a>,
    /// Its budget and its searches.
    pub progress: InProgress,
}

impl<'a> RunWork<'a> {
    /// For a run that begins now.
    pub fn new(
        store: &'a mut Store,
        engines: &'a mut dyn Engines,
        control: &'a ControlReceiver,
        tell: &'a mut RunListener<'a>,
    ) -> RunWork<'a> {
        let progress = InProgress {
            budget: Budget::new(RunLimits::default(), engines.now()),
            under_way: SearchesUnderWay::default(),
            moves: MovesUnderWay::default(),
            rechecked: None,
        };
        RunWork { store, engines, control, tell, progress }
    }

    /// Keeps the answer of a search left running by a tree.
    pub(crate) fn keep_left_running(
        &mut self,
        ticket: u64,
        answer: Answer,
        worker: Option<WorkerId>,
    ) -> Result<(), StoreError> {
        let Some(ended) = self.progress.under_way.finish(ticket) else { return Ok(()) };
        let Search { position, excluded } = ended.search;
        self.progress.budget.spend(answer.nodes, !ended.of_earlier_root);
        let new = NewAnswer { position, excluded, answer, worker };
        self.store.keep(ended.profile, &[new]).map(drop)
    }
}
