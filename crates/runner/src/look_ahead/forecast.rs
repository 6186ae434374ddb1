//! The tree that predicts searches. One of 500,000 positions takes seconds to read, so it is read
//! during the first searches, in a thread of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};

use crossbeam_channel::{Receiver, TryRecvError, bounded};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{PositionKey, Value};
use deepanalyze_core::tree::Growth;
use deepanalyze_store::{AnalysisId, Store, StoreError};
use deepanalyze_view::load_growth;

/// A tree as read; `None` if its analysis is gone.
type ReadTree = Result<Option<Growth>, StoreError>;

/// A forecast not read yet.
#[derive(Debug)]
pub struct ComingForecast {
    analysis: AnalysisId,
    /// True if the run reads it itself, at once: in virtual time.
    is_virtual: bool,
    reading: Option<ReadingThread>,
}

/// State of a forecast.
pub enum ForecastState {
    /// It is being read.
    Reading,
    /// It is read.
    Read(Forecast),
    /// Its analysis is gone, or cannot be read, and why.
    Gone(Option<String>),
}

impl ComingForecast {
    /// For an analysis.
    pub fn new(analysis: AnalysisId, is_virtual: bool) -> ComingForecast {
        ComingForecast { analysis, is_virtual, reading: None }
    }

    /// The state so far. The first call begins to read it.
    pub fn state(&mut self, store: &Store) -> ForecastState {
        let read = match &self.reading {
            Some(reading) => reading.read(),
            None if self.is_virtual => Some(load_growth(store, self.analysis, &|| true)),
            None => match ReadingThread::begin(store, self.analysis) {
                Ok(reading) => {
                    self.reading = Some(reading);
                    None
                }
                Err(source) => Some(Err(StoreError::Io { path: store.path().to_owned(), source })),
            },
        };
        match read {
            None => ForecastState::Reading,
            Some(Ok(Some(growth))) => ForecastState::Read(Forecast { growth: Box::new(growth) }),
            Some(Ok(None)) => ForecastState::Gone(None),
            Some(Err(error)) => {
                let what = format!("the tree of analysis {} cannot be read", self.analysis.0);
                ForecastState::Gone(Some(format!("{what}: {error}; engines look ahead without it")))
            }
        }
    }
}

/// The thread that reads a tree. It ends soon after it is no longer wanted, and is then joined.
#[derive(Debug)]
struct ReadingThread {
    read: Receiver<ReadTree>,
    is_wanted: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ReadingThread {
    fn begin(store: &Store, analysis: AnalysisId) -> std::io::Result<ReadingThread> {
        let (path, is_wanted) = (store.path().to_owned(), Arc::new(AtomicBool::new(true)));
        let (sender, read) = bounded(1);
        let wanted = Arc::clone(&is_wanted);
        let work = move || {
            let is_wanted = || wanted.load(Ordering::Relaxed);
            let store = Store::open_to_read(&path);
            // The receiver may be gone.
            let _ = sender.send(store.and_then(|store| load_growth(&store, analysis, &is_wanted)));
        };
        let thread = Some(Builder::new().name("forecast".to_owned()).spawn(work)?);
        Ok(ReadingThread { read, is_wanted, thread })
    }

    /// The result; `None` while reading. A thread that has panicked has read nothing.
    fn read(&self) -> Option<ReadTree> {
        match self.read.try_recv() {
            Ok(read) => Some(read),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Ok(None)),
        }
    }
}

impl Drop for ReadingThread {
    fn drop(&mut self) {
        self.is_wanted.store(false, Ordering::Relaxed);
        // A panic was already reported.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Another tree of the same root: the stage before's, or another engine's.
#[derive(Debug)]
pub struct Forecast {
    growth: Box<Growth>,
}

impl Forecast {
    /// The best listed move outside `before`, with a score for its mover halfway between the
    /// engine's and the tree's backed-up one: of 16 roots, 16 engines were 7.3 times as fast as
    /// one, with the engine's score alone 6.9 times, with the tree's alone 7.0, and 6.0 without a
    /// stage before.
    pub fn of(&self, position: &Chess, before: &[UciMove]) -> Option<(UciMove, Value)> {
        let node = self.growth.find(&PositionKey::of(position))?;
        let list = self.growth.graph().list(node);
        let next = list.iter().find(|edge| !before.contains(&edge.uci.unpack()))?;
        let idea = self.growth.values().idea_of(self.growth.graph(), next);
        Some((next.uci.unpack(), halfway(next.eval, idea)))
    }
}

/// The mean of two scores; the engine's if one is mate.
fn halfway(engine: Value, tree: Value) -> Value {
    if engine.is_mate() || tree.is_mate() {
        return engine;
    }
    let sum = i64::from(engine.get()) + i64::from(tree.get());
    Value::new(sum / 2).unwrap_or(engine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::ControlReceiver;
    use crate::job::{Job, Schedule};
    use crate::queue::grow;
    use crate::tests::made_up::{engines, profile};
    use deepanalyze_core::chess::Game;

    /// A database with a tree of the starting position.
    fn grown() -> (tempfile::TempDir, Store, AnalysisId) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
        let game = Game::from_start("startpos").unwrap();
        let job = Job::new(game, 8, Schedule::Once(profile().limit), 2);
        let mut one = engines(1, |_| std::time::Duration::ZERO);
        let outcome = grow(&job, &mut store, &mut one, &ControlReceiver::never(), &mut |_| {});
        (folder, store, outcome.unwrap().analysis.unwrap())
    }

    /// The final state, however long it takes.
    fn wait(mut coming: ComingForecast, store: &Store) -> ForecastState {
        loop {
            match coming.state(store) {
                ForecastState::Reading => std::thread::yield_now(),
                other => return other,
            }
        }
    }

    #[test]
    fn tree_reads_the_same_in_a_thread_and_at_once() {
        let (_folder, store, analysis) = grown();
        for is_virtual in [false, true] {
            let coming = ComingForecast::new(analysis, is_virtual);
            let ForecastState::Read(forecast) = wait(coming, &store) else { panic!("no forecast") };
            let (first, eval) = forecast.of(&Chess::default(), &[]).unwrap();
            assert!(!eval.is_mate());
            let second = forecast.of(&Chess::default(), &[first]).map(|(uci, _)| uci);
            assert_ne!(second, Some(first), "an excluded move");
        }
    }

    #[test]
    fn there_is_none_of_an_analysis_that_is_gone() {
        let (_folder, mut store, analysis) = grown();
        store.delete_analyses(&[analysis]).unwrap();
        let gone = wait(ComingForecast::new(analysis, false), &store);
        assert!(matches!(gone, ForecastState::Gone(None)));
    }

    #[test]
    fn thread_ends_without_a_tree_no_longer_wanted() {
        let (_folder, store, analysis) = grown();
        let read = load_growth(&store, analysis, &|| false);
        assert!(matches!(read, Err(StoreError::Io { .. })), "{read:?}");
        let mut coming = ComingForecast::new(analysis, false);
        assert!(matches!(coming.state(&store), ForecastState::Reading));
        let path = store.path().to_owned();
        drop((coming, store));
        // Windows removes no file that is open.
        std::fs::remove_file(path).unwrap();
    }
}
