//! The threads of the runs: one for each root that grows.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use crate::engine::{Engines, SharedEngines, Wakeup};
use crate::run::control::ControlReceiver;
use crate::run::error::RunError;
use crate::run::feed::event::RunEnd;
use crate::run::feed::progress::Observer;
use crate::run::grow::RunOutcome;
use crate::run::stages::grow;
use crate::store::{AnalysisId, Store, StoreError};

use super::item::Job;
use super::shared::Shared;

/// After this time it is tried again to grow a root that another process grows.
const ELSEWHERE: Duration = Duration::from_secs(5);

/// Makes a run in a thread of its own, and those that are wanted after it.
///
/// # Errors
///
/// Where the system gives no thread.
pub(super) fn spawn(shared: &Arc<Shared>, job: Job) -> std::io::Result<()> {
    let (shared, id) = (Arc::clone(shared), job.id);
    let name = format!("root {}", id.0);
    std::thread::Builder::new().name(name).spawn(move || work(&shared, job)).map(drop)
}

fn work(shared: &Shared, mut job: Job) {
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
            Err(_) => Some("this is a bug in deepanalyze"),
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

fn run(path: &std::path::Path, job: Job) -> Made {
    let Job { plan, control, mut publisher, mut engines, .. } = job;
    let mut make = || -> Result<RunOutcome, RunError> {
        let mut store = Store::open(path)?;
        loop {
            match grow(&plan, &mut store, &mut engines, &control, &mut publisher) {
                // Another program keeps the database locked.
                Err(RunError::Store(error)) if error.is_busy() && !control.is_told_to_end() => {
                    publisher.waiting(&error.to_string());
                }
                result => return result,
            }
        }
    };
    let result = make();
    publisher.end(RunEnd::of(&result, |outcome| outcome.ending));
    Made { result, engines, control }
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

impl Shared {
    /// Takes in what a run of a root has come to, and keeps that it is done.
    fn concluded(&self, id: AnalysisId, depth: u32, result: &Result<RunOutcome, RunError>) {
        let mut store = self.store();
        let mut state = self.state();
        let Some(item) = state.item(id) else {
            return;
        };
        item.conclude(depth, result);
        let row = item.is_done().then(|| item.row());
        drop(state);
        if let Some(Err(error)) = row.map(|row| store.put_on_agenda(&row)) {
            // The next start finds out again that it is done.
            tracing::warn!(%error, analysis = id.0, "the end of a run is not kept");
        }
        drop(store);
        self.wakers.wake();
    }

    /// The next run of a root, where one is wanted; otherwise its thread ends.
    fn next(&self, id: AnalysisId, failed: Option<&str>) -> Option<Job> {
        let mut state = self.state();
        let is_ending = state.is_ending;
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
