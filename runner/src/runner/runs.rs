//! The threads of the runs: one for each root that grows.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use crate::control::ControlReceiver;
use crate::error::RunError;
use crate::feed::BUG;
use crate::outcome::RunOutcome;
use crate::stages::grow;
use deepanalyze_engine::{Engines, SharedEngines, Wakeup};
use deepanalyze_store::{AgendaRow, AnalysisId, Store, StoreError};

use super::root::{RootJob, RunnerRoot};
use super::shared::RunnerShared;

/// After this time it is tried again to grow a root that another process grows.
const ELSEWHERE: Duration = Duration::from_secs(5);

/// Makes a run in a thread of its own, and those that are wanted after it.
///
/// # Errors
///
/// Where the system gives no thread.
pub(super) fn spawn(shared: &Arc<RunnerShared>, job: RootJob) -> std::io::Result<()> {
    let (shared, id) = (Arc::clone(shared), job.id);
    let name = format!("root {}", id.0);
    std::thread::Builder::new().name(name).spawn(move || work(&shared, job)).map(drop)
}

fn work(shared: &RunnerShared, mut job: RootJob) {
    loop {
        let (id, depth) = (job.id, job.plan.depth);
        let path = shared.path.clone();
        let is_over = match catch_unwind(AssertUnwindSafe(|| run(&path, job))) {
            Ok(Made { result, mut engines, control }) => {
                shared.concluded(id, depth, &result);
                if is_elsewhere(&result) {
                    rest(&mut engines, &control);
                }
                None
            }
            Err(_) => Some(BUG),
        };
        match shared.next(id, is_over) {
            Some(next) => job = next,
            None => return,
        }
    }
}

/// A run that was made.
struct Made {
    result: Result<RunOutcome, RunError>,
    engines: SharedEngines,
    control: ControlReceiver,
}

fn run(path: &std::path::Path, job: RootJob) -> Made {
    let RootJob { plan, control, feed, mut engines, .. } = job;
    let result = feed.tell_of(
        |outcome: &RunOutcome| outcome.ending,
        |tell| {
            let mut store = Store::open_with(path, feed.patience(&control))?;
            grow(&plan, &mut store, &mut engines, &control, tell)
        },
    );
    Made { result, engines, control }
}

/// Whether the root has other directives by now than those that its tree was grown with.
fn is_directed(store: &Store, outcome: &RunOutcome) -> Result<bool, StoreError> {
    let Some(analysis) = outcome.analysis else {
        return Ok(false);
    };
    let game = store.analysis(analysis)?.and_then(|row| row.game());
    let Some(game) = game else {
        return Ok(false);
    };
    Ok(store.directives(&game)?.of_tree() != store.grown_with(analysis)?)
}

fn is_elsewhere(result: &Result<RunOutcome, RunError>) -> bool {
    matches!(result, Err(RunError::Store(StoreError::Growing { .. })))
}

/// Waits a while, unless the run is to end.
fn rest(engines: &mut SharedEngines, control: &ControlReceiver) {
    let until = engines.now() + ELSEWHERE;
    while !control.is_told_to_end() {
        if matches!(engines.wait(control.wake(), Some(until)), Wakeup::Time) {
            return;
        }
    }
}

impl RunnerShared {
    /// Takes in what a run of a root has come to, and keeps that it is done.
    pub(super) fn concluded(
        &self,
        id: AnalysisId,
        depth: u32,
        result: &Result<RunOutcome, RunError>,
    ) {
        let mut store = self.store();
        let mut state = self.state();
        let Some(item) = state.item(id) else {
            return;
        };
        item.conclude(depth, result);
        let row = item.is_done().then(|| item.row());
        drop(state);
        if let (Some(row), Ok(outcome)) = (row, result) {
            self.keep_done(&mut store, &row, outcome);
        }
        drop(store);
        self.wakers.wake();
    }

    /// Keeps that a root is done, unless there were other directives while its run ended: who gives any after
    /// it was said to be done begins another run.
    fn keep_done(&self, store: &mut Store, row: &AgendaRow, outcome: &RunOutcome) {
        let kept = is_directed(store, outcome).and_then(|is_directed| {
            if is_directed {
                self.state().item(row.analysis).into_iter().for_each(RunnerRoot::reopen);
                return Ok(());
            }
            store.put_on_agenda(row)
        });
        if let Err(error) = kept {
            // The next start finds out again that it is done.
            tracing::warn!(%error, analysis = row.analysis.0, "the end of a run is not kept");
        }
    }

    /// The next run of a root, where one is wanted; otherwise its thread ends.
    fn next(&self, id: AnalysisId, failed: Option<&str>) -> Option<RootJob> {
        let mut state = self.state();
        let is_ending = self.crew.is_ending();
        let item = state.item(id)?;
        if let Some(why) = failed {
            item.fail(why.to_owned());
        }
        let next = (item.wants_run() && !is_ending).then(|| self.begin(item)).flatten();
        if next.is_none() {
            item.control = None;
            self.has_ended.notify_all();
        }
        drop(state);
        self.wakers.wake();
        next
    }
}
