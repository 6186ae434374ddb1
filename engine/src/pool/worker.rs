//! One thread with one slot: starts its engine, takes searches, survives the engine's faults.

use std::sync::Arc;

use crate::error::{EngineError, Reason};
use crate::instance::{Instance, Setup};
use crate::process::Program;

use super::event::Event;
use super::roster::{Job, SlotTask};
use super::shared::Shared;
use super::trial::{Trial, TrialEnd};

/// One thread with one slot.
pub(super) struct Worker {
    shared: Arc<Shared>,
    /// The slot's number on the roster.
    slot: usize,
    program: Program,
    engine: Option<Instance>,
}

impl Worker {
    pub(super) fn new(
        shared: Arc<Shared>,
        slot: usize,
        program: Program,
        engine: Option<Instance>,
    ) -> Worker {
        Worker { shared, slot, program, engine }
    }

    /// Works until the pool stops.
    pub(super) fn run(self) {
        // Declared first, so that the engine is dead when the run hears of a panic.
        let _guard = TellOfPanic(Arc::clone(&self.shared));
        let mut worker = self;
        while let Some(step) = worker.shared.next(worker.slot) {
            match step {
                SlotTask::Serve(job) => worker.serve(job),
                SlotTask::Start => worker.start(),
                SlotTask::Wait(_) => {}
            }
        }
        if let Some(engine) = &mut worker.engine {
            engine.quit();
        }
    }

    /// Starts the engine, which must be the one that the pool began with.
    fn start(&mut self) {
        let shared = &self.shared;
        let started = Instance::start(&Setup::new(&self.program, &shared.settings, &shared.stop));
        let started = started.and_then(|engine| shared.identity.check(&engine).map(|()| engine));
        match started {
            Ok(engine) => {
                self.engine = Some(engine);
                shared.started(self.slot, &self.program.command);
            }
            Err(error) if error.reason == Reason::Stopped => {}
            Err(error) => shared.not_started(self.slot, &error),
        }
    }

    fn serve(&mut self, mut job: Job) {
        let ticket = job.ticket;
        self.shared.tell(Event::Started { ticket });
        #[cfg(all(any(test, feature = "testing"), unix))]
        panicking::panic_at(&job.search.position);
        let outcome = self.search(&mut job);
        if !matches!(outcome, TrialEnd::Answered(_) | TrialEnd::Abandoned) {
            // Dead before the roster knows: another may start in its place at once.
            self.engine = None;
        }
        match outcome {
            TrialEnd::Fault(_) | TrialEnd::Untouched(_) | TrialEnd::Hopeless(_)
                if job.is_abandoned() =>
            {
                self.shared.lost(self.slot);
            }
            TrialEnd::Answered(answer) => {
                self.shared.answered(self.slot, &self.program.command);
                self.shared.tell(Event::Answered { ticket, answer, worker: None });
            }
            TrialEnd::Abandoned => self.shared.abandoned(self.slot),
            TrialEnd::Fault(error) => self.shared.failed(self.slot, job, error),
            TrialEnd::Untouched(error) => self.shared.untouched(self.slot, job, error),
            TrialEnd::Hopeless(error) => self.shared.hopeless(self.slot, ticket, error),
            TrialEnd::Stopped => {}
        }
    }

    fn search(&mut self, job: &mut Job) -> TrialEnd {
        let shared = &*self.shared;
        match &mut self.engine {
            Some(engine) => Trial { shared, engine, job }.run(),
            // The roster gives searches to slots with engines alone.
            None => TrialEnd::Untouched(EngineError::new(&shared.identity.name, Reason::Stopped)),
        }
    }
}

/// Tells the run where the thread ends by a panic: it would wait for an answer for ever.
struct TellOfPanic(Arc<Shared>);

impl Drop for TellOfPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.tell(Event::Broken);
        }
    }
}

/// For tests of a panic, in this package and in others.
#[cfg(all(any(test, feature = "testing"), unix))]
pub mod panicking {
    #![allow(clippy::unwrap_used, reason = "helpers of tests")]

    use shakmaty::Chess;

    use crate::{Pool, Settings};
    use deepanalyze_core::chess::epd_of;
    use deepanalyze_core::search::Limit;

    /// A worker of a test that is to search this position panics.
    pub const PANICS: &str = "7k/8/8/8/8/8/8/K6R b - - 0 1";

    pub(super) fn panic_at(position: &Chess) {
        assert_ne!(format!("{} 0 1", epd_of(position)), PANICS, "a test asks for a panic");
    }

    /// A pool whose engine starts and does nothing else, with a word in its command line.
    ///
    /// # Panics
    ///
    /// Where it does not start.
    pub fn mute_pool(mark: &str) -> Pool {
        let script = "while read -r word; do case $word in uci) echo uciok;; \
                      isready) echo readyok;; esac; done; sleep 60";
        let command = deepanalyze_core::quoting::join(["sh", "-c", script, mark]);
        Pool::start(&Settings::new(&command, Limit::Depth(1)).with_engines(2)).unwrap()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::{Duration, Instant};

    use super::panicking::{PANICS, mute_pool};
    use crate::Event;
    use deepanalyze_core::chess::parse_fen;
    use deepanalyze_core::search::Search;

    fn is_running(mark: &str) -> bool {
        std::fs::read_dir("/proc").into_iter().flatten().flatten().any(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(mark)
        })
    }

    #[test]
    fn a_thread_that_panics_takes_its_engine_with_it_and_is_told_of() {
        let mark = format!("panics-{}", std::process::id());
        let mut pool = mute_pool(&mark);
        pool.submit(1, Search { position: parse_fen(PANICS).unwrap(), excluded: Vec::new() });
        // Before its engine ends by itself.
        let until = Instant::now() + Duration::from_secs(50);
        while !matches!(pool.events().recv_deadline(until).unwrap(), Event::Broken) {}
        assert!(!is_running(&mark));
        drop(pool);
        assert!(Instant::now() < until);
    }
}
