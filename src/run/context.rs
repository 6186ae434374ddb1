//! What the passes of a run share, and when it is written.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::analysis::BestLine;
use crate::engine::Pool;
use crate::store::{Store, StoreError};
use crate::tree::{Growth, Values};

use super::limits::Budget;
use super::lists::Lists;
use super::look_ahead::LookAhead;
use super::progress::{Observer, Progress};
use super::shutdown::Shutdown;
use super::tree_rows::TreeRows;
use super::under_way::SearchesUnderWay;

/// A tree's rows are written again once so many times the last writing's duration have passed: a
/// large tree's take a while.
const WRITE_PAUSE: u32 = 10;

/// How often a run that waits for the database says so: after so many vain tries, each of some
/// seconds.
const REMINDER: u32 = 60;

/// What the passes of a run share: store, engines, limits, and whom to tell.
pub struct RunContext<'a> {
    pub store: &'a mut Store,
    pub pool: &'a mut Pool,
    pub budget: &'a mut Budget,
    pub shutdown: &'a Shutdown,
    pub observer: &'a mut dyn Observer,
    pub target: u32,
    pub lists: Lists,
    pub under_way: &'a mut SearchesUnderWay,
    /// None where engines are to wait rather than guess.
    pub look_ahead: Option<LookAhead>,
    pub rows: RowWriter,
}

/// The tree's rows in the store, and when they were written.
pub struct RowWriter {
    tree_rows: TreeRows,
    /// When they may be written again.
    due: Instant,
}

impl RowWriter {
    /// The rows of a tree as they were read.
    pub fn new(tree_rows: TreeRows) -> RowWriter {
        RowWriter { tree_rows, due: Instant::now() }
    }

    /// Notes what the passes so far have made of the root.
    pub fn note(&mut self, growth: &Growth, best: Option<&BestLine>) {
        let first = best.and_then(|best| best.moves.first().map(|uci| (*uci, best.value)));
        self.tree_rows.note(growth, first);
    }

    fn write(
        &mut self,
        store: &mut Store,
        growth: &Growth,
        values: &Values,
    ) -> Result<(), StoreError> {
        let began = Instant::now();
        self.tree_rows.commit(store, growth, values)?;
        let took: Duration = began.elapsed();
        self.due = Instant::now() + took * WRITE_PAUSE;
        Ok(())
    }
}

impl RunContext<'_> {
    /// How far the run has come with a tree. Nothing here looks at the tree itself.
    pub fn progress(&self, growth: &Growth, best: Option<&Arc<BestLine>>) -> Progress {
        let deadline = self.budget.deadline();
        Progress {
            depth: growth.depth().min(self.target),
            target: self.target,
            settled: growth.settled().last().map(|last| last.depth),
            passes: growth.passes(),
            positions: growth.analysed(),
            admitted: growth.searches(),
            searches: self.budget.searches(),
            nodes: self.budget.nodes(),
            waiting: 0,
            busy: self.under_way.len(),
            engines: self.pool.up(),
            elapsed: self.budget.started().elapsed(),
            left: deadline.map(|at| at.saturating_duration_since(Instant::now())),
            best: best.cloned(),
            ending: None,
        }
    }

    /// Writes, and tries again for as long as another program keeps the database locked. Only a signal
    /// ends that: where a limit is reached, what was answered before still waits to be written.
    fn patiently(
        &mut self,
        write: impl Fn(&mut Self) -> Result<bool, StoreError>,
    ) -> Result<bool, StoreError> {
        for tries in 0_u32.. {
            match write(self) {
                Err(error) if error.is_busy() && self.shutdown.signals().is_empty() => {
                    if tries.is_multiple_of(REMINDER) {
                        self.observer.waiting(&error.to_string());
                    }
                }
                result => return result,
            }
        }
        Ok(false)
    }

    /// Writes the answers, then the rows of the tree that was made of them. `false` where another
    /// run has stored other answers: the tree in memory is void then.
    pub fn save(&mut self, growth: &Growth, values: &Values) -> Result<bool, StoreError> {
        if !self.save_answers()? {
            return Ok(false);
        }
        self.patiently(|run| {
            if run.rows.tree_rows.passes() != growth.passes() {
                run.rows.write(run.store, growth, values)?;
            }
            Ok(true)
        })
    }

    /// Writes the answers alone; `false` as above.
    pub fn save_answers(&mut self) -> Result<bool, StoreError> {
        self.patiently(|run| run.lists.save(run.store))
    }

    /// The same where it is time to.
    pub fn save_if_due(&mut self, growth: &Growth, values: &Values) -> Result<bool, StoreError> {
        let now = Instant::now();
        if self.lists.due().is_none_or(|due| due > now) {
            return Ok(true);
        }
        if self.rows.due <= now {
            return self.save(growth, values);
        }
        self.save_answers()
    }
}

#[cfg(all(test, unix))]
pub(super) mod tests {
    #![allow(clippy::unwrap_used, reason = "helpers of tests")]

    use std::cell::Cell;

    use shakmaty::Chess;

    use super::*;
    use crate::analysis::load;
    use crate::chess::Game;
    use crate::engine::mute_pool;
    use crate::run::grow::tests::Deaf;
    use crate::run::limits::RunLimits;
    use crate::store::{AnalysisId, AnalysisKey};

    /// All that a run on the starting position borrows; its engines never answer.
    pub struct Bench {
        _folder: tempfile::TempDir,
        pub store: Store,
        pub pool: Pool,
        pub under_way: SearchesUnderWay,
        budget: Budget,
        shutdown: Shutdown,
        observer: Deaf,
        analysis: AnalysisId,
    }

    impl Bench {
        pub fn new(limits: RunLimits) -> Bench {
            let folder = tempfile::tempdir().unwrap();
            let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
            let pool = mute_pool("a run");
            let game = Game::from_position(Chess::default());
            let profile = store.profile_id(pool.profile()).unwrap();
            let key = AnalysisKey { game: &game, profile, distance: 10 };
            Bench {
                analysis: store.open_analysis(key).unwrap(),
                store,
                pool,
                under_way: SearchesUnderWay::default(),
                budget: Budget::new(limits),
                shutdown: Shutdown::never(),
                observer: Deaf,
                _folder: folder,
            }
        }

        pub fn run(&mut self) -> (RunContext<'_>, Growth) {
            let tree = load(&self.store, self.analysis).unwrap();
            let lists = Lists::new(tree.row.profile_id);
            let (growth, rows) = TreeRows::of(tree);
            let run = RunContext {
                lists,
                rows: RowWriter::new(rows),
                store: &mut self.store,
                pool: &mut self.pool,
                budget: &mut self.budget,
                shutdown: &self.shutdown,
                observer: &mut self.observer,
                target: 2,
                under_way: &mut self.under_way,
                look_ahead: None,
            };
            (run, growth)
        }
    }

    #[test]
    fn what_is_answered_when_the_time_is_up_waits_for_a_locked_database() {
        let over = RunLimits { time: Some(Duration::ZERO), ..RunLimits::default() };
        let mut bench = Bench::new(over);
        let (mut run, _) = bench.run();
        let tries = Cell::new(0);
        let saved = run.patiently(|_| {
            tries.set(tries.get() + 1);
            if tries.get() < 3 { Err(StoreError::locked()) } else { Ok(true) }
        });
        assert!(saved.unwrap());
        assert_eq!(tries.get(), 3);
    }
}
