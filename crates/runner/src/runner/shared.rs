//! State that all copies of a runner and its threads share, and the threads: one per growing root.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::control::limits::RunLimits;
use crate::control::{ControlReceiver, Wakers};
use crate::feed::{BUG, RunFeed};
use crate::job::Job;
use crate::outcome::{RunError, RunOutcome, RunnerError};
use crate::queue::grow;
use crate::recheck::{RecheckOutcome, RecheckPlan, RecheckRoot, recheck};
use deepanalyze_core::chess::{Game, Tables};
use deepanalyze_engine::{Engines, RunKey, SharedEngines, Wakeup};
use deepanalyze_store::{AgendaRow, AnalysisId, Store, StoreError};

use super::crew::{Crew, lock};
use super::root::{RecheckAsked, RootRun, RootWork, RunnerRoot, RunnerSettings};

/// Wait at the end for runs with nothing to keep yet.
const READING: Duration = Duration::from_secs(1);

/// Lock order: `store`, then `state`.
#[derive(Debug)]
pub(super) struct RunnerShared {
    pub(super) path: PathBuf,
    pub(super) settings: RunnerSettings,
    /// For the user's wishes; runs have stores of their own.
    store: Mutex<Store>,
    /// Needed to set `crew` to ending.
    state: Mutex<RunnerState>,
    /// Notified when a root's thread has ended, or a root is no longer leaving.
    pub(super) has_ended: Condvar,
    pub(super) crew: Crew,
    pub(super) wakers: Wakers,
}

/// Roots of one turn that grow at once.
const AT_ONCE: usize = 4;

/// The agenda.
#[derive(Debug, Default)]
pub(super) struct RunnerState {
    /// In the order of the agenda.
    pub(super) items: Vec<RunnerRoot>,
    /// End of the wait for runs with nothing to keep.
    patience: Option<Instant>,
}

impl RunnerState {
    pub(super) fn item(&mut self, id: AnalysisId) -> Option<&mut RunnerRoot> {
        self.items.iter_mut().find(|item| item.wish.analysis == id)
    }

    /// True if a root waits for no other of its turn.
    pub(super) fn is_its_turn(&self, id: AnalysisId) -> bool {
        let item = self.items.iter().find(|item| item.wish.analysis == id);
        let Some(turn) = item.and_then(|item| item.wish.turn) else { return true };
        let of_turn = self.items.iter().filter(|item| item.wish.turn == Some(turn));
        of_turn.filter(|item| item.control.is_some()).count() < AT_ONCE
    }

    /// The first root of a turn that waits for others.
    fn next_of_turn(&self, turn: i64) -> Option<AnalysisId> {
        let waits = |item: &&RunnerRoot| {
            item.wish.turn == Some(turn) && item.control.is_none() && item.wants_run()
        };
        self.items.iter().find(waits).map(|item| item.wish.analysis)
    }

    /// A root that is not leaving.
    pub(super) fn standing(&mut self, id: AnalysisId) -> Result<&mut RunnerRoot, RunnerError> {
        let item = self.item(id).filter(|item| !item.is_leaving);
        item.ok_or(RunnerError::Unknown(id))
    }
}

impl RunnerShared {
    pub(super) fn new(
        store: Store,
        crew: Crew,
        settings: RunnerSettings,
        wakers: Wakers,
    ) -> RunnerShared {
        RunnerShared {
            path: store.path().to_owned(),
            settings,
            store: Mutex::new(store),
            state: Mutex::default(),
            has_ended: Condvar::new(),
            crew,
            wakers,
        }
    }

    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        lock(&self.store)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, RunnerState> {
        lock(&self.state)
    }

    /// The tablebases for new trees here.
    pub(super) fn tables(&self) -> Option<Tables> {
        self.settings.tables.as_ref().map(|used| used.tables)
    }

    /// Begins a run of a root.
    pub(super) fn begin(&self, item: &mut RunnerRoot) -> Option<RootRun> {
        let engines = self.crew.join(RunKey(item.wish.analysis.0), item.wish.weight)?;
        Some(item.begin(engines, &self.settings, &self.wakers))
    }

