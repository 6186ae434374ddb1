//! The runs of a session, each in a thread of its own.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded, select};

use crate::{
    Control, ControlReceiver, Keeping, Plan, RunEnd, RunError, RunEvent, RunFeed, RunOutcome, Tell,
    Wakers, control, grow,
};
use deepanalyze_core::chess::Game;
use deepanalyze_engine::{RunKey, SharedEngines};
use deepanalyze_store::{Store, StoreError};

use super::engines::{EngineRoom, Engines};
use crate::feed::BUG;

/// Runs that go on.
#[derive(Debug, Clone, Default)]
pub struct Runs {
    under_way: Arc<Mutex<Vec<UnderWay>>>,
    numbers: Arc<AtomicI64>,
}

/// One of them.
#[derive(Debug, Clone)]
struct UnderWay {
    game: Game,
    /// Disconnects when it has ended.
    end: Receiver<Infallible>,
}

/// A run that somebody follows. Dropped, it ends at once; its answers are kept.
#[derive(Debug)]
pub struct Run {
    control: Control,
    /// What it tells.
    pub feed: RunFeed,
}

impl Drop for Run {
    fn drop(&mut self) {
        // Whoever asks twice does not wait for searches.
        self.control.end();
        self.control.end();
    }
}

/// What a run works with.
struct Work {
    plan: Plan,
    database: PathBuf,
    key: RunKey,
    /// Earlier runs of the same game: an analysis has one run at a time.
    earlier: Vec<Receiver<Infallible>>,
    control: ControlReceiver,
    feed: RunFeed,
    wakers: Wakers,
}

impl Runs {
    /// Begins with a run, which wakes these when it has something to tell.
    ///
    /// # Errors
    ///
    /// Where the system gives no thread.
    pub fn begin(
        &self,
        plan: Plan,
        database: PathBuf,
        engines: Arc<EngineRoom>,
        wakers: Wakers,
    ) -> std::io::Result<Run> {
        let (steer, control) = control();
        let feed = RunFeed::default();
        feed.wakes(wakers.clone());
        let (running, end) = bounded(0);
        let earlier = self.enter(&plan.game, end);
        let key = RunKey(self.numbers.fetch_add(1, Ordering::Relaxed));
        let work = Work { plan, database, key, earlier, control, feed: feed.clone(), wakers };
        let thread = std::thread::Builder::new().name(format!("run {}", key.0));
        thread.spawn(move || {
            work.run(&engines);
            drop(running);
        })?;
        Ok(Run { control: steer, feed })
    }

    /// Waits until all have ended, but no longer than this.
    pub fn wait_for_all(&self, patience: Duration) {
        let until = Instant::now() + patience;
        let under_way = std::mem::take(&mut *self.lock());
        // Nothing is ever sent: it disconnects, or the time is up.
        for run in under_way {
            let _ = run.end.recv_deadline(until);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<UnderWay>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a run, and gives the earlier ones of the same game.
    fn enter(&self, game: &Game, end: Receiver<Infallible>) -> Vec<Receiver<Infallible>> {
        let mut under_way = self.lock();
        under_way.retain(|run| !has_ended(&run.end));
        let same = under_way.iter().filter(|run| run.game == *game);
        let earlier = same.map(|run| run.end.clone()).collect();
        under_way.push(UnderWay { game: game.clone(), end });
        earlier
    }
}

fn has_ended(end: &Receiver<Infallible>) -> bool {
    end.try_recv() == Err(crossbeam_channel::TryRecvError::Disconnected)
}

impl Work {
    fn run(mut self, room: &EngineRoom) {
        // Whoever waits for the end hears of it last.
        let feed = self.feed.clone();
        let _ = feed.tell_of(|ending: &RunEnd| *ending, |tell| self.grow_in(room, tell));
    }

    fn grow_in(&mut self, room: &EngineRoom, tell: &mut Tell<'_>) -> Result<RunEnd, String> {
        let Some(engines) = self.engines(room) else { return Ok(RunEnd::Interrupted) };
        let engines = engines?;
        // What is known of a root is known of an engine: it can be looked up now.
        self.wakers.wake();
        let mut joined = engines.share().ok_or(BUG)?.join(self.key, 1);
        let grown = self.grow_on(&mut joined, tell).map_err(|error| error.to_string())?;
        Ok(grown.ending)
    }

    /// The engines, once they are there and the earlier runs have ended; nothing where this one is to end
    /// before.
    fn engines(&self, room: &EngineRoom) -> Option<Result<Arc<Engines>, String>> {
        for earlier in &self.earlier {
            self.wait_for(earlier)?;
        }
        let woken = room.wakes().subscribe();
        loop {
            if self.control.is_told_to_end() {
                return None;
            }
            if let Some(engines) = room.engines() {
                return Some(engines);
            }
            select! {
                recv(self.control.wake()) -> _ => {}
                recv(woken) -> _ => {}
            }
        }
    }

    /// Waits for the end of another run; nothing where this one is to end before.
    fn wait_for(&self, earlier: &Receiver<Infallible>) -> Option<()> {
        while !has_ended(earlier) {
            if self.control.is_told_to_end() {
                return None;
            }
            select! {
                recv(self.control.wake()) -> _ => {}
                recv(earlier) -> _ => {}
            }
        }
        Some(())
    }

    fn grow_once(
        &mut self,
        store: &mut Store,
        engines: &mut SharedEngines,
        tell: &mut Tell<'_>,
    ) -> Result<RunOutcome, RunError> {
        if let Some(tables) = &self.plan.tables {
            tables.look_again(store, &self.control, &mut |_| {})?;
        }
        grow(&self.plan, store, engines, &self.control, tell)
    }

    fn grow_on(
        &mut self,
        engines: &mut SharedEngines,
        tell: &mut Tell<'_>,
    ) -> Result<RunOutcome, RunError> {
        let patience = self.feed.patience(&self.control);
        let mut store = Store::open_with(&self.database, patience)?;
        match self.grow_once(&mut store, engines, tell) {
            // Another program grows the same tree: the answers of both are kept, and serve both.
            Err(RunError::Store(error @ StoreError::Growing { .. })) => {
                tell(RunEvent::Waiting(format!("{error}; its answers are used here")));
                self.plan.keeping = Keeping::AnswersAlone { only: Vec::new() };
                self.grow_once(&mut store, engines, tell)
            }
            grown => grown,
        }
    }
}
