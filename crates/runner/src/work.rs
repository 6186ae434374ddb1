//! Resources of a run.

use deepanalyze_core::search::{Answer, Search, WorkerId};
use deepanalyze_engine::Engines;
use deepanalyze_store::{AnalysisId, NewAnswer, Store, StoreError};

use crate::control::ControlReceiver;
use crate::control::limits::{Budget, RunLimits};
use crate::feed::event::RunListener;
use crate::recheck::MovesUnderWay;
use crate::under_way::SearchesUnderWay;

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