    /// Begins the run that a root wants and lacks, unless everything ends.
    pub(super) fn begin_wanted(
        self: &Arc<RunnerShared>,
        state: &mut RunnerState,
        id: AnalysisId,
    ) -> std::io::Result<()> {
        let is_held = self.crew.is_ending() || !state.is_its_turn(id);
        let may_begin =
            |item: &&mut RunnerRoot| !is_held && item.control.is_none() && item.wants_run();
        let Some(item) = state.item(id).filter(may_begin) else {
            return Ok(());
        };
        let Some(run) = self.begin(item) else {
            return Ok(());
        };
        spawn(self, run).inspect_err(|error| {
            item.control = None;
            item.fail(format!("cannot start a thread: {error}"));
        })
    }

    /// Trees of some roots are now empty: done roots grow again, and are soon done if theirs are
    /// whole.
    pub(super) fn reopen_all(self: &Arc<RunnerShared>) {
        let mut state = self.state();
        let done = state.items.iter_mut().filter(|item| item.is_done());
        let done: Vec<AnalysisId> = done
            .map(|item| {
                item.reopen();
                item.wish.analysis
            })
            .collect();
        for id in done {
            if let Err(error) = self.begin_wanted(&mut state, id) {
                tracing::warn!(%error, analysis = id.0, "not grown again");
            }
        }
        drop(state);
        self.wakers.wake();
    }

    /// Ends the run of a root, and waits for its thread; no other begins before it is released.
    pub(super) fn clear(&self, id: AnalysisId) -> Result<(), RunnerError> {
        let mut state = self.state();
        let item = state.standing(id)?;
        item.is_leaving = true;
        item.control.iter().for_each(|control| control.end());
        while state.item(id).is_some_and(|item| item.control.is_some()) {
            state = self.has_ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }

    /// Waits while a root of this game is leaving, or changing stage.
    pub(super) fn wait_for_leaving(&self, game: &Game) {
        let is_leaving = |state: &mut RunnerState| {
            state.items.iter().any(|item| item.is_leaving && item.is_of(game))
        };
        drop(self.has_ended.wait_while(self.state(), is_leaving));
    }

    /// Announces that a root has gone, or stays.
    pub(super) fn has_left(&self) {
        self.has_ended.notify_all();
        self.wakers.wake();
    }

    /// Ends all runs and the engines. A run still reading its tree has nothing to keep: it is
    /// waited for a second, and ends by itself.
    pub(super) fn end(&self) {
        let mut state = self.state();
        self.crew.set_ending();
        let until = *state.patience.get_or_insert_with(|| Instant::now() + READING);
        for control in state.items.iter().filter_map(|item| item.control.as_ref()) {
            control.end();
        }
        while state.items.iter().any(|item| item.control.is_some()) {
            let left = until.saturating_duration_since(Instant::now());
            let mut running = state.items.iter().filter(|item| item.control.is_some());
            if left.is_zero() && running.all(RunnerRoot::is_reading) {
                break;
            }
            // A run with something to keep is waited for without limit.
            let most = if left.is_zero() { READING } else { left };
            let waited = self.has_ended.wait_timeout(state, most);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        self.crew.dismiss();
        self.store().leave_short();
        self.wakers.wake();
    }
}

/// Pause before retrying a root that another process grows.
const ELSEWHERE: Duration = Duration::from_secs(5);

/// Makes a run in a thread of its own, then those wanted after it.
///
/// # Errors
///
/// If the system gives no thread.
pub(super) fn spawn(shared: &Arc<RunnerShared>, run: RootRun) -> std::io::Result<()> {
    let (shared, id) = (Arc::clone(shared), run.id);
    let name = format!("root {}", id.0);
    std::thread::Builder::new().name(name).spawn(move || work(&shared, run)).map(drop)
}

fn work(shared: &Arc<RunnerShared>, mut run: RootRun) {
    loop {
        let id = run.id;
        let failed = catch_unwind(AssertUnwindSafe(|| shared.make(run))).err().map(|_| BUG);
        match shared.next(id, failed) {
            Some(next) => run = next,
            None => return,
        }
    }
}

/// True if the root's directives differ from those its tree was grown with.
fn is_directed(store: &Store, outcome: &RunOutcome) -> Result<bool, StoreError> {
    let Some(analysis) = outcome.analysis else {
        return Ok(false);
    };
    let game = store.analysis(analysis)?.and_then(|row| row.game());
    let Some(game) = game else {
        return Ok(false);
    };
    store.is_pending(analysis, &store.directives(&game)?)
}

/// Keeps the wishes for a root.
fn keep(store: &mut Store, row: &AgendaRow) {
    told_if_not(store.put_on_agenda(row), row);
}

/// Logs the error: the next start finds out again.
fn told_if_not(kept: Result<(), StoreError>, row: &AgendaRow) {
    if let Err(error) = kept {
        tracing::warn!(%error, analysis = row.analysis.0, "the end of a run is not kept");
    }
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
    fn make(&self, run: RootRun) {
        let RootRun { id, work, control, feed, engines } = run;
        match work {
            RootWork::Grow(job) => self.grow(id, &job, &control, &feed, engines),
            RootWork::Recheck(asked) => self.recheck(id, asked, &control, &feed, engines),
        }
    }

    /// Asks leaves of a tree again. The result is kept with the tree; the root does not change.
    fn recheck(
        &self,
        id: AnalysisId,
        asked: RecheckAsked,
        control: &ControlReceiver,
        feed: &RunFeed,
        mut engines: SharedEngines,
    ) {
        let limits = RunLimits { time: Some(asked.time), ..RunLimits::default() };
        let result = feed.tell_of(
            |outcome: &RecheckOutcome| outcome.ending,
            |tell| {
                let mut store = Store::open_with(&self.path, feed.patience(control))?;
                // Another program may have deleted it.
                let row = store.analysis(asked.analysis)?;
                let analyses =
                    row.map(|row| RecheckRoot::of(row, asked.limit)).into_iter().collect();
                let plan = RecheckPlan { analyses, within: None, limits };
                recheck(&plan, &mut store, &mut engines, control, tell)
            },
        );
        if let Err(error) = result {
            self.state().item(id).into_iter().for_each(|item| item.fail(error.to_string()));
        }
        self.wakers.wake();
    }

    /// Makes a run that grows a tree, takes its result, and waits if another process grows the
    /// root.
    fn grow(
        &self,
        id: AnalysisId,
        job: &Job,
        control: &ControlReceiver,
        feed: &RunFeed,
        mut engines: SharedEngines,
    ) {
        let result = feed.tell_of(
            |outcome: &RunOutcome| outcome.ending,
            |tell| {
                let mut store = Store::open_with(&self.path, feed.patience(control))?;
                grow(job, &mut store, &mut engines, control, tell)
            },
        );
        self.concluded(id, job.depth, &result);
        if matches!(result, Err(RunError::Store(StoreError::Growing { .. }))) {
            rest(&mut engines, control);
        }
    }

    /// Takes the result of a root's run, and keeps that it is done.
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
        let before = item.wish.clone();
        item.conclude(depth, result);
        let (wish, is_done) = (item.wish.clone(), item.is_done());
        drop(state);
        match result {
            Ok(outcome) if is_done => self.keep_done(&mut store, &wish, outcome),
            _ if wish.growing != before.growing => keep(&mut store, &wish),
            _ => {}
        }
        drop(store);
        self.wakers.wake();
    }

    /// Keeps that a root is done, unless its directives changed while its run ended: a change after
    /// that begins another run.
    fn keep_done(&self, store: &mut Store, row: &AgendaRow, outcome: &RunOutcome) {
        let kept = is_directed(store, outcome).and_then(|is_directed| {
            if is_directed {
                self.state().item(row.analysis).into_iter().for_each(RunnerRoot::reopen);
                return Ok(());
            }
            store.put_on_agenda(row)
        });
        told_if_not(kept, row);
    }

    /// The next run of a root, if wanted; otherwise its thread ends.
    fn next(self: &Arc<RunnerShared>, id: AnalysisId, failed: Option<&str>) -> Option<RootRun> {
        let mut state = self.state();
        let is_ending = self.crew.is_ending();
        let item = state.item(id)?;
        if let Some(why) = failed {
            item.fail(why.to_owned());
        }
        let next = (item.wants_run() && !is_ending).then(|| self.begin(item)).flatten();
        if next.is_none() {
            item.control = None;
            let turn = item.wish.turn;
            self.has_ended.notify_all();
            if let Some(waiting) = turn.and_then(|turn| state.next_of_turn(turn)) {
                // If it cannot begin, its state has the reason.
                let _ = self.begin_wanted(&mut state, waiting);
            }
        }
        drop(state);
        self.wakers.wake();
        next
    }
}
